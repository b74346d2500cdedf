#include "cli/verify_options.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "cli/common/memory.hpp"
#include "formats/error.hpp"
#include "formats/exact.hpp"

namespace outward::cli {

namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> out;
  if (text.empty()) return out;
  std::size_t from = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] != ',') continue;
    out.push_back(text.substr(from, i - from));
    from = i + 1;
  }
  return out;
}

// Comma-separated decimals, `count` of them (0: any number but none).
std::vector<std::string> decimals(const std::string& text, const char* option, std::size_t count) {
  std::vector<std::string> out = split(text);
  if (!text.empty() && count != 0 && out.size() != count)
    throw UsageError(std::string(option) + " takes " + std::to_string(count) + " numbers, found " +
                     std::to_string(out.size()));
  for (const std::string& item : out)
    if (!parse_decimal(item)) throw UsageError(std::string(option) + ": \"" + item + "\" is no decimal number");
  return out;
}

// For the parser: what is wrong with the text of an option, in words.
std::string fault_of_text(const std::string& text) { return text.empty() ? "has no value" : ""; }
std::string fault_of_count(const std::string& text) {
  return text.empty() || text.size() > 19 || text.find_first_not_of("0123456789") != std::string::npos
             ? "takes a number without sign, found \"" + text + "\""
             : "";
}
std::string fault_of_memory(const std::string& text) {
  return parse_bytes(text) > 0 ? "" : "takes a number of bytes such as 500M or 4G, found \"" + text + "\"";
}
std::string fault_of_seconds(const std::string& text) {
  return is_seconds(text) ? "" : "takes a number of seconds, found \"" + text + "\"";
}

void shape(const std::string& text, ShapeOverrides& shapes) {
  const std::size_t at = text.rfind('=');
  if (at == std::string::npos || at == 0) throw UsageError("--input-shape takes NAME=D1,D2,…; found \"" + text + "\"");
  std::vector<std::int64_t> dims;
  for (const std::string& item : split(text.substr(at + 1))) {
    if (item.empty() || item.size() > 12 || item.find_first_not_of("0123456789") != std::string::npos ||
        std::stoll(item) < 1)
      throw UsageError("--input-shape " + text.substr(0, at) + ": \"" + item + "\" is no positive dimension");
    dims.push_back(std::stoll(item));
  }
  if (!shapes.emplace(text.substr(0, at), dims).second)
    throw UsageError("--input-shape gives " + text.substr(0, at) + " twice");
}

struct Given {
  const char* name;
  bool given;
};

// The options that describe a radius query, besides --radius and --norm.
std::vector<Given> radius_options(const Options& o) {
  return {{"--input", !o.input.empty()},
          {"--label", o.label != -1},
          {"--clip", !o.clip_text.empty()},
          {"--scale", !o.scale.empty()},
          {"--mean", !o.mean_text.empty()},
          {"--std", !o.std_text.empty()},
          {"--layout", !o.layout.empty()},
          {"--dataset", !o.dataset.empty()},
          {"--labels", !o.labels.empty()},
          {"--row", o.row != -1},
          {"--output-range", !o.range_text.empty()},
          {"--max-deviation", !o.max_deviation.empty()}};
}

// --batch takes model and property from its list and writes one result of its own for each.
void require_batch_options(const Options& o) {
  std::vector<Given> single = {{"MODEL", !o.model.empty()},
                               {"PROPERTY", !o.property.empty()},
                               {"--radius", !o.radius.empty()},
                               {"--norm", o.norm != "inf"},
                               {"--certificate", !o.certificate.empty()},
                               {"--witness", !o.witness.empty()},
                               {"--bounds", !o.bounds.empty()},
                               {"--elaborate", !o.elaborate.empty()},
                               {"--precision", !o.precision.empty()},
                               {"--profile", !o.profile.empty()},
                               {"--records", !o.records.empty()},
                               {"--allow", !o.allow.empty()},
                               {"--deploy", !o.deploy.empty()},
                               {"--accumulate", !o.accumulate.empty()},
                               {"--finite", o.finite},
                               {"--competition", o.competition},
                               {"--json", o.json}};
  const std::vector<Given> radius = radius_options(o);
  single.insert(single.begin() + 3, radius.begin(), radius.end());
  std::string names;
  for (const Given& g : single)
    if (g.given) names += (names.empty() ? "" : ", ") + std::string(g.name);
  if (!names.empty())
    throw UsageError("--batch takes its models and properties from the file and writes results of its own; " + names +
                     (names.find(',') == std::string::npos ? " belongs" : " belong") + " to a single query");
}

void require_query(const Options& o) {
  if (o.model.empty()) throw UsageError("give a MODEL file");
  if (!o.dataset.empty() && o.row == -1) return;
  if (!o.results.empty()) throw UsageError("--results belongs to --batch and --dataset");
  if (!o.elaborate.empty()) {
    if (!o.radius.empty()) throw UsageError("--elaborate is for a property, not for --radius");
    if (o.certificate.empty()) throw UsageError("--elaborate writes a certificate: give --certificate FILE");
    if (o.json || o.competition || !o.bounds.empty())
      throw UsageError("--elaborate has no --json, --competition or --bounds");
  } else if (o.property.empty() == o.radius.empty())
    throw UsageError(o.property.empty() ? "give a PROPERTY file or --radius R"
                                        : "give either a PROPERTY file or --radius, not both");
  if (!o.property.empty() || !o.elaborate.empty()) {
    for (const Given& g : radius_options(o))
      if (g.given)
        throw UsageError(std::string(g.name) +
                         " belongs to a radius query; it cannot be combined with a PROPERTY file");
  }
}

// What a row of a dataset leaves to the dataset, and what --dataset without --row leaves to its rows.
void require_dataset_options(const Options& o) {
  if (o.dataset.empty()) {
    if (!o.labels.empty() || o.row != -1) throw UsageError("--labels and --row belong to --dataset");
    return;
  }
  if (o.labels.empty()) throw UsageError("--dataset needs --labels");
  if (!o.property.empty() || !o.elaborate.empty() || o.radius.empty())
    throw UsageError("--dataset is for a radius query: give --radius R, and no PROPERTY or --elaborate");
  std::vector<Given> others = {{"--input", !o.input.empty()},
                               {"--label", o.label != -1},
                               {"--output-range", !o.range_text.empty()},
                               {"--max-deviation", !o.max_deviation.empty()}};
  const std::vector<Given> single = {{"--radius max", o.radius == "max"},
                                     {"--witness", !o.witness.empty()},
                                     {"--bounds", !o.bounds.empty()},
                                     {"--competition", o.competition}};
  if (o.row == -1) others.insert(others.end(), single.begin(), single.end());
  for (const Given& g : others)
    if (g.given) throw UsageError(std::string("--dataset excludes ") + g.name + (o.row == -1 ? " (see --row)" : ""));
}

// The claim about a plan of kernels.
void require_capsule_options(const Options& o) {
  if (o.profile.empty() && o.semantics != "capsule") {
    if (!o.records.empty() || !o.allow.empty()) throw UsageError("--records and --allow belong to --profile");
    return;
  }
  if (o.profile.empty()) throw UsageError("--semantics capsule needs --profile P");
  if (!o.semantics.empty() && o.semantics != "capsule")
    throw UsageError("--profile is for --semantics capsule, not for " + o.semantics);
  for (const Given& g : std::vector<Given>{{"--elaborate", !o.elaborate.empty()},
                                           {"--precision", !o.precision.empty()},
                                           {"--dataset without --row", !o.dataset.empty() && o.row == -1},
                                           {"--radius max", o.radius == "max"}})
    if (g.given) throw UsageError(std::string("--profile excludes ") + g.name);
}

// A certificate is about the property as asked; what is proved here is another one.
void require_deploy_options(const Options& o) {
  if (o.deploy.empty()) {
    if (!o.accumulate.empty()) throw UsageError("--accumulate belongs to --deploy");
    return;
  }
  if (o.semantics != "real")
    throw UsageError("--deploy adds a rounding error to a proof over the reals: --semantics real");
  for (const Given& g : std::vector<Given>{{"--certificate", !o.certificate.empty()},
                                           {"--witness", !o.witness.empty()},
                                           {"--elaborate", !o.elaborate.empty()},
                                           {"--precision", !o.precision.empty()},
                                           {"--dataset without --row", !o.dataset.empty() && o.row == -1},
                                           {"--radius max", o.radius == "max"}})
    if (g.given) throw UsageError(std::string("--deploy excludes ") + g.name);
}

// The reals have no infinities, and the other ways to ask run other executions.
void require_finite_options(const Options& o) {
  if (!o.finite) return;
  for (const Given& g : std::vector<Given>{{"--semantics real", o.semantics == "real"},
                                           {"--semantics best", o.semantics == "best"},
                                           {"--elaborate", !o.elaborate.empty()},
                                           {"--precision", !o.precision.empty()},
                                           {"--dataset without --row", !o.dataset.empty() && o.row == -1},
                                           {"--radius max", o.radius == "max"}})
    if (g.given) throw UsageError(std::string("--finite excludes ") + g.name);
}

// What bounds in a number format leave out: certificates, and the ways to ask many queries.
void require_precision_options(const Options& o) {
  if (o.precision.empty()) return;
  for (const Given& g : std::vector<Given>{{"--certificate", !o.certificate.empty()},
                                           {"--elaborate", !o.elaborate.empty()},
                                           {"--dataset without --row", !o.dataset.empty() && o.row == -1},
                                           {"--radius max", o.radius == "max"}})
    if (g.given) throw UsageError(std::string("--precision excludes ") + g.name);
  if (o.semantics == "best" || o.semantics == "capsule")
    throw UsageError("--precision takes --semantics real (its default), fp32_any or fp64_any");
}

}  // namespace

bool is_seconds(const std::string& text) {
  if (text == "inf") return true;
  if (text.empty() || text.find_first_not_of("0123456789.eE+-") != std::string::npos) return false;
  char* end = nullptr;
  const double seconds = std::strtod(text.c_str(), &end);
  const bool is_zero = text.substr(0, text.find_first_of("eE")).find_first_of("123456789") == std::string::npos;
  return *end == '\0' && (is_zero ? seconds == 0 : seconds > 0);
}

void declare_options(CLI::App& app, Options& o) {
  app.footer(
      "examples:\n"
      "  verify model.onnx --radius 0.01 --input image.npy --label 3 --certificate proof.jsonl\n"
      "  verify model.onnx property.vnnlib --timeout 60 --witness counterexample.txt\n"
      "exit codes: 0 holds or bound, 1 violated, 2 unknown, 3 usage, 4 input refused, 5 internal or resource");
  app.add_option("MODEL,--model", o.model, "ONNX file (.onnx or .onnx.gz)");
  app.add_option("PROPERTY,--property", o.property,
                 "VNN-LIB 1.0 file describing the UNSAFE inputs and outputs (.gz allowed)");
  auto* query = app.add_option_group("radius query (instead of PROPERTY)");
  query->add_option("--radius", o.radius,
                    "every input moves by at most R (decimal, exact); max: search for the largest");
  query->add_option("--input", o.input, "the centre: .npy, .csv, .json, .pb, PNG, PGM, PPM (default: zero)");
  query->add_option("--label", o.label,
                    "output that must stay the greatest (default: what the model predicts at the centre)");
  query->add_option("--norm", o.norm, "inf (the only norm supported)");
  query->add_option("--clip", o.clip_text, "LO,HI: cut the box to this range, before mean and std");
  query->add_option("--scale", o.scale, "the centre is divided by S first");
  query->add_option("--mean", o.mean_text, "subtracted after clipping: one number, or one per channel");
  query->add_option("--std", o.std_text, "divided by after subtracting the mean: one number, or one per channel");
  query->add_option("--layout", o.layout, "nchw or nhwc: where the channels are");
  query->add_option("--dataset", o.dataset,
                    "instead of --input: an array whose rows are centres; counts the rows that are classified right "
                    "(clean), not refuted (attacked) and proved (certified); --timeout is that of a row");
  query->add_option("--labels", o.labels, "of --dataset: an integer for each row (.npy, .csv, …)");
  query->add_option("--row", o.row, "of --dataset: this row only, counted from 0, as a query of its own")
      ->check(fault_of_count);
  query->add_option("--output-range", o.range_text, "LO,HI: every output must stay inside");
  query->add_option("--max-deviation", o.max_deviation, "D: every output stays within D of its value at the centre");
  app.add_option("--semantics", o.semantics,
                 "fp32_any, fp64_any, real, best or capsule (default: the float claim of the model's element type)");
  app.add_option("--profile", o.profile,
                 "with --semantics capsule: what the network runs on, a built-in profile or a file (`audit list`)");
  app.add_option("--records", o.records, "of --profile: folder of further capsule records");
  app.add_option("--allow", o.allow, "of --profile: file of digests of further records that may be relied on");
  app.add_option("--deploy", o.deploy,
                 "with --semantics real: prove it for the network as deployed in this number format, with the bound of "
                 "its rounding error (`roundoff`)");
  app.add_option("--accumulate", o.accumulate, "of --deploy: format of products and sums inside one operator");
  app.add_option(
      "--precision", o.precision,
      "bound in this number format, rounded outward, by intervals, CROWN and halving inputs: binary128, bfloat16, "
      "decimal64, 'binary(15,200)', ... (`compute formats`); over the reals unless --semantics says otherwise, no "
      "certificate; for small models (1000 parts if at most 16 inputs vary, else none without --max-domains)");
  app.add_option("--certificate", o.certificate, "write a certificate that `check` re-validates");
  app.add_option("--witness", o.witness, "write the counterexample in VNN-LIB form");
  app.add_option("--bounds", o.bounds, "write the output bounds of every box as JSON");
  app.add_option(
      "--elaborate", o.elaborate,
      "an APTP proof (NeuralSAT): check that its leaves cover the query, prove it along its splits and write "
      "the certificate; PROPERTY if not the query it contains");
  app.add_option("--batch", o.batch,
                 "instead of MODEL: a CSV file of instances, model,property[,seconds] a line; options that are not "
                 "about one query "
                 "hold for each, --timeout instead of the seconds; exit code 2 if some are unknown, 4 if some were "
                 "refused, 5 if some failed");
  app.add_option(
      "--results", o.results,
      "of --batch and --dataset: where JSON lines go; what is found there is not run again. Default: the list's or "
      "dataset's name and .results.jsonl; of --batch with a table beside it (.csv)");
  app.add_option("--input-shape", o.shape_texts, "NAME=D1,D2,…: dimensions the file leaves open")
      ->allow_extra_args(false);
  app.add_option("--timeout", o.timeout, "seconds; the verdict is then unknown (0: no limit)")->check(fault_of_seconds);
  app.add_option("--max-domains", o.max_domains,
                 "parts to bound while branching; such runs do not depend on time or threads (0: no limit)")
      ->check(fault_of_count);
  app.add_option("--threads", o.threads, "worker threads (default 2)")->check(fault_of_count);
  app.add_option("--seed", o.seed, "seed of the counterexample search")->check(fault_of_count);
  app.add_option("--device", o.device, "cpu or auto (this version computes on the CPU)");
  app.add_option("--memory", o.memory,
                 "bytes, also 500M or 4G; the verdict is then unknown (default: 4/5 of what is free)")
      ->check(fault_of_memory);
  app.add_flag("--finite", o.finite,
               "of a float claim: an execution with an infinite or NaN output is unsafe, too (no certificate, no "
               "witness); holds says already that there is none");
  app.add_flag("--competition", o.competition, "print sat, unsat, timeout or unknown as first word");
  app.add_flag("--json", o.json, "print the result as one JSON object");
  app.add_flag("--quiet", o.quiet, "the verdict line only");
  app.add_flag("-v,--verbose", o.verbose, "phases on stderr");
  for (CLI::App* group : {&app, static_cast<CLI::App*>(query)})
    for (CLI::Option* option :
         group->get_options([](const CLI::Option* of) { return of->get_items_expected_max() > 0; }))
      option->check(fault_of_text);
}

void finish_options(Options& o) {
  if (!o.batch.empty()) {
    require_batch_options(o);
  } else {
    require_dataset_options(o);
    require_query(o);
    require_precision_options(o);
  }
  require_capsule_options(o);
  require_finite_options(o);
  require_deploy_options(o);
  if (o.norm != "inf") throw UsageError("--norm " + o.norm + " is not supported; only inf is");
  if (o.device != "cpu" && o.device != "auto")
    throw UsageError("--device " + o.device + ": this build computes on the CPU only");
  if (!o.layout.empty() && o.layout != "nchw" && o.layout != "nhwc") throw UsageError("--layout takes nchw or nhwc");
  if (!o.semantics.empty() && o.semantics != "fp32_any" && o.semantics != "fp64_any" && o.semantics != "real" &&
      o.semantics != "best" && o.semantics != "capsule")
    throw UsageError("--semantics takes fp32_any, fp64_any, real, best or capsule; found " + o.semantics);
  if (!o.range_text.empty() && !o.max_deviation.empty())
    throw UsageError("--output-range and --max-deviation exclude each other");
  if (o.label >= 0 && (!o.range_text.empty() || !o.max_deviation.empty()))
    throw UsageError("--label excludes --output-range and --max-deviation");
  if (o.label < -1 || o.label > 0x7fffffff) throw UsageError("--label takes the number of an output");
  if (o.threads < 1 || o.threads > 1024) throw UsageError("--threads takes 1 to 1024");
  o.mean = decimals(o.mean_text, "--mean", 0);
  o.std = decimals(o.std_text, "--std", 0);
  o.clip = decimals(o.clip_text, "--clip", 2);
  o.output_range = decimals(o.range_text, "--output-range", 2);
  for (const auto& [name, text] : {std::pair<const char*, const std::string&>{"--radius", o.radius},
                                   {"--scale", o.scale},
                                   {"--max-deviation", o.max_deviation}})
    if (!text.empty() && !(text == "max" && &text == &o.radius) && !parse_decimal(text))
      throw UsageError(std::string(name) + ": \"" + text + "\" is no decimal number");
  for (const std::string& text : o.shape_texts) shape(text, o.shapes);
}

}  // namespace outward::cli
