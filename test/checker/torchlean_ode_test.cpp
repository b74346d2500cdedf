// ODE certificates: lower and upper solutions, segments, expressions, files that they name.
#include "test/checker/torchlean_tools.hpp"

using namespace torchlean_tools;

namespace {

// f(t, u) = -u: e^-t from 1. Lower 1 - t is a solution's lower bound on [0, 1/2], upper is the constant 1.
const std::string line = R"({"meta": {"activation": "relu"}, "layers.0.weight": [[-1]], "layers.0.bias": [1]})";
const std::string one = R"({"meta": {"activation": "tanh"}, "layers.0.weight": [[0.0]], "layers.0.bias": [1.0]})";
const std::string bent = R"({"params": {"layers.0.weight": [[1], [-0.5]], "layers.0.bias": [0, 0.25],
  "layers.1.weight": [[0.25, -0.25]], "layers.1.bias": [-0.25]}, "meta": {"activation": "tanh"}})";

const std::string decay = R"({"rhs": "-u", "segments": [{"t0": 0, "t1": 0.5, "init": {"lo": 1, "hi": 1},
  "lowerWeights": "NN/nets/line.json", "upperWeights": "nets/one.json"}],
  "settings": {"maxDepth": 8, "minWidth": 0.001, "slack": 0.0, "verbose": false, "modelBackend": "direct",
      "scalar": "float"}})";

struct Nets {
  Folder folder;
  ForeignOptions options;
  Nets() {
    folder.write("nets/line.json", line);
    folder.write("nets/one.json", one);
    folder.write("nets/bent.json", bent);
    folder.write("nets/unknown.json", with(one, "tanh", "gelu"));
    folder.write("nets/two.json", with(one, "[[0.0]]", "[[0.0, 1]]"));
    folder.write("nets/extra.json", with(one, "\"meta\"", "\"note\": 1, \"meta\""));
    options.root = folder.path();
  }
};

}  // namespace

TEST_CASE("ODE certificate: inequalities, segments and settings") {
  const Nets nets;
  CHECK(verdict(decay) == "malformed");  // no root
  CHECK(verdict(decay, nets.options) == "accept");
  const Change changes[] = {
      {R"x("rhs": "-u")x", R"x("rhs": "-u + 0*t")x", "accept"},
      {R"x("rhs": "-u")x", R"x("rhs": "-1.0000001*u")x", "reject"},  // equality at t = 0, then lower' > f
      {R"x("rhs": "-u")x", R"x("rhs": "0.001")x", "reject"},         // upper' = 0 < f
      {R"x("rhs": "-u")x", R"x("rhs": "-u^1*sin(1)^0")x", "accept"},
      {R"x("rhs": "-u")x", R"x("rhs": "-log(u) - u")x", "accept"},
      {R"x("rhs": "-u")x", R"x("rhs": "-u/(t - 0.25)")x", "reject"},  // not defined inside
      {R"x("rhs": "-u")x", R"x("rhs": "-u*exp(-t)*cos(pi/4)")x", "accept"},
      {R"x("rhs": "-u")x", R"x("rhs": "-u*(1")x", "malformed"},
      {R"x("rhs": "-u")x", R"x("rhs": "-u)")x", "malformed"},
      {R"x("rhs": "-u")x", R"x("rhs": "")x", "malformed"},
      {R"x("rhs": "-u")x", R"x("rhs": "-u*1.2.3")x", "malformed"},
      {R"x("rhs": "-u")x", R"x("rhs": "-u^-1")x", "malformed"},
      {R"x("rhs": "-u")x", R"x("rhs": "-u u")x", "malformed"},
      {R"x("rhs": "-u")x", R"x("rhs": "-v")x", "unsupported"},
      {R"x("rhs": "-u")x", R"x("rhs": "-tan(u)")x", "unsupported"},
      {R"x("rhs": "-u")x", R"x("rhs": "-u^1000")x", "unsupported"},
      {R"("hi": 1})", R"("hi": 1.0000000000000002})", "reject"},
      {R"("lo": 1,)", R"("lo": 0.9999999999999999,)", "reject"},
      {R"("hi": 1})", R"("hi": 0.5})", "reject"},
      {R"({"lo": 1, "hi": 1})", "1", "accept"},
      {R"("t1": 0.5)", R"("t1": 0)", "reject"},
      {R"("t1": 0.5)", R"("t1": -1)", "reject"},
      {R"("t1": 0.5)", R"("t1": "NaN")", "malformed"},
      {R"("slack": 0.0)", R"("slack": 0.5)", "reject"},
      {R"("slack": 0.0)", R"("slack": -0.5)", "reject"},
      {R"("direct")", R"("cuda")", "unsupported"},
      {R"("verbose": false)", R"("verbose": 0)", "malformed"},
      {R"("verbose": false)", R"("trace": false)", "malformed"},
      {R"(NN/nets/line.json)", R"(NN/nets/none.json)", "malformed"},
      {R"(NN/nets/line.json)", R"(NN/../nets/line.json)", "malformed"},
      {R"(NN/nets/line.json)", R"(/nets/line.json)", "malformed"},
      {R"(NN/nets/line.json)", R"(nets/unknown.json)", "unsupported"},
      {R"(NN/nets/line.json)", R"(nets/two.json)", "malformed"},
      {R"(NN/nets/line.json)", R"(nets/extra.json)", "malformed"},
      {R"("lowerWeights": "NN/nets/line.json", "upperWeights": "nets/one.json")",
       R"("lowerWeights": "nets/one.json", "upperWeights": "nets/line.json")", "reject"},
  };
  check_changes(decay, changes, nets.options);
  ForeignOptions loose = nets.options;
  loose.max_slack = Fraction(1);
  CHECK(verdict(with(decay, R"("slack": 0.0)", R"("slack": 0.5)"), loose) == "accept");
}

// The printed statement once left out the initial values, so that it was false of all other solutions, and cut the
// right-hand side after 80 characters without a mark.
TEST_CASE("ODE certificate: the statement names the whole right-hand side and the initial values") {
  const Nets nets;
  const auto statement = [&](const std::string& text) {
    const JsonText document = parse_json_text(text);
    return foreign_kind(document)->judge(document, nets.options).statement;
  };
  CHECK(statement(decay) ==
        "every solution of u' = -u with u(0) in [1, 1] stays on [0, 0.5] between the lower and "
        "upper networks of its segments");
  CHECK(statement(with(decay, R"("hi": 1})", R"("hi": 1.0000000000000002})")).find("in [1, 1.0000000000000002]") !=
        std::string::npos);
  std::string longer = "-u";
  for (int i = 0; i < 40; ++i) longer += " + 0*t";
  CHECK(statement(with(decay, R"(-u)", longer.substr(0, 188))).find("+ 0*t with u(0)") != std::string::npos);
  CHECK(statement(with(decay, R"(-u)", longer)).find("... with u(0)") != std::string::npos);
}

TEST_CASE("ODE certificate: segments must follow each other and hand over") {
  const Nets nets;
  const auto two = [](const std::string& t0, const std::string& init) {
    return R"({"rhs": "0", "segments": [{"t0": 0, "t1": 1, "init": 1, "lowerWeights": "nets/one.json",
      "upperWeights": "nets/one.json"},
      {"t0": )" +
           t0 + R"(, "t1": 2, "init": )" + init + R"(, "lowerWeights": "nets/one.json",
      "upperWeights": "nets/one.json"}]})";
  };
  CHECK(verdict(two("1", "1"), nets.options) == "accept");
  CHECK(verdict(two("1.0000000000000002", "1"), nets.options) == "reject");
  CHECK(verdict(two("0.5", "1"), nets.options) == "reject");
  CHECK(verdict(two("1", R"({"lo": 1.5, "hi": 2})"), nets.options) == "reject");
  CHECK(verdict(R"({"rhs": "0", "segments": []})", nets.options) == "malformed");
}

TEST_CASE("ODE certificate: smooth networks need bisection, and false ones fail") {
  const Nets nets;
  // lower = (tanh(t) + tanh(t/2 - 1/4))/4 - 1/4 has slope at most 0.375 and starts near -0.31.
  const std::string text = R"({"rhs": "0.376", "segments": [{"t0": 0, "t1": 4, "init": 0,
    "lowerWeights": "nets/bent.json", "upperWeights": "nets/steep.json"}]})";
  nets.folder.write("nets/steep.json", with(line, "[[-1]]", "[[0.5]]"));
  CHECK(verdict(text, nets.options) == "accept");
  CHECK(verdict(with(text, "0.376", "0.36"), nets.options) == "reject");
}
