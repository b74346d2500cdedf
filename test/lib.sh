# Shell functions shared by quickstart, test/run and .ci/run. Assumes bash, `set -euo pipefail`, and that the caller has
# changed into the root of the source tree. Promises: nothing touches the network unless a package is missing.

# Prints a command, then runs it.
show() {
  printf '$ %s\n' "$*"
  "$@"
}

# The packages of test/packages.txt that this machine lacks, on one line.
missing_packages() {
  local package instead
  while read -r package instead; do
    case "$package" in '' | '#'*) continue ;; esac
    case "$instead" in
      '') ;;
      /*) [ -e "$instead" ] && continue ;;
      *) command -v "$instead" >/dev/null && continue ;;
    esac
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)" = installed ] || printf '%s ' "$package"
  done <test/packages.txt
}

# Installs what is missing. Without the right to do so: prints the line to run and exits with 3.
install_packages() {
  if ! command -v dpkg-query >/dev/null; then
    echo "note: no dpkg on this machine; what is missing of test/packages.txt will be named by CMake"
    return 0
  fi
  local missing as_root=()
  missing=$(missing_packages)
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    if ! { command -v sudo && sudo -n true; } >/dev/null 2>&1; then
      echo "packages are missing and this user may not install them; please run:" >&2
      echo "  sudo apt-get update && sudo apt-get install --no-install-recommends ${missing% }" >&2
      exit 3
    fi
    as_root=(sudo -n)
  fi
  echo "installing: ${missing% }"
  local quiet=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0)
  # shellcheck disable=SC2086  # one word per package
  "${as_root[@]}" "${quiet[@]}" update </dev/null &&
    "${as_root[@]}" "${quiet[@]}" install -y --no-install-recommends $missing </dev/null >/dev/null && return 0
  echo "installing failed; please run:" >&2
  echo "  sudo apt-get update && sudo apt-get install --no-install-recommends ${missing% }" >&2
  exit 3
}

# Builds a preset (targets optional); on two processors or more, as many jobs as there are.
build() {
  local preset=$1
  shift
  show cmake --preset "$preset"
  show cmake --build --preset "$preset" ${1:+--target "$@"}
}

# Runs the tests of a build folder (further arguments go to ctest), then prints what was skipped and, last, "N passed,
# N failed": test cases of all test programs, a program that failed without saying so counting as one. Returns 1 unless
# all passed.
run_tests() {
  local folder=$1 junit=$1/test-results.xml log=$1/Testing/Temporary/LastTest.log status=0
  shift
  ctest --test-dir "$folder" "$@" --output-on-failure --no-tests=error --parallel "$(nproc)" \
    --output-junit "$(realpath -m "$junit")" </dev/null || status=1
  echo
  grep -o 'SKIPPED:.*' "$log" | sort -u || true
  awk -v programs="$(grep -o 'failures="[0-9]*"' "$junit" | head -n 1 | tr -dc 0-9)" '
    /test cases: *[0-9]+ \| *[0-9]+ passed \| *[0-9]+ failed/ { split($0, part, "|"); passed += part[2]; failed += part[3] }
    END { if (failed < programs) failed = programs; printf "%d passed, %d failed\n", passed, failed }' "$log"
  return $status
}
