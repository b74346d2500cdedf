#!/usr/bin/env bash
# Runs one libFuzzer program for some seconds and sums up what it did in one line.
# Usage: libfuzzer.sh PROGRAM SECONDS SEED_FOLDER...
# Keeps the inputs it finds interesting in corpus/PROGRAM of the working directory and starts from them the next time.
# Promises: after a finding the input that shows it is in the working directory and the exit status is not 0.
set -euo pipefail
program=$1 name=$(basename "$1") seconds=$2
shift 2
mkdir -p "corpus/$name"
status=0
"$program" -max_total_time="$seconds" -max_len=131072 -timeout=20 -rss_limit_mb=3000 -print_final_stats=1 -verbosity=1 \
  -artifact_prefix="$name-" "corpus/$name" "$@" >"$name.log" 2>&1 || status=$?
if [ "$status" -ne 0 ]; then
  tail -n 60 "$name.log"
  echo "test cases: 1 | 0 passed | 1 failed"
  exit "$status"
fi
stat() { sed -n "s/^stat::$1: *//p" "$name.log"; }
covered=$(grep -o 'cov: [0-9]* ft: [0-9]*' "$name.log" | tail -n 1)
echo "$name: $seconds s, $(stat number_of_executed_units) inputs, ${covered:-no coverage}, peak $(stat peak_rss_mb) MB, no finding"
echo "test cases: 1 | 1 passed | 0 failed"
