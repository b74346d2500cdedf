// The kinds of TorchLean artifacts, one file each: what a document of the kind looks like, and its acceptance
// predicate. The predicates are those of the format; each file says what is claimed, checked and left open.
#pragma once
#include "checker/translate/foreign.hpp"

namespace outward_check {

bool is_crown_query(const JsonText& document);
Judgement judge_crown_query(const JsonText& document, const ForeignOptions& options);
bool is_monotonicity(const JsonText& document);
Judgement judge_monotonicity(const JsonText& document, const ForeignOptions& options);
bool is_spline(const JsonText& document);
Judgement judge_spline(const JsonText& document, const ForeignOptions& options);
bool is_camera(const JsonText& document);
Judgement judge_camera(const JsonText& document, const ForeignOptions& options);
bool is_leaf_artifact(const JsonText& document);
Judgement judge_leaf_artifact(const JsonText& document, const ForeignOptions& options);
bool is_margin(const JsonText& document);
Judgement judge_margin(const JsonText& document, const ForeignOptions& options);
bool is_node_certificate(const JsonText& document);
Judgement judge_node_certificate(const JsonText& document, const ForeignOptions& options);
bool is_ibp_result(const JsonText& document);
Judgement judge_ibp_result(const JsonText& document, const ForeignOptions& options);
bool is_ode(const JsonText& document);
Judgement judge_ode(const JsonText& document, const ForeignOptions& options);
bool is_pinn(const JsonText& document);
Judgement judge_pinn(const JsonText& document, const ForeignOptions& options);
bool is_property_suite(const JsonText& document);
Judgement judge_property_suite(const JsonText& document, const ForeignOptions& options);

}  // namespace outward_check
