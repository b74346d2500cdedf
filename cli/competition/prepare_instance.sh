#!/bin/bash
# VNN-COMP: prepare_instance.sh v1 CATEGORY ONNX VNNLIB. Nothing is prepared; a model that is refused is said so here.
set -uo pipefail
[ "${1:-}" = v1 ] || { echo "expected version v1, found ${1:-nothing}" >&2; exit 1; }
bin="${OUTWARD_BIN:-$(dirname "$0")/../../build/release/bin}"
"$bin/model" check "$3" > /dev/null
