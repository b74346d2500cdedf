// The command line of `check`: see options.hpp. One table of options, one line each.
#include "checker/report/options.hpp"

#include <algorithm>

namespace outward_check {

const char* const usage_text =
    "check CERTIFICATE... --model MODEL (--property P.vnnlib | --radius R ...) [options]\n"
    "  Decides whether each certificate proves what is asked. The first word printed is the verdict.\n"
    "what is asked\n"
    "  --model FILE          the ONNX model       --root DIR  or: find the certificate's files below DIR\n"
    "  --property FILE       a VNN-LIB property\n"
    "  --radius R            all inputs within R of a point, with\n"
    "    --input FILE          the point (default zero)    --label K       its label (default: executed)\n"
    "    --clip LO,HI          cut the box                 --scale S       divide by S first\n"
    "    --mean A,B,C --std A,B,C --layout nchw|nhwc       then normalise each channel\n"
    "    --output-range LO,HI | --max-deviation D          instead of a label\n"
    "    --dataset X --labels Y          points and labels instead, for a composition; with --row N for one row\n"
    "    --min-certified N               a composition that certifies fewer rows is VALID_BUT_NOT_ASKED\n"
    "  --expect holds|violated|bound   default holds; violated for a counterexample file\n"
    "  --semantics real|fp32_any|fp64_any|best   default: the float claim of the model's element type\n"
    "                        counterexample files: real|fp32_sequential|fp64_sequential|best\n"
    "  --input-shape NAME=D,D,...      dimensions the model leaves open\n"
    "  --allow NAME          accept the named assumption\n"
    "certificates of other tools (judged by the statement they contain; --root is where they may name files)\n"
    "  --slack S             accept up to this error of their own rounding; the word is then VALID(SLACK S)\n"
    "  --max-slack S         the largest tolerance that a certificate may ask for itself\n"
    "  --recompute           compute the bounds they assert from weights and data\n"
    "  --weights FILE        the weights they were made for    --network NAME=FILE  one of several networks\n"
    "  --ieee32              every number must be a binary32 number\n"
    "how\n"
    "  --shard K/N           follow only the K-th of N parts of one big proof: INCOMPLETE, with a record for --join\n"
    "  --join FILE           (of every shard) what --shard printed; if nothing is missing VALID_WITH_ASSUMPTIONS\n"
    "                        (shards-run-elsewhere)\n"
    "  --exact               exact rational arithmetic only (slow)\n"
    "  --json  --quiet  --explain      one JSON object per certificate; no reasons; more reasons\n"
    "  --sarif  --junit      reports for continuous integration (SARIF 2.1.0, JUnit XML)\n"
    "  --statement           an in-toto statement, ready to be signed; nothing unless all are VALID\n"
    "  --policy FILE         options from a file that the command line can't override (JSON: expect, semantics,\n"
    "                        allow, limit, max-slack, min-certified, exact, recompute, ieee32)\n"
    "  --limit NAME=VALUE    another limit on what is read and computed (RESOURCE_LIMIT); --limits lists them\n"
    "  --print  --parse      a readable form of a certificate, and back\n"
    "exit codes: 0 VALID, 1 INVALID, 2 INCOMPLETE, VALID_BUT_NOT_ASKED, VALID(VACUOUS) or\n"
    "  VALID_WITH_ASSUMPTIONS, 3 usage, 4 malformed or unsupported file, 5 resource limit\n";

namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::string decimal(const std::string& option, const std::string& text) {
  Fraction ignored;
  if (!parse_decimal(text, &ignored)) throw UsageError{option + ": \"" + text + "\" is not a decimal number"};
  return text;
}
Fraction not_negative(const std::string& option, const std::string& text) {
  Fraction value;
  if (!parse_decimal(text, &value) || value.sign() < 0)
    throw UsageError{option + ": \"" + text + "\" is not a decimal number of at least 0"};
  return value;
}
std::vector<std::string> decimals(const std::string& option, const std::string& text, std::size_t count) {
  std::vector<std::string> parts = split(text);
  if (count != 0 && parts.size() != count)
    throw UsageError{option + " takes " + std::to_string(count) + " numbers separated by a comma"};
  for (const std::string& part : parts) decimal(option, part);
  return parts;
}
std::uint64_t integer(const std::string& option, const std::string& text) {
  const bool digits = !text.empty() && text.size() < 10 &&
                      std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits) throw UsageError{option + ": \"" + text + "\" is not a number from 0 to 999999999"};
  return std::stoull(text);
}
std::string one_of(const std::string& option, const std::string& text, const std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end(), text) != words.end()) return text;
  std::string all;
  for (const std::string& w : words) all += (all.empty() ? "" : ", ") + w;
  throw UsageError{option + ": \"" + text + "\" is none of " + all};
}

using Value = const std::string&;
struct WithValue {
  const char* name;
  void (*store)(Options&, Value);
};
constexpr WithValue with_value[] = {
    {"--model", [](Options& o, Value v) { o.model = v; }},
    {"--property", [](Options& o, Value v) { o.property = v; }},
    {"--root", [](Options& o, Value v) { o.root = v; }},
    {"--input", [](Options& o, Value v) { o.input = v; }},
    {"--dataset", [](Options& o, Value v) { o.dataset = v; }},
    {"--labels", [](Options& o, Value v) { o.labels = v; }},
    {"--row", [](Options& o, Value v) { o.row = integer("--row", v); }},
    {"--min-certified", [](Options& o, Value v) { o.min_certified = integer("--min-certified", v); }},
    {"--radius", [](Options& o, Value v) { o.radius.radius = decimal("--radius", v); }},
    {"--label",
     [](Options& o, Value v) {
       o.radius.label = static_cast<std::uint32_t>(integer("--label", v)), o.has_label = true;
     }},
    {"--clip", [](Options& o, Value v) { o.radius.clip = decimals("--clip", v, 2); }},
    {"--scale", [](Options& o, Value v) { o.radius.scale = decimal("--scale", v); }},
    {"--mean", [](Options& o, Value v) { o.radius.mean = decimals("--mean", v, 0); }},
    {"--std", [](Options& o, Value v) { o.radius.std = decimals("--std", v, 0); }},
    {"--layout",
     [](Options& o, Value v) {
       o.radius.layout = one_of("--layout", v, {"nchw", "nhwc"});
     }},
    {"--norm", [](Options&, Value v) { one_of("--norm", v, {"inf"}); }},
    {"--output-range",
     [](Options& o, Value v) {
       o.radius.range = decimals("--output-range", v, 2), o.radius.target = "range", o.has_target = true;
     }},
    {"--max-deviation",
     [](Options& o, Value v) {
       o.radius.deviation = decimal("--max-deviation", v), o.radius.target = "deviation", o.has_target = true;
     }},
    {"--expect",
     [](Options& o, Value v) {
       one_of("--expect", v, {"holds", "violated", "bound"});
       o.expected = v == "holds" ? Claim::holds : v == "violated" ? Claim::violated : Claim::bound;
     }},
    {"--semantics",
     [](Options& o, Value v) {
       o.semantics =
           one_of("--semantics", v, {"real", "fp32_any", "fp64_any", "fp32_sequential", "fp64_sequential", "best"});
     }},
    {"--shard",
     [](Options& o, Value v) {
       const std::size_t slash = std::min(v.find('/'), v.size());
       o.shard = integer("--shard", v.substr(0, slash));
       o.shards = integer("--shard", v.substr(std::min(slash + 1, v.size())));
       if (o.shard == 0 || o.shard > o.shards) throw UsageError{"--shard takes K/N with 1 <= K <= N"};
     }},
    {"--join", [](Options& o, Value v) { o.joined.push_back(v); }},
    {"--allow", [](Options& o, Value v) { o.allowed.push_back(v); }},
    {"--limit",
     [](Options& o, Value v) {
       const std::string name = v.substr(0, v.find('=') + 1);
       for (const std::string& other : o.limits)
         if (other.starts_with(name)) throw UsageError{"--limit: " + name + " is given twice"};
       if (const std::string fault = set_limit(v); !fault.empty()) throw UsageError{"--limit " + fault};
       o.limits.push_back(v);
     }},
    {"--slack", [](Options& o, Value v) { o.foreign.slack = not_negative("--slack", v); }},
    {"--max-slack", [](Options& o, Value v) { o.foreign.max_slack = not_negative("--max-slack", v); }},
    {"--weights", [](Options& o, Value v) { o.foreign.weights = v; }},
    {"--network",
     [](Options& o, Value v) {
       const std::size_t equals = v.find('=');
       if (equals == std::string::npos || equals == 0) throw UsageError{"--network takes NAME=FILE"};
       if (!o.foreign.networks.emplace(v.substr(0, equals), v.substr(equals + 1)).second)
         throw UsageError{"--network: " + v.substr(0, equals) + " is given twice"};
     }},
    {"--input-shape",
     [](Options& o, Value v) {
       const std::size_t equals = v.rfind('=');
       if (equals == std::string::npos || equals == 0) throw UsageError{"--input-shape takes NAME=D,D,..."};
       std::vector<std::int64_t> dims;
       for (const std::string& d : split(v.substr(equals + 1)))
         dims.push_back(static_cast<std::int64_t>(integer("--input-shape", d)));
       if (!o.shapes.emplace(v.substr(0, equals), dims).second)
         throw UsageError{"--input-shape: " + v.substr(0, equals) + " is given twice"};
     }},
};
struct Flag {
  const char* name;
  bool Options::*target;
};
constexpr Flag flags[] = {{"--exact", &Options::exact},         {"--json", &Options::json},
                          {"--quiet", &Options::quiet},         {"--explain", &Options::explain},
                          {"--print", &Options::print},         {"--parse", &Options::parse},
                          {"--recompute", &Options::recompute}, {"--ieee32", &Options::ieee32},
                          {"--sarif", &Options::sarif},         {"--junit", &Options::junit},
                          {"--statement", &Options::statement}, {"--limits", &Options::list_limits},
                          {"--help", &Options::help},           {"-h", &Options::help}};

void require_consistent(const Options& o) {
  if (o.files.empty()) throw UsageError{"no certificate was named"};
  if ((o.print || o.parse) && (o.files.size() != 1 || o.print == o.parse))
    throw UsageError{"--print or --parse takes one file"};
  if (o.json + o.sarif + o.junit + o.statement + o.print + o.parse > 1)
    throw UsageError{"--json, --sarif, --junit, --statement, --print and --parse exclude each other"};
  if (!o.property.empty() && !o.radius.radius.empty()) throw UsageError{"--property and --radius exclude each other"};
  const bool radius_part = !o.input.empty() || o.has_label || o.has_target || !o.radius.clip.empty() ||
                           !o.radius.scale.empty() || !o.radius.mean.empty() || !o.radius.std.empty() ||
                           !o.radius.layout.empty();
  if (radius_part && o.radius.radius.empty()) throw UsageError{"--input, --label, --clip and the like need --radius"};
  if (o.shards > 0 && !o.joined.empty()) throw UsageError{"--shard and --join exclude each other"};
  if ((o.shards > 0 || !o.joined.empty()) && (o.files.size() != 1 || o.statement))
    throw UsageError{"--shard and --join are for one certificate, and without --statement"};
  if (o.dataset.empty() != o.labels.empty()) throw UsageError{"--dataset and --labels belong together"};
  if (!o.dataset.empty() && o.radius.radius.empty()) throw UsageError{"--dataset needs --radius"};
  if (o.min_certified && (o.dataset.empty() || o.row))
    throw UsageError{"--min-certified is about a composition: it needs --dataset, and no --row"};
  if (o.row && o.dataset.empty()) throw UsageError{"--row is a row of --dataset"};
  if (!o.dataset.empty() && (!o.input.empty() || o.has_label || o.has_target))
    throw UsageError{"--dataset excludes --input, --label, --output-range and --max-deviation"};
  const int targets = o.has_label + !o.radius.range.empty() + !o.radius.deviation.empty();
  if (targets > 1) throw UsageError{"--label, --output-range and --max-deviation exclude each other"};
}

// A policy file as arguments: {"expect":"holds","allow":["asserted-bounds"],"exact":true,...}.
std::vector<std::string> policy_arguments(const std::string& path) {
  std::vector<std::string> out;
  try {
    const Bytes bytes = read_file(path);
    const JsonText policy = parse_json_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    require_keys(
        policy, {},
        {"expect", "semantics", "allow", "limit", "max-slack", "min-certified", "exact", "recompute", "ieee32"});
    for (std::size_t i = 0; i < policy.keys.size(); ++i) {
      const std::string name = "--" + policy.keys[i];
      const JsonText& value = policy.items[i];
      const bool is_flag = name == "--exact" || name == "--recompute" || name == "--ieee32";
      if (name == "--allow" || name == "--limit") {
        for (const JsonText& item : list_of(value, JsonKind::string)) out.insert(out.end(), {name, item.text});
      } else if (is_flag) {
        if (member(policy, policy.keys[i], JsonKind::boolean).truth) out.push_back(name);
      } else {
        out.insert(out.end(), {name, member(policy, policy.keys[i], JsonKind::string).text});
      }
    }
  } catch (const ReadError& e) {
    throw UsageError{"--policy " + path + ": " + e.what()};
  }
  return out;
}

// The arguments with those of the policy first, so that giving one again is giving it twice.
std::vector<std::string> with_policy(const std::vector<std::string>& given) {
  std::vector<std::string> out, rest;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const bool joined = given[i].starts_with("--policy=");
    if (!joined && given[i] != "--policy") {
      rest.push_back(given[i]);
      continue;
    }
    if (!out.empty()) throw UsageError{"--policy is given twice"};
    if (!joined && i + 1 == given.size()) throw UsageError{"--policy needs a value"};
    out = policy_arguments(joined ? given[i].substr(9) : given[++i]);
  }
  out.insert(out.end(), rest.begin(), rest.end());
  return out;
}

}  // namespace

Options parse_options(const std::vector<std::string>& given) {
  Options options;
  const std::vector<std::string> arguments = with_policy(given);
  std::vector<std::string> seen;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string name = arguments[i];
    if (name.size() < 2 || name[0] != '-') {
      options.files.push_back(name);
      continue;
    }
    std::optional<std::string> value;
    if (const std::size_t equals = name.find('='); name.starts_with("--") && equals != std::string::npos) {
      value = name.substr(equals + 1), name.resize(equals);
    }
    const auto flag = std::find_if(std::begin(flags), std::end(flags), [&](const Flag& f) { return name == f.name; });
    options.asked.push_back(arguments[i]);
    if (flag != std::end(flags) && !value) {
      options.*(flag->target) = true;
      continue;
    }
    const auto option =
        std::find_if(std::begin(with_value), std::end(with_value), [&](const WithValue& w) { return name == w.name; });
    if (option == std::end(with_value)) throw UsageError{"unknown option " + arguments[i]};
    if (!value && i + 1 == arguments.size()) throw UsageError{name + " needs a value"};
    if (!value) options.asked.push_back(*(value = arguments[++i]));
    const bool repeatable =
        name == "--allow" || name == "--join" || name == "--limit" || name == "--input-shape" || name == "--network";
    if (!repeatable && std::find(seen.begin(), seen.end(), name) != seen.end())
      throw UsageError{name + " is given twice"};
    seen.push_back(name);
    option->store(options, *value);
  }
  if (!options.help && !options.list_limits) require_consistent(options);
  options.foreign.root = options.root, options.foreign.model = options.model;
  options.foreign.recompute = options.recompute, options.foreign.ieee32 = options.ieee32;
  return options;
}

}  // namespace outward_check
