// piecewise_poly_v0: a piecewise polynomial in exact rationals (strings "n" or "n/d").
// Claims that it takes the values ys at the knots xs. Predicate: knots increase, piece i reaches from knot i to knot
// i + 1, and with t = x - xs[i] it has p_i(0) = ys[i] and p_i(xs[i+1] - xs[i]) = ys[i+1] exactly. With --ieee32 all
// numbers must be binary32 numbers and both values must come out of binary32 arithmetic (Horner's scheme) as well.
#include "checker/kernel/number.hpp"
#include "checker/translate/torchlean.hpp"
#include "checker/translate/torchlean_kinds.hpp"

namespace outward_check {

using namespace torchlean;

namespace {

Fraction horner(const Vector& coefficients, const Fraction& t, Effort* effort) {
  Fraction value;
  for (std::size_t k = coefficients.size(); k-- > 0;)
    value = effort->reduced(effort->sum(effort->product(value, t), coefficients[k]));
  return value;
}

// The same in binary32, every operation rounded to nearest; REQUIRES numbers of that type. False if not the value
// asked.
bool replays(const Vector& coefficients, const Fraction& from, const Fraction& to, const Fraction& asked) {
  using Single = Nearest<float>;
  const Single t = add_up(Single(to.double_up()), -Single(from.double_up()));
  Single value(0.0);
  for (std::size_t k = coefficients.size(); k-- > 0;)
    value = add_up(mul_up(value, t), Single(coefficients[k].double_up()));
  return !is_infinite(value) && exactly(value) == asked;
}

}  // namespace

bool is_spline(const JsonText& document) {
  return has_format(document, "piecewise_poly") || document.find("pieces") != nullptr;
}

Judgement judge_spline(const JsonText& document, const ForeignOptions& options) {
  require_format(document, {"piecewise_poly_v0"});
  require_keys(document, {"format", "degree", "xs", "ys", "pieces"});
  const std::size_t degree = natural(*document.find("degree"));
  const Vector xs = numbers(*document.find("xs"), any_size, rational_string);
  if (xs.size() < 2) malformed(*document.find("xs"), "expected at least two knots");
  const Vector ys = numbers(*document.find("ys"), xs.size(), rational_string);
  const std::vector<JsonText>& pieces = list_of(*document.find("pieces"), JsonKind::object);
  if (pieces.size() != xs.size() - 1)
    malformed(*document.find("pieces"), "expected " + counted(xs.size() - 1, "piece"));

  Ruling ruling(document, options);
  ruling.judgement.statement = "the piecewise polynomial of degree " + std::to_string(degree) +
                               " takes its values at " + counted(xs.size(), "knot");
  ruling.judgement.established = {"the statement, exactly, and that the pieces meet"};
  ruling.judgement.not_established = {"anything about its values between the knots"};
  for (std::size_t i = 0; i + 1 < xs.size(); ++i)
    ruling.require(xs[i] < xs[i + 1], "knot " + std::to_string(i + 1) + " is not greater than the one before");
  Effort effort;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    require_keys(pieces[i], {"lo", "hi", "coeffs"});
    const std::string piece = "piece " + std::to_string(i);
    const Fraction lo = rational_string(*pieces[i].find("lo")), hi = rational_string(*pieces[i].find("hi"));
    const Vector coefficients = numbers(*pieces[i].find("coeffs"), degree + 1, rational_string);
    ruling.require(lo == xs[i] && hi == xs[i + 1], piece + " does not reach from knot to knot");
    ruling.require(coefficients[0] == ys[i], piece + " misses the value at its left knot");
    ruling.require(horner(coefficients, xs[i + 1] - xs[i], &effort) == ys[i + 1],
                   piece + " misses the value at its right knot");
    if (!options.ieee32 || !ruling.good()) continue;
    ruling.require(replays(coefficients, lo, hi, ys[i + 1]), piece + " misses its right value in binary32 arithmetic");
  }
  if (options.ieee32) ruling.judgement.established.push_back("the same in binary32 arithmetic (Horner's scheme)");
  return ruling.finish();
}

}  // namespace outward_check
