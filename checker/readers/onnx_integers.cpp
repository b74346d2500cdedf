// Integer and shape constants, folded exactly; overflow is refused, never wrapped.
#include <algorithm>
#include <cmath>

#include "checker/readers/onnx.hpp"

namespace outward_check::onnx {
namespace {

Int overflow() { unsupported("integer overflow or division by zero"); }

Int narrow(__int128 exact) {
  return exact >= INT64_MIN && exact <= INT64_MAX ? static_cast<Int>(exact) : overflow();
}
Int plus(Int a, Int b) { return narrow(__int128{a} + b); }
Int minus(Int a, Int b) { return narrow(__int128{a} - b); }
Int times(Int a, Int b) { return narrow(__int128{a} * b); }
Int quotient(Int a, Int b) { return b == 0 ? overflow() : narrow(__int128{a} / b); }
Int remainder(Int a, Int b) { return b == 0 ? overflow() : narrow(__int128{a} % b); }
Int modulo(Int a, Int b) {
  const Int r = remainder(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
Int least(Int a, Int b) { return std::min(a, b); }
Int greatest(Int a, Int b) { return std::max(a, b); }

// Over two operands, or left to right over more and over the axes of a reduction.
struct Fold {
  const char* op;
  Int (*f)(Int, Int);
  enum { number, truth, logic } gives = number;  // truth: numbers to bool; logic: bool to bool
  Int start = 0;                                 // of a reduction
};
constexpr Fold kFolds[] = {
    {"Add", plus},
    {"Sub", minus},
    {"Mul", times},
    {"Div", quotient},
    {"Mod", modulo},
    {"Min", least},
    {"Max", greatest},
    {"Equal", [](Int a, Int b) { return Int{a == b}; }, Fold::truth},
    {"Greater", [](Int a, Int b) { return Int{a > b}; }, Fold::truth},
    {"Less", [](Int a, Int b) { return Int{a < b}; }, Fold::truth},
    {"GreaterOrEqual", [](Int a, Int b) { return Int{a >= b}; }, Fold::truth},
    {"LessOrEqual", [](Int a, Int b) { return Int{a <= b}; }, Fold::truth},
    {"And", least, Fold::logic},
    {"Or", greatest, Fold::logic},
    {"ReduceSum", plus, Fold::number, 0},
    {"ReduceProd", times, Fold::number, 1},
    {"ReduceMin", least, Fold::number, INT64_MAX},
    {"ReduceMax", greatest, Fold::number, INT64_MIN},
};

const Fold& fold_of(const Op& op) {
  return *std::find_if(std::begin(kFolds), std::end(kFolds),
                       [&](const Fold& f) { return op.kind == f.op; });
}

Int scalar(const Op& op, std::size_t i) {
  require(op.in[i]->size() == 1, "an operand is not a scalar");
  return op.values(i)[0];
}

}  // namespace

void fold(Op& op) {
  const Fold& fold = fold_of(op);
  const auto f = op.integer("fmod", 0) != 0 ? remainder : fold.f;
  Value v = *op.in[0];
  const int type = v.type, result = fold.gives == Fold::truth ? int{kBool} : type;
  require(fold.gives == Fold::truth || (type == kBool) == (fold.gives == Fold::logic),
          "element type");
  for (std::size_t k = 1; k < op.in.size(); ++k) {
    require(op.in[k]->type == type, "operands of different types");
    const Shape shape = broadcast(v.shape, op.in[k]->shape);
    const Value a = op.expand(v, shape), b = op.expand(*op.in[k], shape);
    Shape r = *a.data;
    for (std::size_t i = 0; i < r.size(); ++i) r[i] = f(r[i], (*b.data)[i]);
    v = make_constant(result, shape, std::move(r));
  }
  op.give(std::move(v));
}

void fold_reduce(Op& op) {
  const Fold& fold = fold_of(op);
  const Shape& values = op.values(0);
  const Reduction r = reduction(op);
  Shape out = op.run(fold.start, element_count(r.shape), 0);
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (Int k = 0; k < r.K; ++k) out[i] = fold.f(out[i], values[r.index[i * r.K + k]]);
  }
  op.give(make_constant(op.in[0]->type, r.shape, std::move(out)));
}

void fold_unary(Op& op) {
  Shape values = op.values(0);
  require((op.in[0]->type == kBool) == (op.kind == "Not"), "element type");
  for (Int& v : values) v = op.kind == "Not" ? 1 - v : op.kind == "Neg" || v < 0 ? minus(0, v) : v;
  op.give(make_constant(op.in[0]->type, op.in[0]->shape, std::move(values)));
}

void constant(Op& op) {
  require(op.attributes.size() == 1, "not exactly one value");
  const auto& [name, a] = *op.attributes.begin();
  if (name == "value") return op.give(tensor_value(a.bytes(5), &op.to.external));
  const bool real = name.starts_with("value_float"), list = name.ends_with('s');
  Shape data = real ? a.floats(list ? 7 : 2, 4) : a.integers(list ? 8 : 3);
  if (!list) data.resize(1);  // absent: zero
  const Shape shape = list ? Shape{std::ssize(data)} : Shape{};
  op.give(make_constant(real ? kFloat : kInt64, shape, std::move(data)));
}

void constant_of_shape(Op& op) {
  const Shape shape = op.values(0);
  Value v = make_constant(kFloat, {}, {word(0)});
  if (op.given("value")) v = tensor_value(op.at("value").bytes(5), &op.to.external);
  require(v.size() == 1, "the value is not one number");
  op.give(op.remap({v}, shape, op.run(0, element_count(shape), 0)));
}

void shape_of(Op& op) {
  const Shape& shape = op.in[0]->shape;
  const Int rank = static_cast<Int>(shape.size());
  const auto place = [&](Int at) { return std::clamp<Int>(at < 0 ? at + rank : at, 0, rank); };
  const Int start = place(op.integer("start", 0)), end = place(op.integer("end", rank));
  const Shape part(shape.begin() + start, shape.begin() + std::max(start, end));
  op.give(make_constant(kInt64, {static_cast<Int>(part.size())}, part));
}

void size_of(Op& op) { op.give(make_constant(kInt64, {}, {op.in[0]->size()})); }

void range(Op& op) {
  const Int start = scalar(op, 0), span = minus(scalar(op, 1), start), delta = scalar(op, 2);
  const int type = op.in[0]->type;
  require(op.in[1]->type == type && op.in[2]->type == type, "operands of different types");
  Int count = quotient(span, delta);
  if (times(count, delta) != span && (span < 0) == (delta < 0)) ++count;
  count = std::max<Int>(count, 0);
  op.give(make_constant(type, {count}, op.run(start, count, delta)));
}

void where(Op& op) {
  op.values(0);
  require(op.in[0]->type == kBool, "the condition is not of type bool");
  support(!op.in[1]->is_node() && !op.in[2]->is_node(), "a choice between values of the network");
  const Shape shape = broadcast(op.in[0]->shape, broadcast(op.in[1]->shape, op.in[2]->shape));
  const Value condition = op.expand(*op.in[0], shape);
  Shape index = op.run(0, condition.size(), 1);
  for (std::size_t i = 0; i < index.size(); ++i) {
    if ((*condition.data)[i] == 0) index[i] += static_cast<Int>(index.size());
  }
  op.give(op.remap({op.expand(*op.in[1], shape), op.expand(*op.in[2], shape)}, shape, index));
}

void cast(Op& op) {
  const Value& v = *op.in[0];
  const int type = static_cast<int>(std::clamp<Int>(op.integer("to", 0), 0, 99));
  if (v.is_node() || (is_float(type) && is_float(v.type))) {
    support(type == v.type, "a change of the element type of the network");
    return op.give(v);
  }
  support(type != kBool || !is_float(v.type), "a float as a truth value");
  Shape data = *v.data;
  for (Int& number : data) {
    if (is_float(v.type)) {
      const double d = std::bit_cast<double>(number);
      support(d >= -0x1p63 && d < 0x1p63 && d == std::trunc(d), "a float that is not an integer");
      number = static_cast<Int>(d);
    } else if (is_float(type)) {
      const double d = type == kFloat ? static_cast<float>(number) : static_cast<double>(number);
      support(d < 0x1p63 && static_cast<Int>(d) == number,
              "an integer that is not exact as a float");
      number = word(d);
    } else if (type == kBool) {
      number = number != 0;
    }
  }
  op.give(make_constant(type, v.shape, std::move(data)));
}

}  // namespace outward_check::onnx
