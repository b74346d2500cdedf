// TensorProto -> constant value, exactly, with every length checked before anything is allocated.
#pragma once
#include <onnx/onnx_pb.h>

#include "importers/onnx/file.hpp"
#include "importers/onnx/value.hpp"

namespace outward::onnx_import {

// Element type of TensorProto.DataType; Type::other for types that are not supported.
Type type_of(std::int32_t data_type);

// Name of a TensorProto.DataType for messages: "float16", "data type 99".
std::string data_type_text(std::int32_t data_type);

// Throws Refusal. `external` is used when the data lie in another file.
Value read_tensor(const onnx::TensorProto& tensor, ExternalData& external);

}  // namespace outward::onnx_import
