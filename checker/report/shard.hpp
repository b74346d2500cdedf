// A part of the work of checking one big certificate (certificates/TRUST.md, "Shards"). Assumes nothing about the file.
// Promises that shard K of N follows every record of the scopes that its share of the file lies in, that all shards
// together follow every record, and that no shard is VALID by itself.
//
// How: the kernel is given the certificate with every scope outside the share left open (`open`), which it knows how to
// check and calls INCOMPLETE. What `open` takes for granted, that those scopes refute the cases that they list, is
// looked at here for the whole tree: every case of every box has to be refuted by the records as they stand.
// Shards of a composition (composition.hpp) are sets of its rows; they share the records and the joining.
#pragma once
#include <string>

#include "checker/report/line.hpp"

namespace outward_check {

// options.shard: INCOMPLETE with a shard record among the statements, or why not. Throws UsageError, ReadError.
Line shard_line(const std::string& file, const Options& options);

// options.joined: files with shard records (what --shard printed). VALID_WITH_ASSUMPTIONS (shards-run-elsewhere), or
// VALID if that was allowed, only if they name all shards 1 … N of this certificate and this question.
Line join_line(const std::string& file, const Options& options);

// What a shard record says besides its number.
struct ShardContent {
  std::string certificate, graph, property;  // digests
  std::string claim, semantics;
};

// The line of a shard that follows: INCOMPLETE, with its record. of_what: of which proof.
void state_shard(const ShardContent& content, const Options& options, const std::string& of_what, Line* line);

// Reads options.joined. The line becomes VALID_WITH_ASSUMPTIONS or VALID, as for join_line, or INCOMPLETE with reasons.
void join_records(const ShardContent& content, const std::string& detail, const Options& options, Line* line);

}  // namespace outward_check
