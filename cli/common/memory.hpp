// How much memory a run may use, and how much it does.
#pragma once
#include <cstdint>
#include <string>

namespace outward::cli {

// "1500000000", "500M", "4G" (powers of 1024): bytes; 0 if the text is none of these, is zero or above 2^60.
std::uint64_t parse_bytes(const std::string& text);

// Resident memory of this process in bytes; 0 if the system does not say.
std::uint64_t resident_bytes();

// Four fifths of what is free now (of the machine, or of the control group if that has less); 0 if unknown.
std::uint64_t default_memory_limit();

}  // namespace outward::cli
