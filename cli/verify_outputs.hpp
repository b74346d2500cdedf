// The files `verify` writes: looked at before any work, written at its end. Promises that a verdict is never lost
// because of a file, and that nothing the query reads is overwritten.
#pragma once
#include <string>
#include <vector>

#include "certificates/certificate_text.hpp"
#include "cli/verify_options.hpp"
#include "formats/error.hpp"
#include "runtime/graph/graph.hpp"

namespace outward::cli {

// Throws UsageError with everything that stands in the way of --certificate, --witness, --bounds and --results: places
// that cannot be written, that are given twice, or that the query reads; names a certificate cannot hold.
void require_outputs(const Options& options);

// With --certificate: the names inside the model that it repeats (throws UsageError), and the operators that none can
// speak of (throws InputRefused naming all).
void require_certifiable(const Options& options, const Model& model);

// Writes files and keeps for later why some could not be written.
class Outputs {
 public:
  // Whether it was written.
  bool save(const std::string& path, const std::string& content);
  bool save(const std::string& path, const CertificateText& content);

  // There is nothing to write to `path`, though there should be: why.
  void lost(const std::string& path, const std::string& why) { errors_.push_back("cannot write " + path + ": " + why); }

  // After the verdict was printed: errors on stderr. Returns code, or exit code 5 if there were any.
  int finish(int code) const;

 private:
  template <class Save>
  bool try_to(const Save& save) {
    try {
      save();
      return true;
    } catch (const ResourceError& error) {
      errors_.emplace_back(error.what());
      return false;
    }
  }
  std::vector<std::string> errors_;
};

}  // namespace outward::cli
