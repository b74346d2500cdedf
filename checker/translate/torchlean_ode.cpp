// ODE certificates: {rhs, segments, settings?}, enclosures of the solution of u' = f(t, u) between two networks.
// Claims that the solution through any initial value of the first segment stays between the lower and upper network of
// every segment. Predicate, per segment [t0, t1], on a bisection of it: lower(t0) <= init.lo, init.hi <= upper(t0),
// lower <= upper, lower' <= f(t, lower), f(t, upper) <= upper', f defined between them; and segments follow each other
// without gap, each next initial interval containing what the segment before leaves. By the comparison theorem that
// encloses the solution. Enclosures are 2^-64 wide; inequalities with equality hold where the values are exact.
#include <algorithm>

#include "checker/readers/json.hpp"
#include "checker/translate/expressions.hpp"
#include "checker/translate/scalar_network.hpp"
#include "checker/translate/torchlean_kinds.hpp"

namespace outward_check {

using namespace torchlean;

namespace {

constexpr std::uint64_t ode_bits = 64;
constexpr std::size_t deepest = 18;
constexpr std::size_t most_pieces = 4096;

struct Settings {
  std::size_t depth = deepest;
  Fraction width = binary64_nearest(Fraction(BigInt(1), BigInt(1000))), slack;
};

struct Segment {
  Fraction t0, t1;
  Enclosure initial;
  ScalarNetwork lower, upper;
  std::string name;
};

Settings read_settings(const JsonText& document) {
  Settings out;
  const JsonText* text = document.find("settings");
  if (text == nullptr) return out;
  require_keys(*text, {}, {"maxDepth", "minWidth", "slack", "verbose", "modelBackend", "scalar"});
  const auto one_of = [&](const char* key, const std::vector<std::string>& known) {
    if (text->find(key) == nullptr) return;
    const std::string& value = member(*text, key, JsonKind::string).text;
    if (std::find(known.begin(), known.end(), value) == known.end())
      refuse_unsupported(std::string("settings.") + key + " " + json_string(value) + " is not known");
  };
  one_of("modelBackend", {"direct", "torchlean"}), one_of("scalar", {"float", "ieee32exec"});
  if (text->find("verbose") != nullptr) member(*text, "verbose", JsonKind::boolean);
  if (text->find("maxDepth") != nullptr) out.depth = std::min(deepest, natural(*text->find("maxDepth")));
  if (text->find("minWidth") != nullptr) out.width = float_number(*text->find("minWidth"));
  if (text->find("slack") != nullptr) out.slack = float_number(*text->find("slack"));
  return out;
}

ScalarNetwork read_weights(const ForeignOptions& options, const JsonText& path, std::string* found) {
  const std::string text = read_named_file(options, path, found);
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string::npos) malformed(path, "the file " + *found + " is empty");
  return read_scalar_network(parse_json_text(text));
}

Segment read_segment(const JsonText& text, const ForeignOptions& options, std::size_t place, std::string* files) {
  require_keys(text, {"t0", "t1", "init", "lowerWeights", "upperWeights"});
  Segment out;
  out.name = "segment " + std::to_string(place);
  out.t0 = float_number(*text.find("t0")), out.t1 = float_number(*text.find("t1"));
  const JsonText& initial = *text.find("init");
  if (initial.is(JsonKind::object)) {
    require_keys(initial, {"lo", "hi"});
    out.initial = {float_number(*initial.find("lo")), float_number(*initial.find("hi"))};
  } else {
    out.initial = point(float_number(initial));
  }
  std::string lower, upper;
  out.lower = read_weights(options, member(text, "lowerWeights", JsonKind::string), &lower);
  out.upper = read_weights(options, member(text, "upperWeights", JsonKind::string), &upper);
  *files += (place == 0 ? "" : "; ") + lower + " and " + upper;
  return out;
}

// The first condition that this piece of time does not show; "" when all hold.
std::string unproved(const Expression& rhs, const Segment& segment, const Enclosure& time, const Fraction& slack) {
  const Jet low = centred_jet_over(segment.lower, time, ode_bits),
            high = centred_jet_over(segment.upper, time, ode_bits);
  const Jet gap{sum(high.value, negated(low.value)), {}, {}};
  if (gap.value.lo < -slack) return "lower <= upper";
  const std::optional<Enclosure> below = rhs.over({time, low.value}, ode_bits),
                                 above = rhs.over({time, high.value}, ode_bits);
  if (!below || !above || !rhs.over({time, hull(low.value, high.value)}, ode_bits)) return "f is defined there";
  if (below->lo - low.slope.hi < -slack) return "lower' <= f(t, lower)";
  if (high.slope.lo - above->hi < -slack) return "f(t, upper) <= upper'";
  return "";
}

void check_segment(const Expression& rhs, const Segment& segment, const Settings& settings, const Fraction& slack,
                   Ruling* ruling) {
  const Jet low = jet_over(segment.lower, point(segment.t0), ode_bits),
            high = jet_over(segment.upper, point(segment.t0), ode_bits);
  ruling->require(low.value.hi <= segment.initial.lo, segment.name + ": lower(t0) <= init.lo is not shown");
  ruling->require(high.value.lo >= segment.initial.hi, segment.name + ": init.hi <= upper(t0) is not shown");
  struct Piece {
    Enclosure time;
    std::size_t depth;
  };
  Effort effort;
  std::vector<Piece> open = {{{segment.t0, segment.t1}, 0}};
  for (std::size_t pieces = 0; ruling->good() && !open.empty(); ++pieces) {
    const Piece piece = open.back();
    open.pop_back();
    effort.spend(2 * (jet_cost(segment.lower) + jet_cost(segment.upper)));
    const std::string fault = unproved(rhs, segment, piece.time, slack);
    if (fault.empty()) continue;
    const Fraction width = piece.time.hi - piece.time.lo, middle = piece.time.lo + width / Fraction(2);
    const bool last = piece.depth >= settings.depth || width <= settings.width || pieces >= most_pieces;
    ruling->require(!last, segment.name + ": " + fault + " is not shown on [" + about(piece.time.lo) + ", " +
                               about(piece.time.hi) + "]");
    open.push_back({{middle, piece.time.hi}, piece.depth + 1}),
        open.push_back({{piece.time.lo, middle}, piece.depth + 1});
  }
}

// Segments follow each other; each takes over what the one before leaves.
void check_links(const std::vector<Segment>& segments, Ruling* ruling) {
  for (std::size_t k = 0; k < segments.size(); ++k) {
    const Segment& s = segments[k];
    ruling->require(s.t0 < s.t1, s.name + ": t1 is not after t0");
    ruling->require(s.initial.lo <= s.initial.hi, s.name + ": the initial interval is empty");
    if (k == 0) continue;
    const Segment& before = segments[k - 1];
    ruling->require(before.t1 == s.t0, s.name + " does not begin where the one before ends: (" + about(before.t1) +
                                           ", " + about(s.t0) + ") is not covered");
    const Enclosure low = jet_over(before.lower, point(before.t1), ode_bits).value;
    const Enclosure high = jet_over(before.upper, point(before.t1), ode_bits).value;
    ruling->require(s.initial.lo <= low.lo && high.hi <= s.initial.hi,
                    s.name + ": init does not contain what the segment before leaves");
  }
}

}  // namespace

bool is_ode(const JsonText& document) {
  return document.find("rhs") != nullptr && document.find("segments") != nullptr;
}

Judgement judge_ode(const JsonText& document, const ForeignOptions& options) {
  require_keys(document, {"rhs", "segments"}, {"settings"});
  const JsonText& text = member(document, "rhs", JsonKind::string);
  const Expression rhs(text, {{{"t", 0}, {"u", 1}}, true, true});
  const Settings settings = read_settings(document);
  std::string files;
  std::vector<Segment> segments;
  for (const JsonText& segment : list_of(*document.find("segments"), JsonKind::object))
    segments.push_back(read_segment(segment, options, segments.size(), &files));
  if (segments.empty()) malformed(*document.find("segments"), "no segments");

  Ruling ruling(document, options);
  const Segment &first = segments[0], &last = segments.back();
  ruling.judgement.statement = "every solution of u' = " + quoted(text) + " with u(" + digits(first.t0) + ") in [" +
                               digits(first.initial.lo) + ", " + digits(first.initial.hi) + "] stays on [" +
                               digits(first.t0) + ", " + digits(last.t1) +
                               "] between the lower and upper networks of its segments";
  const bool is_slack = settings.slack.sign() > 0;
  ruling.judgement.established = {
      std::string("the inequalities of lower and upper solutions on all of the interval, over the real numbers") +
          (is_slack ? ", up to the slack of the file" : ""),
      "networks read from " + files.substr(0, 300)};
  ruling.judgement.not_established = {
      "the comparison theorem, which turns them into the statement, is not checked here"};
  ruling.require(settings.slack.sign() >= 0, "the slack is negative");
  ruling.require(
      settings.slack <= options.max_slack.value_or(Fraction()),
      "the file asks for a slack of " + about(settings.slack) + ", which can hide a false inequality (--max-slack)");
  check_links(segments, &ruling);
  for (const Segment& segment : segments)
    if (ruling.good()) check_segment(rhs, segment, settings, settings.slack, &ruling);
  if (is_slack)
    ruling.judgement.not_established.push_back("the inequalities without the slack of the file: up to " +
                                               about(settings.slack) + " they may fail, and then nothing follows");
  return ruling.finish();
}

}  // namespace outward_check
