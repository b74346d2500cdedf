// The command line of `check`: see options.hpp. One table of options, one line each.
#include "checker/report/options.hpp"

#include <algorithm>
#include <fstream>
#include <functional>

#include "checker/readers/readers.hpp"
#include "checker/report/assumptions.hpp"
#include "checker/report/capsules.hpp"
#include "checker/report/policy.hpp"

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
    "  --expect holds|violated|bound   default holds, but a counterexample file is asked whether it shows violated:\n"
    "                        without --expect it is VALID (exit code 0) if it does. CI jobs give --expect or --policy\n"
    "  --semantics real|fp32_any|fp64_any|capsule|best   default: the float claim of the model's element type;\n"
    "                        of another tool's certificate what it states, which is over the reals\n"
    "                        counterexample files: real|fp32_sequential|fp64_sequential|best\n"
    "  --under POLICY        a claim that covers every execution under it, as 'binary32 operands=tf32 "
    "subnormals=flush'\n"
    "  --input-shape NAME=D,D,...      dimensions the model leaves open\n"
    "  --allow NAME          accept an assumption: asserted-bounds, shards-run-elsewhere, or one of a kernel record\n"
    "  --trust DIR           examine the kernel records that the certificate names, in a folder of records\n"
    "    --fail-below LABEL    at least proved, checked, fuzzed or external (default); weaker: VALID_BUT_NOT_ASKED\n"
    "    --allow-records FILE  digests, one in each line, of records that are not shipped with this checker\n"
    "certificates of other tools (judged by the statement they contain; --root is where they may name files)\n"
    "  --slack S             accept up to this error of their own rounding; the word is then VALID(SLACK S)\n"
    "  --max-slack S         the largest tolerance that a certificate may ask for itself\n"
    "  --recompute           compute the bounds they assert from weights and data\n"
    "  --weights FILE        the weights they were made for\n"
    "  --ieee32              every number must be a binary32 number\n"
    "how\n"
    "  --shard K/N           follow only the K-th of N parts of one big proof, or every N-th row of a composition:\n"
    "                        INCOMPLETE, with a record for --join\n"
    "  --join FILE           (of every shard) what --shard printed; if nothing is missing VALID_WITH_ASSUMPTIONS\n"
    "                        (shards-run-elsewhere)\n"
    "  --exact               exact rational arithmetic only (slow)\n"
    "  --json  --quiet  --explain      one JSON object per certificate; no reasons; more reasons\n"
    "  --sarif  --junit      reports for continuous integration (SARIF 2.1.0, JUnit XML)\n"
    "  --statement           an in-toto statement, ready to be signed; nothing unless all are VALID\n"
    "  --policy FILE         options from a file (JSON: expect, semantics, allow, limit, slack, max-slack,\n"
    "                        under, min-certified, trust, fail-below, allow-records, exact, recompute, ieee32). What "
    "weakens it is a usage error: another\n"
    "                        --expect, --semantics or --under than it names, --allow of what it does not allow, "
    "--slack or\n"
    "                        --max-slack above its own (0 unless named), fewer --min-certified, a higher --limit, and\n"
    "                        what judges nothing (--print, --parse, --limits, --help)\n"
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

// Of the assumptions of records only their form is known.
std::string assumption_name(const std::string& name) {
  const bool good = !name.empty() && name.find_first_not_of(
                                         "abcdefghijklmnopqrstuvwxyz"
                                         "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.() ") == std::string::npos;
  if (!good) throw UsageError{"--allow: \"" + name + "\" is no name of an assumption"};
  return name;
}
void require_known_assumptions(const Options& o) {
  std::vector<std::string> names;
  for (const Assumption& a : assumptions) names.emplace_back(a.name);
  for (const std::string& name : o.allowed)
    if (o.trust.empty()) one_of("--allow", name, names);
}

using Value = const std::string&;
struct WithValue {
  const char* name;
  Beside beside_policy;
  void (*store)(Options&, Value);
};
constexpr WithValue with_value[] = {
    {"--model", Beside::open, [](Options& o, Value v) { o.model = v; }},
    {"--property", Beside::open, [](Options& o, Value v) { o.property = v; }},
    {"--root", Beside::open, [](Options& o, Value v) { o.root = v; }},
    {"--input", Beside::open, [](Options& o, Value v) { o.input = v; }},
    {"--dataset", Beside::open, [](Options& o, Value v) { o.dataset = v; }},
    {"--labels", Beside::open, [](Options& o, Value v) { o.labels = v; }},
    {"--row", Beside::open, [](Options& o, Value v) { o.row = integer("--row", v); }},
    {"--min-certified", Beside::at_least, [](Options& o, Value v) { o.min_certified = integer("--min-certified", v); }},
    {"--radius", Beside::open, [](Options& o, Value v) { o.radius.radius = decimal("--radius", v); }},
    {"--label", Beside::open,
     [](Options& o, Value v) {
       o.radius.label = static_cast<std::uint32_t>(integer("--label", v)), o.has_label = true;
     }},
    {"--clip", Beside::open, [](Options& o, Value v) { o.radius.clip = decimals("--clip", v, 2); }},
    {"--scale", Beside::open, [](Options& o, Value v) { o.radius.scale = decimal("--scale", v); }},
    {"--mean", Beside::open, [](Options& o, Value v) { o.radius.mean = decimals("--mean", v, 0); }},
    {"--std", Beside::open, [](Options& o, Value v) { o.radius.std = decimals("--std", v, 0); }},
    {"--layout", Beside::open,
     [](Options& o, Value v) {
       o.radius.layout = one_of("--layout", v, {"nchw", "nhwc"});
     }},
    {"--norm", Beside::open, [](Options&, Value v) { one_of("--norm", v, {"inf"}); }},
    {"--output-range", Beside::open,
     [](Options& o, Value v) {
       o.radius.range = decimals("--output-range", v, 2), o.radius.target = "range", o.has_target = true;
     }},
    {"--max-deviation", Beside::open,
     [](Options& o, Value v) {
       o.radius.deviation = decimal("--max-deviation", v), o.radius.target = "deviation", o.has_target = true;
     }},
    {"--expect", Beside::same,
     [](Options& o, Value v) {
       one_of("--expect", v, {"holds", "violated", "bound"});
       o.expected = v == "holds" ? Claim::holds : v == "violated" ? Claim::violated : Claim::bound;
     }},
    {"--semantics", Beside::same,
     [](Options& o, Value v) {
       o.semantics = one_of("--semantics", v,
                            {"real", "fp32_any", "fp64_any", "capsule", "fp32_sequential", "fp64_sequential", "best"});
     }},
    {"--under", Beside::same,
     [](Options& o, Value v) {
       require_policy(v);
       o.under = v;
     }},
    {"--shard", Beside::open,
     [](Options& o, Value v) {
       const std::size_t slash = std::min(v.find('/'), v.size());
       o.shard = integer("--shard", v.substr(0, slash));
       o.shards = integer("--shard", v.substr(std::min(slash + 1, v.size())));
       if (o.shard == 0 || o.shard > o.shards) throw UsageError{"--shard takes K/N with 1 <= K <= N"};
     }},
    {"--join", Beside::open, [](Options& o, Value v) { o.joined.push_back(v); }},
    {"--allow", Beside::listed, [](Options& o, Value v) { o.allowed.push_back(assumption_name(v)); }},
    {"--trust", Beside::open, [](Options& o, Value v) { o.trust = v; }},
    {"--fail-below", Beside::same,
     [](Options& o, Value v) {
       o.fail_below = one_of("--fail-below", v, {std::begin(trust_labels), std::end(trust_labels)});
     }},
    {"--allow-records", Beside::named, [](Options& o, Value v) { o.allow_records = v; }},
    {"--limit", Beside::limit,
     [](Options& o, Value v) {
       const std::string name = v.substr(0, v.find('=') + 1);
       for (const std::string& other : o.limits)
         if (other.starts_with(name)) throw UsageError{"--limit: " + name + " is given twice"};
       if (const std::string fault = set_limit(v); !fault.empty()) throw UsageError{"--limit " + fault};
       o.limits.push_back(v);
     }},
    {"--slack", Beside::at_most, [](Options& o, Value v) { o.foreign.slack = not_negative("--slack", v); }},
    {"--max-slack", Beside::at_most, [](Options& o, Value v) { o.foreign.max_slack = not_negative("--max-slack", v); }},
    {"--weights", Beside::open, [](Options& o, Value v) { o.foreign.weights = v; }},
    {"--input-shape", Beside::open,
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
  Beside beside_policy = Beside::open;
};
constexpr Flag flags[] = {{"--exact", &Options::exact},
                          {"--json", &Options::json},
                          {"--quiet", &Options::quiet},
                          {"--explain", &Options::explain},
                          {"--print", &Options::print, Beside::refused},
                          {"--parse", &Options::parse, Beside::refused},
                          {"--recompute", &Options::recompute},
                          {"--ieee32", &Options::ieee32},
                          {"--sarif", &Options::sarif},
                          {"--junit", &Options::junit},
                          {"--statement", &Options::statement},
                          {"--limits", &Options::list_limits, Beside::refused},
                          {"--help", &Options::help, Beside::refused},
                          {"-h", &Options::help, Beside::refused}};

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
  require_known_assumptions(o);
  if (o.trust.empty() && (!o.fail_below.empty() || !o.allow_records.empty()))
    throw UsageError{"--fail-below and --allow-records need --trust"};
  if (!(o.trust.empty() && o.under.empty()) && (o.shards > 0 || !o.joined.empty()))
    throw UsageError{"--trust and --under are for whole certificates, without --shard and --join"};
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
  // A file of the command line that is not there says nothing about the certificates.
  for (const auto& [name, path] : {std::pair<const char*, const std::string&>{"--model", o.model},
                                   {"--property", o.property},
                                   {"--input", o.input},
                                   {"--dataset", o.dataset},
                                   {"--labels", o.labels}})
    if (!path.empty() && !std::ifstream(path)) throw UsageError{std::string(name) + " " + path + ": cannot be opened"};
}

// The path of --policy, taken out of the arguments; "" without one.
std::string take_policy(std::vector<std::string>* arguments) {
  std::vector<std::string> rest;
  std::optional<std::string> path;
  for (std::size_t i = 0; i < arguments->size(); ++i) {
    const std::string& argument = (*arguments)[i];
    const bool joined = argument.starts_with("--policy=");
    if (!joined && argument != "--policy") {
      rest.push_back(argument);
      continue;
    }
    if (path) throw UsageError{"--policy is given twice"};
    if (!joined && i + 1 == arguments->size()) throw UsageError{"--policy needs a value"};
    path = joined ? argument.substr(9) : (*arguments)[++i];
    if (path->empty()) throw UsageError{"--policy needs a value"};
  }
  *arguments = std::move(rest);
  return path.value_or("");
}

using OptionJudge = std::function<void(Beside, const std::string& option, const std::string& value)>;

// Stores the arguments in the options and gives back the names of those that were there. Each is judged first.
std::vector<std::string> store(const std::vector<std::string>& arguments, const OptionJudge& judge, Options* options) {
  std::vector<std::string> seen;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string name = arguments[i];
    if (name.size() < 2 || name[0] != '-') {
      options->files.push_back(name);
      continue;
    }
    std::optional<std::string> value;
    if (const std::size_t equals = name.find('='); name.starts_with("--") && equals != std::string::npos) {
      value = name.substr(equals + 1), name.resize(equals);
    }
    const auto flag = std::find_if(std::begin(flags), std::end(flags), [&](const Flag& f) { return name == f.name; });
    options->asked.push_back(arguments[i]);
    if (flag != std::end(flags) && !value) {
      judge(flag->beside_policy, name, "");
      options->*(flag->target) = true, seen.push_back(name);
      continue;
    }
    const auto option =
        std::find_if(std::begin(with_value), std::end(with_value), [&](const WithValue& w) { return name == w.name; });
    if (option == std::end(with_value)) throw UsageError{"unknown option " + arguments[i]};
    if (!value && i + 1 == arguments.size()) throw UsageError{name + " needs a value"};
    if (!value) options->asked.push_back(*(value = arguments[++i]));
    const bool repeatable = name == "--allow" || name == "--join" || name == "--limit" || name == "--input-shape";
    if (!repeatable && std::find(seen.begin(), seen.end(), name) != seen.end())
      throw UsageError{name + " is given twice"};
    seen.push_back(name);
    judge(option->beside_policy, name, *value);
    option->store(*options, *value);
  }
  return seen;
}

}  // namespace

Options parse_options(const std::vector<std::string>& given) {
  std::vector<std::string> arguments = given;
  const std::string path = take_policy(&arguments);
  Options options, policy;
  std::vector<std::string> named;
  if (!path.empty()) {
    named = store(
        policy_arguments(path), [](Beside, const std::string&, const std::string&) {}, &options);
    policy = options;
    options.limits.clear();  // giving one again is judged against the policy, not refused as given twice
  }
  store(
      arguments,
      [&](Beside rule, const std::string& option, const std::string& value) {
        if (!path.empty()) require_no_weaker(rule, option, value, path, named, policy);
      },
      &options);
  if (!options.help && !options.list_limits) require_consistent(options);
  options.foreign.root = options.root, options.foreign.model = options.model;
  options.foreign.recompute = options.recompute, options.foreign.ieee32 = options.ieee32;
  return options;
}

}  // namespace outward_check
