// The question of one command line: see question.hpp.
#include "checker/report/question.hpp"

#include <algorithm>

#include "checker/readers/readers.hpp"
#include "checker/report/identity.hpp"
#include "checker/translate/aptp.hpp"
#include "checker/translate/arrays.hpp"
#include "checker/translate/dataset.hpp"

namespace outward_check {

namespace {

// The certificate's own path below the folder; absolute paths and ".." are refused.
std::string below(const std::string& root, const std::string& path) {
  const bool escapes = path.empty() || path[0] == '/' || ("/" + path + "/").find("/../") != std::string::npos;
  if (escapes || path.find('\\') != std::string::npos || path.find('\0') != std::string::npos) {
    throw ReadError(ReadError::Class::malformed, "path \"" + path + "\" of the certificate: not below --root");
  }
  return root + "/" + path;
}

Property vnnlib_property(const std::string& path, const Graph& graph) {
  const Bytes bytes = read_maybe_gzip(path);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::uint64_t inputs = graph.nodes[0].size, outputs = graph.nodes[graph.output].size;
  Property property =
      is_aptp_proof(text) ? read_aptp_property(text, path, inputs, outputs) : read_vnnlib(text, path, inputs, outputs);
  property.file_sha256 = sha256_hex(bytes.data(), bytes.size());
  return property;
}

std::vector<std::string> texts(const Json& list) {
  std::vector<std::string> out;
  for (const Json& item : list.items) out.push_back(item.text);
  return out;
}

bool parse_bits(const std::string& text, bool is_binary64, std::uint64_t* bits) {
  const bool digits =
      std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
  if (!digits || text.size() != (is_binary64 ? 16 : 8)) return false;
  *bits = std::stoull(text, nullptr, 16);
  return true;
}

}  // namespace

AskedQuestion::AskedQuestion(const Options& options) : options_(options) {
  expected = options.expected.value_or(Claim::holds);
  exact = options.exact;
  any_semantics = options.semantics == "best";
  default_semantics = options.semantics.empty();
  if (options.semantics == "fp32_any") semantics = Semantics::fp32_any;
  if (options.semantics == "fp64_any") semantics = Semantics::fp64_any;
  if (options.semantics == "capsule") semantics = Semantics::capsule;
}

const ModelRead& AskedQuestion::read_model_file(const std::string& path) {
  model_ = read_model(path, options_.shapes);
  model_path_ = path;
  return *model_;
}

const ModelRead* AskedQuestion::model(const Record& record) {
  const std::vector<Json>& files = record.at("files").items;
  if (options_.model.empty() && (options_.root.empty() || files.empty())) return nullptr;
  if (shared_ != nullptr) return compare_model(record, *shared_), shared_;
  const bool by_option = !options_.model.empty();
  compare_model(record, read_model_file(by_option ? options_.model : below(options_.root, files[0].items[0].text)));
  return &*model_;
}

void AskedQuestion::ask(const ModelRead& model, Property asked) { shared_ = &model, asked_ = std::move(asked); }

const Property* AskedQuestion::asked(const Graph& graph) {
  if (shared_ != nullptr) return &*asked_;
  if (!options_.property.empty()) {
    asked_ = vnnlib_property(options_.property, graph);
  } else if (!options_.radius.radius.empty()) {
    RadiusOptions radius = options_.radius;
    radius.centre_bits.assign(graph.nodes[0].size, 0);
    if (!options_.input.empty()) radius.centre_bits = read_array(options_.input, graph, radius.layout);
    if (options_.row) {
      const Dataset data = read_dataset(options_.dataset, options_.labels, graph);
      if (*options_.row >= data.rows())
        throw UsageError{"--row " + std::to_string(*options_.row) + ": the dataset has " + std::to_string(data.rows()) +
                         " rows, counted from 0"};
      radius.centre_bits = data.centre(*options_.row), radius.label = data.labels[*options_.row];
    }
    const bool has_label = options_.has_label || options_.row;
    if (expected == Claim::bound && !has_label && !options_.has_target) radius.target = "none";
    asked_radius_ = radius;
    asked_ = complete_radius_property(std::move(radius), has_label, graph);
  }
  return asked_ ? &*asked_ : nullptr;
}

const Property* AskedQuestion::stated(const Record& record, const Graph& graph) {
  if (record.text("kind") == "vnnlib") {
    if (options_.root.empty()) return nullptr;
    return keep_stated(record, vnnlib_property(below(options_.root, record.text("path")), graph));
  }
  RadiusOptions radius;
  radius.radius = record.text("radius"), radius.scale = record.text("scale");
  radius.layout = record.text("layout"), radius.target = record.text("target");
  radius.deviation = record.text("deviation"), radius.mean = texts(record.at("mean"));
  radius.std = texts(record.at("std")), radius.clip = texts(record.at("clip"));
  radius.range = texts(record.at("range"));
  radius.label = static_cast<std::uint32_t>(std::min<std::uint64_t>(record.number("label"), 0xffffffff));
  for (const Json& item : record.at("centre").items) {
    radius.centre_bits.push_back(0);
    if (!parse_bits(item.text, graph.is_binary64, &radius.centre_bits.back())) {
      throw ReadError(ReadError::Class::malformed,
                      "centre: \"" + item.text + "\" is no bit pattern of the element type");
    }
  }
  if (radius.centre_bits.size() != graph.nodes[0].size) {
    throw ReadError(ReadError::Class::malformed, "centre: expected " + std::to_string(graph.nodes[0].size) +
                                                     " inputs, found " + std::to_string(radius.centre_bits.size()));
  }
  return keep_stated(record, complete_radius_property(std::move(radius), true, graph));
}

const Property* AskedQuestion::keep_stated(const Record& record, Property property) {
  stated_ = std::move(property);
  const bool named = names_property(record, *stated_, false);
  require(named, "property digest", property_digest(*stated_), record.text("digest"));
  return &*stated_;
}

std::vector<ModelFile> AskedQuestion::files_read() const {
  std::vector<ModelFile> files;
  if (model_) files = model_->files;
  if (asked_ && !options_.property.empty()) files.push_back({options_.property, asked_->file_sha256, 0});
  return files;
}

bool AskedQuestion::states(const Record& record, const Property& property) {
  const bool same = names_property(record, property, true);
  differences_.clear();
  if (!same && shared_ == nullptr) compare_queries(record);
  return same;
}

// For the reader's eye only: digests have decided.
void AskedQuestion::compare_queries(const Record& record) {
  const auto differ = [&](const char* what, const std::string& theirs, const std::string& ours) {
    if (theirs == ours) return;
    const auto named = [](const std::string& text) { return text.empty() ? std::string("none") : text; };
    differences_.push_back(std::string(what) + ": the certificate has " + named(theirs) + ", asked was " + named(ours));
  };
  const auto joined = [](const std::vector<std::string>& list) {
    std::string text;
    for (const std::string& item : list) text += (text.empty() ? "" : ",") + item;
    return text;
  };
  const bool of_file = record.text("kind") == "vnnlib";
  if (of_file != asked_radius_.radius.empty())
    return differ("query", of_file ? "a VNN-LIB property" : "a radius", of_file ? "a radius" : "a VNN-LIB property");
  if (of_file) return differ("property", record.text("path"), options_.property + ", another file");
  const RadiusOptions& r = asked_radius_;
  std::size_t others = 0;
  const std::vector<Json>& centre = record.at("centre").items;
  for (std::size_t i = 0; i < centre.size() && centre.size() == r.centre_bits.size(); ++i) {
    std::uint64_t bits = 0;
    others += !parse_bits(centre[i].text, centre[i].text.size() == 16, &bits) || bits != r.centre_bits[i];
  }
  const bool at_zero = options_.input.empty() && !options_.row;
  if (others > 0)
    differ("centre", "other values of " + std::to_string(others) + " inputs",
           at_zero ? "zero (no --input)" : options_.input);
  differ("radius", record.text("radius"), r.radius), differ("target", record.text("target"), r.target);
  if (r.target == "label" && (options_.has_label || options_.row))
    differ("label", std::to_string(record.number("label")), std::to_string(r.label));
  differ("scale", record.text("scale"), r.scale), differ("layout", record.text("layout"), r.layout);
  differ("deviation", record.text("deviation"), r.deviation);
  differ("mean", joined(texts(record.at("mean"))), joined(r.mean));
  differ("std", joined(texts(record.at("std"))), joined(r.std));
  differ("clip", joined(texts(record.at("clip"))), joined(r.clip));
  differ("range", joined(texts(record.at("range"))), joined(r.range));
}

std::vector<std::string> claims_of(const Answer& answer, const Graph* graph) {
  std::vector<std::string> claims = {semantics_names[static_cast<int>(answer.semantics)]};
  if (answer.semantics == Semantics::capsule) {
    claims[0] += " (" + answer.numerics.substr(0, answer.numerics.find_last_not_of(' ') + 1) + ")";
    if (graph != nullptr) claims.push_back(graph->is_binary64 ? "fp64_any" : "fp32_any");
  }
  if (answer.semantics != Semantics::real && answer.claim != Claim::violated) claims.push_back("real");
  return claims;
}

Run run_at_centre(RadiusOptions centre, const Structure& structure) {
  const Graph& graph = structure.graph;
  // A box that is the centre after preprocessing.
  centre.radius = "0", centre.clip.clear(), centre.deviation.clear();
  centre.target = "none", centre.label = 0;
  const Property at = radius_property(centre, graph, {});
  std::vector<Fraction> point;
  for (const InputRange& r : at.boxes.at(0)) point.push_back(r.lo);
  return execute(structure, graph.is_binary64 ? Execution::fp64_sequential : Execution::fp32_sequential, point);
}

Property complete_radius_property(RadiusOptions radius, bool has_label, const Graph& graph) {
  const bool needs_label = radius.target == "label" && !has_label;
  std::vector<Fraction> reference;
  if (needs_label || radius.target == "deviation") {
    const Run run = run_at_centre(radius, Structure(graph));
    if (!run.fault.empty())
      throw ReadError(ReadError::Class::unsupported, "reference execution at the centre: " + run.fault);
    for (const Interval<Exact>& y : run.outputs) reference.push_back(y.h.value);
    if (needs_label)
      radius.label =
          static_cast<std::uint32_t>(std::max_element(reference.begin(), reference.end()) - reference.begin());
  }
  return radius_property(radius, graph, reference);
}

}  // namespace outward_check
