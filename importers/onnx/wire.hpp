// A check of the raw protobuf bytes before they are parsed. protobuf merges repeated singular fields and keeps unknown
// ones silently; both could make two readers see two different models, so both are refused here.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "formats/error.hpp"

namespace outward::onnx_import {

// Walks every message of an ONNX ModelProto. Blockers: broken wire format, groups, a singular field given twice, two
// members of one oneof, an unknown field (except metadata), an unknown enum value, nesting or counts over the limits.
// Recursion depth is bounded; time is linear in the number of fields.
std::vector<Blocker> check_wire(const std::uint8_t* data, std::size_t bytes);
// The same for a file that is one TensorProto.
std::vector<Blocker> check_tensor_wire(const std::uint8_t* data, std::size_t bytes);

}  // namespace outward::onnx_import
