// What `check` tries before it judges anything: the modes of the processor and every engine, through the same entry
// points as proofs use. It can only refuse to start.
#pragma once
#include <string>

namespace outward_check {

std::string self_test_fault();  // empty when sound

}  // namespace outward_check
