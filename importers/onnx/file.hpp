// Reading of model files and of the external data they name.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/graph/graph.hpp"

namespace outward::onnx_import {

using Bytes = std::vector<std::uint8_t>;

// The whole file; unpacked if it starts like gzip (one member, checksum verified, at most 200 times its packed size).
// Throws InputRefused.
Bytes read_model_file(const std::string& path);

// "dir/" part of a path, "." if there is none; and the rest.
std::string folder_of(const std::string& path);
std::string name_of(const std::string& path);

// External data below one folder. Every file is opened component by component without following symbolic links, must be
// a regular file with one hard link, is read once, and what was read is what is hashed.
class ExternalData {
 public:
  explicit ExternalData(std::string folder) : folder_(std::move(folder)) {}

  // The bytes of the file at a location as written in the model. Throws Refusal.
  const Bytes& open(const std::string& location);

  // One entry per file opened, sorted by path.
  std::vector<ModelFile> manifest() const;

 private:
  std::string folder_;
  std::map<std::string, Bytes> files_;
};

// Lower-case hex SHA-1, for the optional checksum of external data.
std::string sha1_hex(const Bytes& bytes);

}  // namespace outward::onnx_import
