// What an ONNX tensor name stands for while a model is lowered (certificates/FORMAT.md section 2): an integer constant,
// a float constant, or an element of the graph; plus the shapes and the refusals all rules share.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace outward::onnx_import {

using Shape = std::vector<std::int64_t>;
using Integers = std::vector<std::int64_t>;
using Floats = std::vector<double>;

// Limits, in one place. They bound memory for files that claim more than they hold.
inline constexpr std::size_t max_rank = 16;
inline constexpr std::int64_t max_elements = std::int64_t{1} << 28;   // of one tensor, before anything is allocated
inline constexpr std::int64_t max_generated = std::int64_t{1} << 25;  // of one value that is computed, not read
inline constexpr std::int64_t max_total = std::int64_t{1} << 28;      // ints and payload of the whole graph
inline constexpr std::size_t max_nodes = std::size_t{1} << 20;

enum class Type { f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, boolean, other };

bool is_float(Type type);
const char* type_name(Type type);

// Smallest and greatest value of an integer type (u64: up to 2^63 - 1, greater values are refused).
std::int64_t least(Type type);
std::int64_t greatest(Type type);

struct Value {
  enum class State {
    absent,    // an optional operand that was left out
    poisoned,  // could not be computed; a blocker for the cause has been recorded
    integer,   // integer or bool constant in ints
    constant,  // float constant in floats
    node       // graph node
  };
  State state = State::absent;
  Type type = Type::other;
  Shape shape;
  std::shared_ptr<const Integers> ints;
  std::shared_ptr<const Floats> floats;
  std::uint32_t node = 0;

  bool present() const { return state != State::absent; }
  bool is_integer() const { return state == State::integer; }
  bool is_constant() const { return state == State::constant; }
  bool is_node() const { return state == State::node; }
  bool is_float_value() const { return is_constant() || is_node(); }
};

Value integer_value(Type type, Shape shape, Integers values);
Value float_value(Type type, Shape shape, Floats values);
Value node_value(Type type, Shape shape, std::uint32_t node);

// Thrown by a rule; the driver adds the place and makes it a Blocker. found and expected may be empty.
struct Refusal {
  std::string code, what, expected, found, next;
};
[[noreturn]] void refuse(std::string code, std::string what, std::string expected = "", std::string found = "");

// Number of elements. Refuses negative dimensions, more than max_rank of them, and products above the limit.
std::int64_t element_count(const Shape& shape, std::int64_t limit = max_elements);

std::string shape_text(const Shape& shape);

// A name or text from the file, quoted with ' and shortened, without control characters.
std::string in_quotes(const std::string& text);

}  // namespace outward::onnx_import
