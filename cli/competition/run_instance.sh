#!/bin/bash
# VNN-COMP: run_instance.sh v1 CATEGORY ONNX VNNLIB RESULTS TIMEOUT. RESULTS gets sat, unsat, timeout, unknown or error,
# after sat the counterexample. Exits with 0 whatever the verdict.
set -uo pipefail
[ "${1:-}" = v1 ] || { echo "expected version v1, found ${1:-nothing}" >&2; exit 1; }
model=$3 property=$4 results=$5 timeout=$6
bin="${OUTWARD_BIN:-$(dirname "$0")/../../build/release/bin}"
witness=$(mktemp)
trap 'rm -f "$witness"' EXIT
word=$("$bin/verify" "$model" "$property" --timeout "$timeout" --competition --witness "$witness" | head -n 1)
case "$word" in
  sat) { echo sat; cat "$witness"; } > "$results" ;;
  unsat | timeout | unknown) echo "$word" > "$results" ;;
  *) echo error > "$results" ;;
esac
