#include "cli/verify_outputs.hpp"

#include <filesystem>
#include <iostream>
#include <utility>

#include "certificates/output_file.hpp"
#include "certificates/writer.hpp"
#include "cli/common/errors.hpp"
#include "cli/verify_batch.hpp"
#include "cli/verify_dataset.hpp"
#include "formats/error.hpp"

namespace outward::cli {

namespace {

using Named = std::vector<std::pair<std::string, std::string>>;  // option or argument, its path

// Whether writing one would change the other. Pipes and devices take what several write.
bool are_one_file(const std::string& a, const std::string& b) {
  if (!is_regular_or_new(a) || !is_regular_or_new(b)) return false;
  std::error_code error;
  if (std::filesystem::equivalent(a, b, error)) return true;
  const auto whole = [](const std::string& path) {
    std::error_code failed;
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, failed), failed);
  };
  return whole(a) == whole(b);
}

void throw_all(const std::vector<std::string>& faults) {
  if (faults.empty()) return;
  std::string text;
  for (const std::string& fault : faults) text += (text.empty() ? "" : "\nerror: ") + fault;
  throw UsageError(text);
}

void require_text(const std::string& what, const std::string& text, std::vector<std::string>& faults) {
  if (!is_utf8(text))
    faults.push_back(what +
                     ": the name is not UTF-8, so a certificate cannot hold it; give another one, or do without "
                     "--certificate");
}

}  // namespace

void require_outputs(const Options& o) {
  Named outputs, inputs;
  const auto add = [](Named& to, const char* name, const std::string& path) {
    if (!path.empty()) to.emplace_back(name, path);
  };
  add(outputs, "--certificate", o.certificate);
  add(outputs, "--witness", o.witness);
  add(outputs, "--bounds", o.bounds);
  add(inputs, "MODEL", o.model);
  add(inputs, "PROPERTY", o.property);
  add(inputs, "--input", o.input);
  add(inputs, "--elaborate", o.elaborate);
  add(inputs, "--batch", o.batch);
  add(inputs, "--dataset", o.dataset);
  add(inputs, "--labels", o.labels);
  std::vector<std::string> faults;
  if (!o.batch.empty()) {
    add(outputs, "results of --batch", results_file(o));
    add(outputs, "table of --batch", results_table(o));
    for (const auto& [name, path] : outputs)
      if (!is_regular_or_new(path)) faults.push_back(name + ": " + path + " is not a regular file; use --results FILE");
  }
  if (!o.dataset.empty() && o.row == -1) {
    add(outputs, "results of --dataset", dataset_results_file(o));
    for (const auto& [name, path] : outputs)
      if (!is_regular_or_new(path)) faults.push_back(name + ": " + path + " is not a regular file");
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& [name, path] = outputs[i];
    if (const std::string why = obstacle_to_saving(path); !why.empty())
      faults.push_back(name + ": cannot write " + path + ": " + why);
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k)
      if (are_one_file(outputs[i].second, outputs[k].second))
        faults.push_back(outputs[k].first + " and " + outputs[i].first + " are one file: " + outputs[i].second);
    for (const auto& [name, path] : inputs)
      if (are_one_file(outputs[i].second, path))
        faults.push_back(outputs[i].first + " would overwrite " + name + ": " + path);
  }
  if (!o.certificate.empty())
    for (const auto& [name, path] : inputs)
      if (name == "MODEL" || name == "PROPERTY" || name == "--elaborate") require_text(name, path, faults);
  if (!o.certificate.empty() && !o.dataset.empty()) require_text("--certificate", o.certificate, faults);
  throw_all(faults);
}

void require_certifiable(const Options& o, const Model& model) {
  if (o.certificate.empty()) return;
  std::vector<std::string> faults;
  for (const ModelFile& file : model.files) require_text("a file of the model", file.path, faults);
  for (const auto& [name, dims] : model.shape_overrides) require_text("an input of the model", name, faults);
  throw_all(faults);
  std::vector<Blocker> blockers;
  for (const Node& node : model.graph.nodes)
    if (!is_certifiable(node.kind))
      blockers.push_back({"no-certificate", node.origin, "no certificate can speak of this operator", "", "",
                          "without --certificate the property is decided by intervals and executions"});
  if (!blockers.empty()) throw InputRefused(std::move(blockers));
}

bool Outputs::save(const std::string& path, const std::string& content) {
  return try_to([&] { save_file(path, content); });
}

bool Outputs::save(const std::string& path, const CertificateText& content) {
  return try_to([&] { save_file(path, [&](const auto& each) { content.pieces(each); }); });
}

int Outputs::finish(int code) const {
  std::cout.flush();
  for (const std::string& error : errors_) std::cerr << "error: " << error << "\n";
  return errors_.empty() ? code : exit_resource;
}

}  // namespace outward::cli
