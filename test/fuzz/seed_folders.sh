#!/usr/bin/env bash
# Prints the folders of seeds of a fuzz target, one per line: what the build and test/long/fuzz give its program.
# Usage: seed_folders.sh TARGET   (check_onnx, ...). Folders that are not there, such as the outside corpus, are left out.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source=$(dirname "$(dirname "$here")")
certificates=$source/certificates/examples
folders=("$source/examples" "$here/seeds/$1" "$source/../shared/cases/hostile")
case $1 in
  check_certificate) folders+=("$certificates/accepted") ;;
  check_onnx | import_onnx) folders+=("$certificates/models" "$here/seeds/import_onnx") ;;
  check_vnnlib | import_vnnlib) folders+=("$certificates/properties") ;;
  check_array | import_array) folders+=("$certificates/centres" "$here/seeds/check_array" "$here/seeds/check_png") ;;
esac
printf '%s\n' "${folders[@]}" | sort -u | while read -r folder; do
  if [ -d "$folder" ]; then printf '%s\n' "$folder"; fi
done
