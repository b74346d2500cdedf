#!/bin/bash
# VNN-COMP: install_tool.sh v1. Builds everything; needs root or sudo for the Debian packages.
set -euo pipefail
[ "${1:-}" = v1 ] || { echo "expected version v1, found ${1:-nothing}" >&2; exit 1; }
exec "$(dirname "$0")/../../quickstart"
