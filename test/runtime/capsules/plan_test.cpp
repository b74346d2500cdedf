// Profiles, planner, gate and execution through a plan: every rule of the gate has a test in which it refuses.
#include <doctest/doctest.h>

#include <algorithm>

#include "formats/error.hpp"
#include "runtime/capsules/execution.hpp"
#include "runtime/capsules/kernels.hpp"
#include "runtime/cpu/reference.hpp"
#include "test/runtime/capsules/support.hpp"

using namespace outward;
using namespace outward::testing;

namespace {

// A registry of dense and relu, both on the allow-list, of which one is changed by f.
template <typename F>
Registry registry_with(F f, bool allowed = true) {
  Registry r;
  for (Capsule c : {good_capsule("a.dense", "dense"), good_capsule("a.relu", "relu")}) {
    if (c.op == "relu") f(c);
    c = resealed(c);
    r.replace(c);
    if (allowed) r.allow({c.sha256});
  }
  return r;
}

std::string plan_refusal(const Profile& profile, const Registry& registry) {
  try {
    accepted_plan(small_graph(), profile, registry);
    return "";
  } catch (const InputRefused& e) {
    return e.what();
  }
}

bool refuses(Failure failure, const Capsule& c, const Profile& profile, const Registry& registry,
             const std::string& op = "relu") {
  const std::vector<Fault> faults = faults_of(c, op, ElementType::binary32, profile, registry);
  return std::any_of(faults.begin(), faults.end(), [&](const Fault& f) { return f.failure == failure; });
}

}  // namespace

TEST_CASE("profiles: every one built in reads back; tampered ones are refused") {
  for (const Profile& p : shipped_profiles()) {
    const std::string text = profile_text(p);
    CHECK(profile_text(parse_profile(text, "t")) == text);
    CHECK(text.find(p.sha256) != std::string::npos);
    for (const auto& [from, to] :
         {std::pair<const char*, const char*>{"\"trust\":\"fuzzed\"", "\"trust\":\"external\""},
          {"\"device\":\"cpu\"", "\"device\":\"cuda\""},
          {"\"reference\"", "\"onnxruntime\""}}) {
      const std::size_t at = text.find(from);
      if (at == std::string::npos) continue;
      std::string bad = text;
      bad.replace(at, std::string(from).size(), to);
      CHECK_THROWS_AS(parse_profile(bad, "t"), InputRefused);
    }
  }
  CHECK(assurance(*find_profile("verified_cpu")) == "verified");
  CHECK(assurance(*find_profile("checked_cpu")) == "checked");
  CHECK(assurance(*find_profile("libtorch_forward_cuda")) == "external");
}

TEST_CASE("planner: what each built-in profile makes of a small network") {
  const Registry& all = Registry::shipped();
  const Plan reference = make_plan(small_graph(), *find_profile("reference_cpu"), all);
  CHECK(reference.nodes[0].capsule.name == "reference.dense.binary32");
  CHECK(reference.groups.size() == 3);
  // Preferred first, the rest from the next provider; neighbours with one capsule keep their numbers.
  const Plan checked = make_plan(small_graph(), *find_profile("checked_cpu"), all);
  CHECK(checked.nodes[0].capsule.name == "fast.dense.binary32");
  CHECK(checked.nodes[1].capsule.name == "reference.relu.binary32");
  REQUIRE(checked.groups.size() == 2);
  CHECK(checked.groups[1].nodes == std::vector<std::uint32_t>{2, 3});
  CHECK(make_plan(small_graph(), *find_profile("cublas_h100_tf32"), all).nodes[0].capsule.policy.operands.has_value());
  for (const char* none : {"checked_cuda", "verified_cpu", "training_cpu", "future_metal", "future_xla"})
    CHECK(plan_refusal(*find_profile(none), all) != "");
  // Both operators are named at once, with the reason for each candidate.
  const std::string said = plan_refusal(*find_profile("checked_cuda"), all);
  for (const char* part :
       {"operator dense", "operator relu", "on device cuda", "cublas.dense.binary32", "fuzzed or stronger"})
    CHECK(said.find(part) != std::string::npos);
  Graph wide = small_graph();
  wide.element = ElementType::binary64;
  CHECK(make_plan(wide, *find_profile("training_cpu"), all).nodes[0].capsule.name == "fast.dense.binary64");
  CHECK(make_plan(wide, *find_profile("checked_cpu"), all).nodes[0].capsule.policy.format.width() == 64);
}

TEST_CASE("gate: each rule refuses") {
  const Profile profile = good_profile();
  const auto as_is = registry_with([](Capsule&) {});
  CHECK(plan_refusal(profile, as_is) == "");
  const Capsule good = *as_is.find("a.relu");
  CHECK(faults_of(good, "relu", ElementType::binary32, profile, as_is).empty());

  CHECK(refuses(Failure::operation_mismatch, good, profile, as_is, "abs"));
  CHECK(refuses(
      Failure::format_mismatch,
      [&] {
        Capsule c = good;
        c.policy = parse_policy("binary64");
        return c;
      }(),
      profile, as_is));
  Capsule c = good;
  c.forward = false;
  CHECK(refuses(Failure::forward_unsupported, c, profile, as_is));
  c = good;
  std::swap(c.contract(Field::shape), c.contract(Field::value));
  CHECK(refuses(Failure::contracts_misaligned, c, profile, as_is));
  c = good;
  c.device = "cuda";
  CHECK(refuses(Failure::device_mismatch, c, profile, as_is));
  c = good;
  c.provider = "onnxruntime";
  CHECK(refuses(Failure::provider_rejected, c, profile, as_is));
  c = good;
  c.trust = Trust::external;
  CHECK(refuses(Failure::trust_rejected, c, profile, as_is));
  c = good;
  c.trust = Trust::proved;  // metadata alone
  CHECK(refuses(Failure::trust_beyond_evidence, c, profile, as_is));
  c = good;
  c.contract(Field::value).evidence = Evidence::none;
  CHECK(refuses(Failure::missing_evidence, c, profile, as_is));
  // Evidence that does not state what it must: a test of no cases, a proof without an artefact and a guard that is
  // nowhere passed the gate, and only the linter complained.
  for (const bool proof : {false, true}) {
    c = good;
    c.contract(Field::value).cases = 0;
    if (proof) c.contract(Field::value).evidence = Evidence::proof;
    CHECK(refuses(Failure::missing_evidence, c, profile, as_is));
    c.contract(Field::value).provenance[0].sha256 = std::string(64, '0');
    CHECK(refuses(Failure::missing_evidence, c, profile, as_is) == !proof);
  }
  c = good;
  c.contract(Field::shape).provenance.clear();
  CHECK(refuses(Failure::missing_evidence, c, profile, as_is));
  // What the linter says of a record that is shipped holds for one that is allowed: a tensor core model called fuzzed
  // and an operator that does not say how it sums passed the gate.
  for (const char* policy : {"binary32 operands=tf32 reduction=block(h100_tf32)", "binary32"}) {
    Capsule sums = good_capsule("d", "dense");
    CHECK_FALSE(refuses(Failure::record_faulty, sums, profile, as_is, "dense"));
    sums.policy = parse_policy(policy);
    CHECK(refuses(Failure::record_faulty, sums, profile, as_is, "dense"));
  }
  // Fuzz evidence: refused by a verified profile, accepted by a checked one.
  Profile verified = *find_profile("verified_cpu");
  CHECK(refuses(Failure::evidence_rejected, good, verified, as_is));
  CHECK_FALSE(refuses(Failure::evidence_rejected, good, *find_profile("checked_cpu"), as_is));
  // Training: forward-only kernels are refused, random sources are not.
  Profile training = profile;
  training.vjp = VjpMode::tape;
  CHECK(refuses(Failure::vjp_mismatch, good, training, as_is));
  CHECK_FALSE(refuses(Failure::vjp_mismatch, good_capsule("r", "rand_uniform"), training, as_is, "rand_uniform"));
  c = good;
  c.vjp = VjpMode::backend;
  CHECK_FALSE(refuses(Failure::vjp_mismatch, c, training, as_is));  // a tape may call a backend
  training.vjp = VjpMode::backend;
  c.vjp = VjpMode::tape;
  CHECK(refuses(Failure::vjp_mismatch, c, training, as_is));
  // Records that are not built in count only when their digests are on the allow-list.
  CHECK(plan_refusal(profile, registry_with([](Capsule&) {}, false)).find("allow-list") != std::string::npos);
  CHECK(refuses(Failure::record_not_allowed, good, profile, registry_with([](Capsule&) {}, false)));
  c = good;
  c.sha256 = as_is.find("a.dense")->sha256;  // the digest of another record, which is allowed
  CHECK_FALSE(refuses(Failure::record_not_allowed, c, profile, as_is));  // it is the gate that looks at the text
  Plan swapped = make_plan(small_graph(), profile, as_is);
  swapped.nodes[1].capsule = c;
  CHECK(Gate::judge(swapped, small_graph(), as_is).faults.at(0).failure == Failure::record_not_allowed);

  // The planner meets the same rules.
  CHECK(plan_refusal(profile, registry_with([](Capsule& x) { x.forward = false; })).find("forward") !=
        std::string::npos);
  CHECK(plan_refusal(profile, registry_with([](Capsule& x) { x.device = "cuda"; }))
            .find("1 capsules run on other devices") != std::string::npos);
  CHECK(plan_refusal(profile, registry_with([](Capsule& x) { x.contract(Field::value).claim = Claim::shape_safety; }))
            .find("value contract claims") != std::string::npos);
}

TEST_CASE("gate: a plan that was changed after planning is refused, and every fault is listed") {
  const Graph graph = small_graph();
  const Registry& all = Registry::shipped();
  const Plan plan = make_plan(graph, good_profile(), all);
  CHECK(Gate::judge(plan, graph, all).accepted != nullptr);
  const auto faults = [&](auto change) {
    Plan p = plan;
    change(p);
    const Gate gate = Gate::judge(p, graph, all);
    CHECK((gate.accepted == nullptr) == !gate.faults.empty());
    return gate.faults.size();
  };
  CHECK(faults([](Plan&) {}) == 0);
  CHECK(faults([](Plan& p) { p.nodes[1].capsule.trust = Trust::proved; }) >= 2);  // digest and label
  CHECK(faults([](Plan& p) { p.nodes[1].capsule.provider = "fast"; }) >= 2);
  CHECK(faults([](Plan& p) { p.nodes[1].capsule.policy.subnormals = Subnormals::flush; }) >= 1);
  CHECK(faults([](Plan& p) { p.nodes[1].capsule.sha256 = std::string(64, '0'); }) >= 1);
  CHECK(faults([](Plan& p) { p.nodes[1].capsule.sha256.clear(); }) >= 1);
  // A record that was changed was let through when its old digest stood somewhere in its text.
  CHECK(faults([](Plan& p) {
          p.nodes[1].capsule.notes = p.nodes[1].capsule.sha256;
          p.nodes[1].capsule.spec = "another page";
        }) >= 1);
  CHECK(faults([](Plan& p) { p.nodes[1].capsule.contract(Field::value).claim = Claim::shape_safety; }) >= 2);
  CHECK(faults([](Plan& p) { p.nodes[1].capsule = p.nodes[0].capsule; }) >= 1);
  CHECK(faults([](Plan& p) { p.nodes.erase(p.nodes.begin() + 1); }) >= 1);
  CHECK(faults([](Plan& p) { p.groups[0].capsule = "another"; }) >= 1);
  CHECK(faults([](Plan& p) { p.groups.pop_back(); }) >= 1);
  CHECK(faults([](Plan& p) { p.graph = std::string(64, '0'); }) >= 1);
  CHECK(faults([](Plan& p) { p.element = ElementType::binary64; }) >= 1);
  CHECK(faults([](Plan& p) { p.profile.available = false; }) >= 1);
  CHECK(faults([](Plan& p) { p.profile.trust = Trust::proved; }) >= 3);  // one for each node
  CHECK(faults([](Plan& p) { p.profile.device = "cuda"; }) >= 3);
}

TEST_CASE("gate: a record is what its line says, in whatever order it says it") {
  // RECORDS.md: its keys stand in any order. Records in another order than ours, with blanks or with a word that is the
  // default, were refused as changed.
  const std::string line = record_text(good_capsule("a.relu", "relu"));
  const std::string head = "{\"record\":\"capsule\",\"name\":\"a.relu\",";
  REQUIRE(line.rfind(head, 0) == 0);
  std::string word = line;
  word.replace(word.find("\"policy\":\"binary32\""), 19, "\"policy\":\"binary32 subnormals=gradual\"");
  for (const std::string& other :
       {"{\"name\":\"a.relu\",\"record\":\"capsule\"," + line.substr(head.size()),
        "{ \"record\":\"capsule\",\t\"name\" : \"a.relu\"," + line.substr(head.size()), word}) {
    const Capsule relu = parse_capsule(sealed(other), "test");
    CHECK(record_text(relu) == line);
    Registry r = registry_with([](Capsule&) {});
    r.replace(relu);
    CHECK(plan_refusal(good_profile(), r).find(relu.sha256) != std::string::npos);  // on no allow-list
    r.allow({relu.sha256});
    CHECK(plan_refusal(good_profile(), r) == "");
  }
}

TEST_CASE("planner: a record that the profile names is not exchanged when it is at fault") {
  // One on the allow-list whose label was stronger than its evidence was passed over, and the next kernel planned.
  Registry r = Registry::shipped();
  Profile profile = good_profile();
  profile.order = {"own.relu"};
  Capsule own = good_capsule("own.relu", "relu");
  const auto planned = [&] {
    Registry with = r;
    own = resealed(own);
    with.replace(own);
    with.allow({own.sha256});
    return plan_refusal(profile, with);
  };
  CHECK(planned() == "");
  own.trust = Trust::proved;
  CHECK(planned().find("supports only fuzzed") != std::string::npos);
  own.trust = Trust::fuzzed;
  own.contract(Field::value).cases = 0;
  CHECK(planned().find("without a number of cases") != std::string::npos);
  own.contract(Field::value).cases = 1;
  own.contract(Field::shape).claim = Claim::value_refinement;
  CHECK(planned().find("shape contract claims") != std::string::npos);
  own = good_capsule("own.relu", "relu");
  own.policy = parse_policy("binary32 ulp=2");
  CHECK(planned().find("no elementary function") != std::string::npos);
  own.policy = parse_policy("binary64");  // right as it is, for another graph
  CHECK(planned() == "");
  own = good_capsule("own.relu", "relu");
  own.forward = false;
  CHECK(planned().find("does not run forward") != std::string::npos);
}

TEST_CASE("labels: what does not count is external") {
  const Registry& all = Registry::shipped();
  CHECK(counted_trust(*all.find("reference.relu.binary32"), all) == Trust::fuzzed);
  std::string why;
  CHECK(counted_trust(good_capsule("own", "relu"), all, &why) == Trust::external);
  CHECK(why.find("allow-list") != std::string::npos);
  Capsule boast = good_capsule("own", "relu");
  boast.trust = Trust::proved;
  boast = resealed(boast);
  Registry r = all;
  r.allow({boast.sha256});
  CHECK(counted_trust(boast, r, &why) == Trust::external);
  CHECK(why.find("supports only fuzzed") != std::string::npos);
}

TEST_CASE("closure: the weakest label and who has it") {
  Capsule weak = good_capsule("weak", "relu");
  weak.trust = Trust::external;
  weak.assumption = "something";
  weak.requires_off = {"mode"};
  const Closure c = trust_closure({good_capsule("a", "relu"), weak});
  CHECK(c.weakest == Trust::external);
  CHECK(c.weakest_names == std::vector<std::string>{"weak"});
  CHECK(c.assumptions == std::vector<std::string>{"something"});
  CHECK(c.requires_off == std::vector<std::string>{"mode"});
  CHECK(trust_closure({}).weakest == Trust::proved);
}

TEST_CASE("kernels: bound by operator, provider and device; plans run through them") {
  const Graph graph = small_graph();
  const Registry& all = Registry::shipped();
  const Capsule& relu = *all.find("reference.relu.binary32");
  Kernel kernel = bind_kernel(relu);
  CHECK_NOTHROW(require_same_handler(kernel, relu));
  for (std::string Kernel::*part : {&Kernel::op, &Kernel::provider, &Kernel::device}) {
    Kernel other = kernel;
    other.*part = "other";
    CHECK_THROWS_AS(require_same_handler(other, relu), InputRefused);
  }
  CHECK_THROWS_AS(bind_kernel(*all.find("onnxruntime.relu.binary32")), InputRefused);  // not this program's
  Capsule pretender = relu;
  pretender.device = "cuda";
  CHECK_THROWS_AS(bind_kernel(pretender), InputRefused);
  for (const char* name : {"reference_cpu", "checked_cpu"}) {
    const auto plan = accepted_plan(graph, *find_profile(name), all);
    CHECK(run_plan(graph, *plan, {0.75}) == run_reference(graph, {0.75}));
    CHECK_THROWS_AS(run_plan(graph, *plan, {}), ResourceError);
  }
  const auto external = accepted_plan(graph, *find_profile("onnxruntime_cpu"), all);
  CHECK_THROWS_AS(run_plan(graph, *external, {0.75}), InputRefused);  // never replaced by another kernel
}
