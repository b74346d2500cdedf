// Common parts of the array readers: conversion to the element type, shapes, refusals.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "importers/arrays/arrays.hpp"

namespace outward::arrays {

inline constexpr std::uint64_t max_elements = std::uint64_t{1} << 31;
inline constexpr std::size_t max_rank = 16;

// A file's numbers in row-major order. shape is what the file says ({} for one flat list); image samples are
// [height, width, channels].
struct RawArray {
  std::vector<std::uint64_t> shape;
  std::vector<std::uint64_t> bits;
  bool is_image = false;
};

[[noreturn]] void refuse(const std::string& where, const std::string& code, const std::string& what,
                         const std::string& expected, const std::string& found, const std::string& next = "");

// Element numbers are used in messages only. All refuse what is not finite or not exactly representable.
std::uint64_t from_double(double value, ElementType element, const std::string& name, std::uint64_t index);
std::uint64_t from_binary32_bits(std::uint32_t bits, ElementType element, const std::string& name, std::uint64_t index);
std::uint64_t from_integer(std::uint64_t magnitude, bool negative, ElementType element, const std::string& name,
                           std::uint64_t index);

// Rounded to nearest even; where is the place of the text in the file.
std::uint64_t from_decimal(std::string_view text, ElementType element, const std::string& where);

// Product of dimensions. Refuses more than max_elements or a rank above max_rank.
std::uint64_t element_count(const std::vector<std::uint64_t>& shape, const std::string& name);

// Before an array of that size is allocated.
void check_count(std::uint64_t found, const ArrayRequest& request, const std::string& name);

std::string shape_text(const std::vector<std::uint64_t>& shape);

// A file of any number of points of request.count numbers, whatever its shape; no image. Gzipped or not.
RawArray read_rows(const std::string& path, const ArrayRequest& request);

// The readers. bytes is the whole file.
RawArray parse_npy(std::string_view bytes, const std::string& name, const ArrayRequest& request);
RawArray parse_csv(std::string_view bytes, const std::string& name, const ArrayRequest& request);
RawArray parse_json(std::string_view bytes, const std::string& name, const ArrayRequest& request);
RawArray parse_tensor(std::string_view bytes, const std::string& name, const ArrayRequest& request);
RawArray parse_png(std::string_view bytes, const std::string& name, const ArrayRequest& request);
RawArray parse_pnm(std::string_view bytes, const std::string& name, const ArrayRequest& request);

}  // namespace outward::arrays
