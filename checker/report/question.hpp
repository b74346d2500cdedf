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
  // The model with its data files, then the property's file; what was not read is left out.
  std::vector<ModelFile> files_read() const;
  const std::string& model_path() const { return model_path_; }  // "" before it was read

 private:
  const Property* keep_stated(const Record& record, Property property);

  const Options& options_;
  std::string model_path_;
  std::optional<ModelRead> model_;
  std::optional<Property> asked_, stated_;
};

// A radius query with its label or reference outputs filled in by the reference execution at the centre.
Property complete_radius_property(RadiusOptions radius, bool has_label, const Graph& graph);

}  // namespace outward_check
