#!/bin/sh
# A pre-norm transformer block and online softmax in three formats: bounds beside observed errors, with the sources of
# the formulas. The programs are built by `roundoff` itself (bounds/roundoff/specs.cpp). Usage: roundoff_transformer.sh BIN
set -eu
bin=${1:?folder of the programs}
for format in binary32 binary16 bfloat16; do
  for op in "online-softmax --n 1024 --d 4 --block 64" "attention --n 128 --d 16" "transformer-block --n 16 --d 32"; do
    # shellcheck disable=SC2086
    "$bin/roundoff" --op $op --format "$format" --accumulate binary32 --samples 4 || [ $? -eq 2 ]
    echo
  done
done
"$bin/roundoff" --operators
