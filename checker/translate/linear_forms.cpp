// Exact linear bounds: see linear_forms.hpp.
#include "checker/translate/linear_forms.hpp"

namespace outward_check::torchlean {

namespace {

// f += w*g
void add_multiple(AffineForm* f, const Fraction& w, const AffineForm& g, Effort* effort) {
  for (std::size_t i = 0; i < f->a.size(); ++i)
    if (g.a[i].sign() != 0) f->a[i] = effort->sum(f->a[i], effort->product(w, g.a[i]));
  f->c = effort->sum(f->c, effort->product(w, g.c));
}

void reduce(AffineForm* f, Effort* effort) {
  for (Fraction& a : f->a) a = effort->reduced(a);
  f->c = effort->reduced(f->c);
}

}  // namespace

AffineForm constant_form(std::size_t inputs, const Fraction& c) { return {Vector(inputs), c}; }

AffineForm scaled(const AffineForm& f, const Fraction& s, const Fraction& shift, Effort* effort) {
  AffineForm out = constant_form(f.a.size(), shift);
  add_multiple(&out, s, f, effort);
  reduce(&out, effort);
  return out;
}

AffineForm difference(const AffineForm& f, const AffineForm& g, Effort* effort) {
  AffineForm out = f;
  add_multiple(&out, Fraction(-1), g, effort);
  return out;
}

Fraction greatest(const AffineForm& f, const Region& box, Effort* effort) {
  Fraction value = f.c;
  for (std::size_t i = 0; i < f.a.size(); ++i)
    value = effort->sum(value, effort->product(f.a[i], f.a[i].sign() < 0 ? box.lo[i] : box.hi[i]));
  return effort->reduced(value);
}

Fraction least(const AffineForm& f, const Region& box, Effort* effort) {
  return -greatest(scaled(f, Fraction(-1), Fraction(), effort), box, effort);
}

std::vector<FormPair> input_forms(std::size_t inputs) {
  std::vector<FormPair> out;
  for (std::size_t i = 0; i < inputs; ++i) {
    AffineForm f = constant_form(inputs, Fraction());
    f.a[i] = Fraction(1);
    out.push_back({f, f});
  }
  return out;
}

std::vector<FormPair> through_linear(const Matrix& weights, const Vector& bias, const std::vector<FormPair>& x,
                                     Effort* effort) {
  std::vector<FormPair> out;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const AffineForm start = constant_form(x[0].lower.a.size(), bias.empty() ? Fraction() : bias[i]);
    FormPair y{start, start};
    for (std::size_t j = 0; j < x.size(); ++j) {
      const Fraction& w = weights[i][j];
      if (w.sign() == 0) continue;
      add_multiple(&y.lower, w, w.sign() < 0 ? x[j].upper : x[j].lower, effort);
      add_multiple(&y.upper, w, w.sign() < 0 ? x[j].lower : x[j].upper, effort);
    }
    reduce(&y.lower, effort), reduce(&y.upper, effort);
    out.push_back(std::move(y));
  }
  return out;
}

FormPair through_relu(const FormPair& x, const Fraction& l, const Fraction& u, const Fraction& alpha, Effort* effort) {
  const AffineForm zero = constant_form(x.lower.a.size(), Fraction());
  if (u.sign() <= 0) return {zero, zero};
  if (l.sign() >= 0) return x;
  const Fraction slope = effort->quotient(u, u - l);
  return {scaled(x.lower, alpha, Fraction(), effort), scaled(x.upper, slope, effort->product(-slope, l), effort)};
}

}  // namespace outward_check::torchlean
