// Policies, records and the linter: texts in both directions, and every way a record can be wrong.
#include <doctest/doctest.h>

#include <algorithm>

#include "formats/error.hpp"
#include "runtime/capsules/execution.hpp"
#include "runtime/capsules/json.hpp"
#include "runtime/capsules/policy_error.hpp"
#include "test/runtime/capsules/support.hpp"

using namespace outward;
using namespace outward::testing;

namespace {

bool any_has(const std::vector<std::string>& list, const std::string& part) {
  return std::any_of(list.begin(), list.end(), [&](const std::string& s) { return s.find(part) != std::string::npos; });
}

// The messages of the refusal, "" if there is none.
template <typename F>
std::string refusal(F f) {
  try {
    f();
    return "";
  } catch (const InputRefused& e) {
    return e.what();
  }
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("policies: the text names everything and reads back") {
  for (const char* text :
       {"binary32", "binary64 reduction=sequential", "binary32 contraction=fma reduction=sequential",
        "binary32 operands=tf32 reduction=block(h100_tf32)", "binary16 accumulator=binary32 reduction=pairwise",
        "bfloat16 rounding=toward_zero", "binary32 subnormals=flush reduction=any_order",
        "binary32 reduction=implementation_defined ulp=2", "binary(5,20) reduction=any_order_any_fusion"})
    CHECK(parse_policy(text) == parse_policy(policy_text(parse_policy(text))));
  CHECK(policy_text(parse_policy("binary32 reduction=sequential contraction=fma")) ==
        "binary32 contraction=fma reduction=sequential");
  for (const char* text : {"", "binary33", "binary32 order=any", "binary32 reduction=some", "binary32 reduction=block",
                           "binary32 reduction=block(pentium)", "binary32 reduction=sequential(x)",
                           "binary32 operands=binary32", "binary32 accumulator=binary32", "binary32 contraction=fma",
                           "binary32 ulp=-1", "binary32 ulp=", "binary32  ulp=1", "binary32 ulp=1 ulp=1",
                           "binary32 subnormals=maybe", "binary32 rounding", "binary32 rounding=up2"})
    CHECK_THROWS_AS(parse_policy(text), InputRefused);
}

TEST_CASE("policies: what fp32_any and fp64_any cover") {
  for (const char* text : {"binary32", "binary64 reduction=pairwise", "binary32 contraction=fma reduction=sequential",
                           "binary32 reduction=any_order_any_fusion", "binary32 reduction=implementation_defined"})
    CHECK(covered_by_any(parse_policy(text)));
  for (const char* text :
       {"binary16", "binary32 operands=tf32 reduction=any_order", "binary32 subnormals=flush", "binary32 rounding=up",
        "binary32 reduction=block(h100_f16)", "binary32 ulp=1", "binary32 accumulator=binary64 reduction=sequential"})
    CHECK_FALSE(covered_by_any(parse_policy(text)));
}

TEST_CASE("policies: which have an error box, and which leave no choice") {
  const auto fault = [](const char* text) { return error_box_fault(parse_policy(text)); };
  for (const char* good : {"binary32", "binary64 reduction=any_order", "binary32 operands=tf32 reduction=any_order",
                           "binary32 accumulator=binary64 reduction=sequential", "binary32 reduction=block(h100_tf32)",
                           "binary32 subnormals=flush operands=binary16 reduction=any_order"})
    CHECK_MESSAGE(fault(good) == "", good);
  // The block formula is that of binary32 accumulators; a narrower accumulator loses more than the format says.
  for (const char* bad : {"binary32 accumulator=binary16 reduction=block(v100_f16)", "binary32 operands=e8m0",
                          "binary32 accumulator=binary16 reduction=sequential", "binary32 operands=e4m3fn",
                          "binary32 accumulator=bfloat16 reduction=sequential", "binary128",
                          "binary16 reduction=block(h100_f16)", "binary(8,23,flush)", "binary(8,23,saturate)"})
    CHECK_MESSAGE(fault(bad) != "", bad);
  // What is flushed is below the least normal number of the narrowest format on the way.
  CHECK(policy_error(parse_policy("binary32 subnormals=flush operands=binary16 reduction=any_order")).flushed ==
        0x1p-14);
  const auto determined = [](const char* text, const char* op) { return is_determined(parse_policy(text), op); };
  CHECK(determined("binary32", "relu"));
  CHECK(determined("binary32 reduction=sequential", "dense"));
  CHECK(determined("binary32 reduction=sequential", "bn"));
  CHECK(determined("binary32 contraction=fma reduction=sequential", "dense"));
  // A sum without an order was taken for one in the reference order.
  for (const char* op : {"dense", "conv", "reduce", "bn", "no operator"}) CHECK_FALSE(determined("binary32", op));
  CHECK_FALSE(determined("binary32 contraction=fma reduction=sequential", "bn"));
  CHECK_FALSE(determined("binary32 reduction=any_order", "dense"));
}

TEST_CASE("records: the JSON is strict") {
  CHECK(parse_json(R"({"a":[1,"x\u0041\n",true]})", "t").members[0].value.items[1].text == "xA\n");
  for (const char* text : {"", "{", "{\"a\":1,\"a\":1}", "[1,]", "{\"a\" 1}", "\"a", "\"\\q\"", "01", "-1", "1.5",
                           "1 2", "nul", "\"\x01\"", "\"\\u12\"", "{\"a\":1}}"})
    CHECK_THROWS_AS(parse_json(text, "t"), InputRefused);
  CHECK_THROWS_AS(parse_json(std::string(40, '['), "t"), InputRefused);
  CHECK(refusal([] { parse_json("{\n \"a\":?}", "file", 3); }).find("file:4:6") != std::string::npos);
}

TEST_CASE("records: a record reads back, and every change of its text is refused") {
  const std::string good = record_text(good_capsule("a.relu", "relu"));
  CHECK(record_text(parse_capsule(good, "t")) == good);
  // Tampered: provider, trust, claim, policy, device, the digest itself.
  const std::pair<const char*, const char*> changes[] = {
      {"\"provider\":\"reference\"", "\"provider\":\"fast\""},
      {"\"trust\":\"fuzzed\"", "\"trust\":\"proved\""},
      {"\"claim\":\"value_refinement\"", "\"claim\":\"shape_safety\""},
      {"\"policy\":\"binary32\"", "\"policy\":\"binary64\""},
      {"\"device\":\"cpu\"", "\"device\":\"cuda\""}};
  for (const auto& [from, to] : changes) {
    const std::string bad = replaced(good, from, to);
    CHECK(refusal([&] { parse_capsule(bad, "t"); }).find("digest") != std::string::npos);
    CHECK(refusal([&] { parse_capsule(sealed(bad), "t"); }) == "");  // somebody else's record: no longer this digest
  }
  std::string digit = good;
  digit[good.size() - 3] = digit[good.size() - 3] == '0' ? '1' : '0';
  CHECK(refusal([&] { parse_capsule(digit, "t"); }).find("digest") != std::string::npos);
  // Schema: unknown key, missing key, wrong kinds, unknown words. All of them at once.
  CHECK(refusal([&] { parse_capsule(sealed(replaced(good, "\"spec\"", "\"spek\"")), "t"); }).find("unknown key") !=
        std::string::npos);
  const std::string many = sealed(
      replaced(replaced(replaced(good, "\"forward\":true", "\"forward\":1"), "\"op\":\"relu\"", "\"op\":\"rulu\""),
               "\"device\":\"cpu\"", "\"device\":\"gpu\""));
  const std::string said = refusal([&] { parse_capsule(many, "t"); });
  for (const char* part : {"forward", "rulu", "gpu"}) CHECK(said.find(part) != std::string::npos);
  CHECK_THROWS_AS(parse_capsule(sealed(replaced(good, "\"evidence\":\"guard\"", "\"evidence\":\"faith\"")), "t"),
                  InputRefused);
  CHECK_THROWS_AS(parse_capsule(sealed(replaced(good, "\"file\":\"README.md\"", "\"file\":\"\"")), "t"), InputRefused);
  CHECK_THROWS_AS(sealed("{}"), InputRefused);
}

// A policy says of every operator how it computes. Of one without factors `operands=` says nothing that a box could
// hold.
TEST_CASE("records: only contractions have operands to round") {
  for (const char* op :
       {"dense", "conv", "reduce", "matmul", "bn", "scale", "divide", "leaky", "relu", "add", "softmax"}) {
    Capsule c = good_capsule(std::string("a.") + op, op);
    c.policy = parse_policy("binary32 operands=tf32 reduction=any_order");
    const std::string name = op;
    const bool contracts = name == "dense" || name == "conv" || name == "reduce" || name == "matmul";
    CAPTURE(name);
    CHECK((refusal([&] { parse_capsule(record_text(c), "t"); }).find("factors of contractions") == std::string::npos) ==
          contracts);
  }
}

TEST_CASE("records: those built in are right, and name files and symbols that exist") {
  const Registry& shipped = Registry::shipped();
  CHECK(shipped.capsules().size() > 150);
  const std::vector<std::string> faults = lint(shipped.capsules(), OUTWARD_SOURCE_DIR);
  for (const std::string& f : faults) MESSAGE(f);
  CHECK(faults.empty());
  for (const Capsule& c : shipped.capsules()) {
    CHECK(misalignments(c).empty());
    CHECK(shipped.counts(c));
    CHECK(record_text(c).find(c.sha256) != std::string::npos);
  }
  for (const char* provider : {"reference", "fast", "formatted", "onnxruntime", "libtorch", "cublas", "cudnn", "nvrtc"})
    CHECK(std::any_of(shipped.capsules().begin(), shipped.capsules().end(),
                      [&](const Capsule& c) { return c.provider == provider; }));
}

TEST_CASE("linter: each rule") {
  const auto faults = [](const Capsule& c) { return lint({c}, OUTWARD_SOURCE_DIR); };
  const Capsule good = good_capsule("a.relu", "relu");
  CHECK(faults(good).empty());
  Capsule c = good;
  std::swap(c.contract(Field::shape), c.contract(Field::value));  // the right claims in the wrong fields
  CHECK(any_has(faults(c), "the shape contract claims value_refinement"));
  c = good;
  c.contract(Field::value).op = "abs";
  CHECK(any_has(faults(c), "is about abs"));
  c = good;
  c.contract(Field::layout).of = "tiled";
  CHECK(any_has(faults(c), "no layout"));
  c = good;
  c.contract(Field::shape).evidence = Evidence::not_applicable;
  CHECK(any_has(faults(c), "does not apply"));
  c = good;
  c.trust = Trust::checked;  // its value contract is only fuzzed
  CHECK(any_has(faults(c), "called checked, its weakest evidence is only fuzzed"));
  c = good;
  c.contract(Field::value).evidence = Evidence::none;
  CHECK(any_has(faults(c), "no evidence"));
  c = good;
  c.contract(Field::value).cases = 0;
  CHECK(any_has(faults(c), "without a number of cases"));
  c = good;
  c.contract(Field::value).evidence = Evidence::proof;
  c.contract(Field::value).cases = 0;
  CHECK(any_has(faults(c), "no artefact has a digest"));
  c.contract(Field::value).provenance[0].sha256 = std::string(64, '0');
  CHECK(any_has(faults(c), "is not the file whose digest"));
  c = good;
  c.contract(Field::value).provenance = {{"runtime/none.cpp", "", "", ""}};
  CHECK(any_has(faults(c), "does not exist"));
  c.contract(Field::value).provenance = {{"../secret", "", "", ""}};
  CHECK(any_has(faults(c), "does not exist"));
  c.contract(Field::value).provenance = {{"runtime/cpu/reference.cpp", "run_dens", "", ""}};  // part of a longer name
  CHECK(any_has(faults(c), "does not have"));
  c.contract(Field::value).provenance.clear();
  CHECK(any_has(faults(c), "does not say where"));
  c = good;
  c.contract(Field::value) = {Claim::value_refinement, "relu", "", Evidence::boundary, 0, {{"", "", "", "manual"}}};
  c.trust = Trust::external;
  CHECK(any_has(faults(c), "the assumption has no name"));
  c = good_capsule("a.dense", "dense");
  c.policy = parse_policy("binary32");
  CHECK(any_has(faults(c), "does not say how dense sums"));
  c = good_capsule("a.tanh", "tanh");
  CHECK(any_has(faults(c), "how far off"));
  c = good_capsule("a.rand", "rand_uniform");
  CHECK(faults(c).empty());
  c.vjp = VjpMode::tape;
  c.contract(Field::vjp) = {Claim::vjp_refinement,      "rand_uniform", "tape", Evidence::test, 5,
                            {{"README.md", "", "", ""}}};
  CHECK(any_has(faults(c), "no VJP"));
  CHECK(any_has(lint({good, good}, ""), "a second record of this name"));
}

TEST_CASE("registry: duplicates are refused, replacements are for the same operator") {
  const std::string line = record_text(good_capsule("a.relu", "relu"));
  Registry r;
  r.add(line + "\n", "one");
  CHECK(refusal([&] { r.add(line + "\n", "two"); }).find("one name") != std::string::npos);
  Registry twice;
  CHECK_THROWS_AS(twice.add(line + "\n" + line + "\n", "one"), InputRefused);
  Capsule other = good_capsule("a.relu", "abs");
  CHECK_THROWS_AS(r.replace(other), InputRefused);
  Capsule stronger = good_capsule("a.relu", "relu");
  stronger.notes = "replaced";
  r.replace(resealed(stronger));
  CHECK(r.find("a.relu")->notes == "replaced");
  CHECK_FALSE(r.counts(*r.find("a.relu")));
  r.allow({r.find("a.relu")->sha256});
  CHECK(r.counts(*r.find("a.relu")));
}

TEST_CASE("one policy covers those of a plan, if a certificate can name it") {
  const Format single{8, 23, 127, Convention::ieee};
  const auto common = [&](const std::vector<std::string>& texts) -> std::string {
    std::vector<NumericalPolicy> policies;
    for (const std::string& t : texts) policies.push_back(parse_policy(t));
    const auto all = common_policy(policies, single);
    if (all) {
      for (const NumericalPolicy& p : policies) CHECK(covered_by(*all, p));
    }
    return all ? policy_text(*all) : "";
  };
  const std::string rest = " reduction=any_order_any_fusion";
  CHECK(common({"binary32", "binary32 contraction=fma reduction=sequential"}) == "binary32" + rest);
  CHECK(common({"binary32", "binary32 operands=tf32 reduction=any_order"}) == "binary32 operands=tf32" + rest);
  CHECK(common({"binary32 rounding=up", "binary32 subnormals=flush"}) ==
        "binary32 rounding=toward_zero subnormals=flush" + rest);
  CHECK(common({"binary32 operands=tf32", "binary32 operands=bfloat16"}).empty());
  CHECK(common({"binary32", "binary64"}).empty());
  CHECK(common({"binary32 operands=e5m2"}).empty());
  // Sums in binary64 rounded once more are a rounding to a neighbour; in a narrower format, or with other roundings,
  // not.
  CHECK(common({"binary32 accumulator=binary64 reduction=any_order", "binary32"}) ==
        "binary32 rounding=toward_zero" + rest);
  CHECK(common({"binary32 accumulator=binary(11,30) reduction=any_order"}) == "binary32 rounding=toward_zero" + rest);
  for (const char* none : {"binary32 accumulator=binary64 rounding=up", "binary32 accumulator=bfloat16",
                           "binary32 accumulator=binary(9,23)", "binary32 accumulator=binary(7,60)"})
    CHECK(common({std::string(none) + " reduction=any_order"}).empty());
  CHECK(common({"binary32 operands=tf32 reduction=block(h100_tf32)"}).empty());
  CHECK(common({"binary32 ulp=2"}).empty());
  const NumericalPolicy plain = parse_policy("binary32");
  for (const char* more : {"binary32 operands=tf32", "binary32 subnormals=flush", "binary32 rounding=down", "binary64"})
    CHECK_FALSE(covered_by(plain, parse_policy(more)));
  CHECK_FALSE(covered_by(parse_policy("binary32 operands=bfloat16"), parse_policy("binary32 operands=tf32")));
}
