// Joins prover and certificate: bounds/ knows only the observer interface, certificates/ only its records.
#pragma once
#include "bounds/observer.hpp"
#include "certificates/writer.hpp"

namespace outward::cli {

// Forwards proof events to the certificate writer.
class CertificateObserver : public ProofObserver {
 public:
  explicit CertificateObserver(CertificateWriter& writer) : writer_(writer) {}
  void begin_box(std::uint32_t box) override { writer_.box(box); }
  void begin_attempt() override { mark_ = writer_.mark(); }
  void drop_attempt() override { writer_.rewind(mark_); }
  void slopes(std::uint32_t id, std::uint32_t node, const SlopeBytes& b) override {
    writer_.slopes(id, node, b.lower, b.upper);
  }
  void interval(std::uint32_t node) override { writer_.interval(node); }
  void backward(std::uint32_t node, std::span<const std::uint32_t> lower, std::span<const std::uint32_t> upper,
                std::span<const std::uint32_t> ids) override {
    writer_.backward(node, lower, upper, ids);
  }
  void refute(std::uint32_t c, std::span<const std::uint32_t> rows, std::span<const double> multipliers,
              std::span<const std::uint32_t> ids, std::span<const RangeMultiplier> ranges) override {
    std::vector<RangeTerm> terms;
    for (const RangeMultiplier& r : ranges) terms.push_back({r.node, r.element, r.value});
    writer_.refute(c, rows, multipliers, ids, terms);
  }
  void bound(std::uint32_t output, bool is_lower, double value, std::span<const std::uint32_t> ids) override {
    writer_.bound(output, is_lower, value, ids);
  }
  void split(std::uint32_t node, std::uint32_t element, double at) override { writer_.split(node, element, at); }
  void crossed(std::uint32_t node, std::uint32_t element) override { writer_.crossed(node, element); }
  void leave_open() override { writer_.leave_open(); }
  void close() override { writer_.close(); }

 private:
  CertificateWriter& writer_;
  CertificateWriter::Mark mark_;
};

}  // namespace outward::cli
