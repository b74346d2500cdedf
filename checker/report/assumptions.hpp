// What a VALID may rest on only if the user said so with --allow: every name that the option takes, in one table.
// TRUST.md says the same.
#pragma once

namespace outward_check {

struct Assumption {
  const char *name, *used;  // of --allow NAME; where it takes the place of a computation
};
inline constexpr const char* shards_run_elsewhere = "shards-run-elsewhere";
inline constexpr Assumption assumptions[] = {
    {"asserted-bounds",
     "the lower bounds or intervals that the file asserts are taken from it, in the comparison of every leaf with its "
     "threshold and of every sample with its margin; --model or --recompute computes them instead"},
    {shards_run_elsewhere,
     "that this checker followed the shards is taken from the records given to --join; checking the whole certificate "
     "follows them here"},
};

}  // namespace outward_check
