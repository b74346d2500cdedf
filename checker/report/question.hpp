// What the command line asks, read from the user's own files (see Question in checker/kernel/check.hpp).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "checker/report/options.hpp"

namespace outward_check {

class AskedQuestion final : public Question {
 public:
  explicit AskedQuestion(const Options& options);
  const ModelRead* model(const Record& record) override;
  const Property* asked(const Graph& graph) override;
  const Property* stated(const Record& record, const Graph& graph) override;
  bool states(const Record& record, const Property& property) override;

  const ModelRead& read_model_file(const std::string& path);
  // A model and a question that were read before, by the same options. The model has to outlive this.
  void ask(const ModelRead& model, Property asked);
  // The model with its data files, then the property's file; what was not read is left out.
  std::vector<ModelFile> files_read() const;
  // The model's; null before it was read.
  const Graph* graph() const { return shared_ ? &shared_->graph : model_ ? &model_->graph : nullptr; }
  const std::string& model_path() const { return model_path_; }  // "" before it was read
  // What makes the query of the certificate another one than that asked, as far as its record says.
  const std::vector<std::string>& differences() const { return differences_; }

 private:
  const Property* keep_stated(const Record& record, Property property);
  void compare_queries(const Record& record);

  const Options& options_;
  std::string model_path_;
  std::optional<ModelRead> model_;
  const ModelRead* shared_ = nullptr;
  std::optional<Property> asked_, stated_;
  RadiusOptions asked_radius_;  // but for a label that nobody named
  std::vector<std::string> differences_;
};

// What a proof covers, the strongest first: "capsule (WORDS)" with the words of the numerics record, then what follows
// from it for the same model.
std::vector<std::string> claims_of(const Answer& answer, const Graph* graph);

// The reference execution at the centre after preprocessing.
Run run_at_centre(RadiusOptions radius, const Structure& structure);

// A radius query with its label or reference outputs filled in by the reference execution at the centre.
Property complete_radius_property(RadiusOptions radius, bool has_label, const Graph& graph);

}  // namespace outward_check
