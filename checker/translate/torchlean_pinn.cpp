// PINN certificates: {model, pinn, residual_bounds, residual_bounds_deriv, u_bounds}, intervals of a tanh network u of
// one input around sample points x: u over the inputs within eps of x - h, x and x + h, the central difference
// (u(x-h) - 2 u(x) + u(x+h))/h^2, and the PDE expression of u, u', u''.
// Predicate of the format: every end equals the one recomputed here, for the model in the file, up to 1e-5. That is a
// comparison, not a proof of containment; what is missing for that is said. --max-slack lowers the 1e-5.
#include <algorithm>

#include "checker/readers/json.hpp"
#include "checker/translate/expressions.hpp"
#include "checker/translate/scalar_network.hpp"
#include "checker/translate/torchlean_kinds.hpp"

namespace outward_check {

using namespace torchlean;

namespace {

constexpr std::uint64_t pinn_bits = 128;

ScalarNetwork read_model_of(const JsonText& model) {
  require_keys(model, {"arch", "activations", "weights"});
  const JsonText &arch = *model.find("arch"), &weights = *model.find("weights");
  if (!arch.is(JsonKind::list) || arch.items.size() != 4) malformed(arch, "expected four layer sizes");
  std::size_t sizes[4];
  for (std::size_t k = 0; k < 4; ++k) sizes[k] = natural(arch.items[k], 1);
  if (sizes[0] != 1 || sizes[3] != 1) refuse_unsupported("a model that has not one input and one output");
  const std::vector<JsonText>& activations = list_of(*model.find("activations"), JsonKind::string);
  if (activations.size() != 2) malformed(*model.find("activations"), "expected two activations");
  for (const JsonText& a : activations)
    if (a.text != "tanh") refuse_unsupported("the activation " + json_string(a.text) + "; this kind has tanh");
  require_keys(weights, {"W1", "b1", "Wm", "bm", "W2", "b2"});
  ScalarNetwork net;
  constexpr const char* names[3][2] = {{"W1", "b1"}, {"Wm", "bm"}, {"W2", "b2"}};
  for (std::size_t k = 0; k < 3; ++k)
    net.layers.push_back({matrix(*weights.find(names[k][0]), sizes[k + 1], sizes[k]),
                          numbers(*weights.find(names[k][1]), sizes[k + 1])});
  return net;
}

Enclosure read_interval(const JsonText& text) {
  require_keys(text, {"lo", "hi"});
  return {float_number(*text.find("lo")), float_number(*text.find("hi"))};
}

// Compares ends, and keeps what a containment would need.
class Matching {
 public:
  Matching(Ruling* ruling, const Fraction& tolerance) : ruling_(*ruling), tolerance_(tolerance) {}
  void compare(const Enclosure& claimed, const Enclosure& computed, const std::string& what) {
    ruling_.require(claimed.lo <= claimed.hi, what + " is empty: lo > hi");
    end(claimed.lo, computed.lo, claimed.lo - computed.lo, "lo of " + what);
    end(claimed.hi, computed.hi, computed.hi - claimed.hi, "hi of " + what);
  }
  std::string missing() const {
    return "that the intervals contain the true values: " + counted(inside_, "end") + " of " + std::to_string(ends_) +
           " lie inside the recomputed interval, by at most " + about(deepest_) + ", and outward ends are not tight";
  }

 private:
  Ruling& ruling_;
  const Fraction tolerance_;
  std::size_t ends_ = 0, inside_ = 0;
  Fraction deepest_;

  void end(const Fraction& claimed, const Fraction& computed, const Fraction& inward, const std::string& what) {
    const Fraction off = claimed < computed ? computed - claimed : claimed - computed;
    ruling_.require(off <= tolerance_, what + " is " + about(claimed) + ", recomputed is " + about(computed));
    ++ends_, inside_ += inward.sign() > 0;
    deepest_ = std::max(deepest_, inward);
  }
};

struct Question {
  Fraction h, eps;
  Vector points;
};

Question read_question(const JsonText& pinn, Ruling* ruling) {
  Question q;
  const Vector domain = numbers(*pinn.find("domain"), 2);
  q.h = float_number(*pinn.find("h")), q.eps = float_number(*pinn.find("eps"));
  if (q.h.sign() <= 0) malformed(*pinn.find("h"), "the step h must be above 0");
  q.points = numbers(*pinn.find("points"), any_size);
  ruling->require(q.eps.sign() >= 0, "eps is negative");
  for (const Fraction& x : q.points)
    ruling->require(domain[0] <= x && x <= domain[1], "the point " + about(x) + " is outside the domain");
  return q;
}

}  // namespace

bool is_pinn(const JsonText& document) {
  return document.find("pinn") != nullptr || document.find("u_bounds") != nullptr;
}

Judgement judge_pinn(const JsonText& document, const ForeignOptions& options) {
  require_keys(document, {"model", "pinn", "residual_bounds", "residual_bounds_deriv", "u_bounds"});
  const ScalarNetwork net = read_model_of(*document.find("model"));
  const JsonText& pinn = *document.find("pinn");
  require_keys(pinn, {"pde", "domain", "h", "eps", "points"});
  const JsonText& pde = member(pinn, "pde", JsonKind::string);
  const Expression residual(pde, {{{"u", 0}, {"ux", 1}, {"u_x", 1}, {"uxx", 2}, {"u_xx", 2}}, false, false});
  Ruling ruling(document, options);
  const Question q = read_question(pinn, &ruling);
  for (const char* key : {"residual_bounds", "residual_bounds_deriv"}) require_keys(*document.find(key), {"lo", "hi"});
  const Region differences = bounds_of(*document.find("residual_bounds"), q.points.size());
  const Region residuals = bounds_of(*document.find("residual_bounds_deriv"), q.points.size());
  const std::vector<JsonText>& values = list_of(*document.find("u_bounds"), JsonKind::object);
  if (values.size() != q.points.size())
    malformed(*document.find("u_bounds"), "expected one entry for each of " + counted(q.points.size(), "point"));

  Fraction tolerance(BigInt(1), BigInt::power_of_ten(5));
  if (options.max_slack) tolerance = std::min(tolerance, *options.max_slack);
  Matching matching(&ruling, tolerance);
  Effort effort;
  for (std::size_t i = 0; i < q.points.size(); ++i) {
    const JsonText& text = values[i];
    require_keys(text, {"x", "u_minus", "u", "u_plus"});
    const std::string at = " at point " + std::to_string(i);
    ruling.require(float_number(*text.find("x")) == q.points[i], "the entry" + at + " is for another x");
    effort.spend(3 * jet_cost(net));
    const auto around = [&](const Fraction& x) { return jet_over(net, {x - q.eps, x + q.eps}, pinn_bits); };
    const Jet low = around(q.points[i] - q.h), mid = around(q.points[i]), high = around(q.points[i] + q.h);
    matching.compare(read_interval(*text.find("u_minus")), low.value, "u(x-h)" + at);
    matching.compare(read_interval(*text.find("u")), mid.value, "u(x)" + at);
    matching.compare(read_interval(*text.find("u_plus")), high.value, "u(x+h)" + at);
    const Enclosure twice = product(point(Fraction(-2)), mid.value), square = point(Fraction(1) / (q.h * q.h));
    matching.compare({differences.lo[i], differences.hi[i]}, product(sum(sum(low.value, twice), high.value), square),
                     "the difference" + at);
    const std::optional<Enclosure> r = residual.over({mid.value, mid.slope, mid.curve}, pinn_bits);
    matching.compare({residuals.lo[i], residuals.hi[i]}, *r, "the residual" + at);  // no division: always there
  }
  ruling.judgement.statement = "intervals of u, its central difference and the residual " + quoted(pde) +
                               " of the model in the file, within " + about(q.eps) + " of " +
                               counted(q.points.size(), "point");
  ruling.judgement.established = {"every end equals the recomputed interval bound up to " + about(tolerance) +
                                  ", the tolerance of the format"};
  ruling.judgement.not_established = {matching.missing(), "anything about inputs further from the points",
                                      "that a small residual means a small error of the solution"};
  return ruling.finish();
}

}  // namespace outward_check
