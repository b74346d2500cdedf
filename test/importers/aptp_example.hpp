// A small APTP proof in pieces: two inputs, one output, two hidden neurons, three leaves that cover their phases.
#pragma once
#include <string>

namespace outward::testing::aptp {

inline const std::string declarations =
    "(declare-const X_0 Real)\n(declare-const X_1 Real)\n(declare-const Y_0 Real)\n";
inline const std::string neurons = "(declare-pwl N_1 ReLU)\n(declare-pwl N_2 ReLU)\n";
inline const std::string conditions =
    "(assert (<= X_0 1.0))(assert (>= X_0 -1.0))\n(assert (<= X_1 1.0))(assert (>= X_1 -1e-3))\n(assert (<= Y_0 "
    "0.5))\n";
inline const std::string leaves =
    "(assert (or\n (and (< N_2 0))\n (and (>= N_2 0) (>= N_1 0)) (and (>= N_2 0) (< N_1 0.0))))\n";
inline const std::string good = "; a comment\n" + declarations + neurons + conditions + leaves;

}  // namespace outward::testing::aptp
