// The rules behind the table in operators.cpp. Internal to bounds/roundoff; signature and promise: operators.hpp.
#pragma once
#include "bounds/roundoff/operators.hpp"
#include "bounds/roundoff/sums.hpp"
#include "formats/elementary/functions.hpp"

namespace outward::roundoff {

void map_rule(const Call&, Outcome&);
void contraction_rule(const Call&, Outcome&);  // dense, conv
void reduce_rule(const Call&, Outcome&);
void bn_rule(const Call&, Outcome&);
void bn_folded_rule(const Call&, Outcome&);
void add_rule(const Call&, Outcome&);
void shift_rule(const Call&, Outcome&);
void scale_rule(const Call&, Outcome&);
void divide_rule(const Call&, Outcome&);
void neg_rule(const Call&, Outcome&);
void relu_rule(const Call&, Outcome&);
void leaky_rule(const Call&, Outcome&);
void clip_rule(const Call&, Outcome&);
void abs_rule(const Call&, Outcome&);
void max_rule(const Call&, Outcome&);
void multiply_rule(const Call&, Outcome&);
void matvec_rule(const Call&, Outcome&);
void function_rule(const Call&, Outcome&);  // exp, log, sigmoid, tanh, erf, gelu
void sqrt_rule(const Call&, Outcome&);
void softmax_rule(const Call&, Outcome&);
void log_softmax_rule(const Call&, Outcome&);
void online_softmax_rule(const Call&, Outcome&);
void layernorm_rule(const Call&, Outcome&);
void rmsnorm_rule(const Call&, Outcome&);
void cast_rule(const Call&, Outcome&);

// Ranges of products and of quotients by an interval without 0.
Term product(double a_lo, double a_hi, double b_lo, double b_hi);

// f at a number, on the side asked for, within 2^-56 relative. REQUIRES x in the domain of f.
double function_down(Function f, double x);
double function_up(Function f, double x);

// Error of dividing a computed number of at most `dividend` by one that does not change, the quotient being at most
// `quotient`: one division, or where any rewriting is allowed a product with the rounded reciprocal (three roundings;
// a reciprocal below the least normal number errs by eta, which the dividend multiplies).
double quotient_error(double dividend, double quotient, const FormatModel& format, const Arithmetic& arithmetic);

// Error of an elementary function of the declared quality whose results are at most `magnitude`.
double function_error(double magnitude, const Arithmetic& arithmetic);

// Sets an element: range, propagated error and the local error of computing `exact value + propagated` with one
// rounding into the format of stored values plus `before`, an error made before it.
void finish_element(Outcome& out, std::size_t i, double lo, double hi, double propagated, double local, double largest);

}  // namespace outward::roundoff
