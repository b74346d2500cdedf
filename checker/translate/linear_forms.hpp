// Exact linear bounds of the elements of a network over a box of inputs: lower(x) <= element <= upper(x). Forward, node
// by node, as the certificates of forward bound propagation have them.
#pragma once
#include "checker/translate/torchlean.hpp"

namespace outward_check::torchlean {

struct AffineForm {
  Vector a;
  Fraction c;  // a.x + c
};
struct FormPair {
  AffineForm lower, upper;
};

AffineForm constant_form(std::size_t inputs, const Fraction& c);
AffineForm scaled(const AffineForm& f, const Fraction& s, const Fraction& shift, Effort* effort);  // s*f + shift
AffineForm difference(const AffineForm& f, const AffineForm& g, Effort* effort);                   // f - g
Fraction greatest(const AffineForm& f, const Region& box, Effort* effort);                         // over the box
Fraction least(const AffineForm& f, const Region& box, Effort* effort);

std::vector<FormPair> input_forms(std::size_t inputs);
// Weights by sign: the upper bound takes upper forms for positive weights, lower ones for negative. bias may be empty.
std::vector<FormPair> through_linear(const Matrix& weights, const Vector& bias, const std::vector<FormPair>& x,
                                     Effort* effort);
// x is inside [l, u]. alpha in [0, 1] is the slope of the lower line where l < 0 < u; the upper one is the chord.
FormPair through_relu(const FormPair& x, const Fraction& l, const Fraction& u, const Fraction& alpha, Effort* effort);

}  // namespace outward_check::torchlean
