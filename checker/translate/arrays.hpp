// The part of read_array behind reading the file; the ending of the name chooses the format.
#pragma once
#include "checker/readers/readers.hpp"

namespace outward_check {

std::vector<std::uint64_t> parse_array(const Bytes& bytes, const std::string& name,
                                       const Graph& graph);

}  // namespace outward_check
