#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up, checks the format, builds with warnings as errors, checks the documentation, runs every test.
#
#     Scripts/test.sh                     as in CI: the slow families (kill loops, fuzzing) small
#     Scripts/test.sh --large             the slow families a hundred times larger, what `lifetrace init`
#                                         and `explore` write in packages of their own, and the page and
#                                         the exports in a browser
#     Scripts/test.sh --real-logs DIR     also import every log in DIR
#     Scripts/test.sh -- --filter NAME    what follows -- goes to `swift test`
set -euo pipefail
cd "$(dirname "$0")/.."

large=no
while [ $# -gt 0 ]; do
  case "$1" in
    --large)
      large=yes
      export LIFETRACE_TEST_SCALE=100
      ;;
    --real-logs)
      [ -d "${2:-}" ] || { echo "test.sh: --real-logs takes a folder" >&2; exit 64; }
      LIFETRACE_REAL_LOGS=$(cd "$2" && pwd)
      export LIFETRACE_REAL_LOGS
      shift
      ;;
    --)
      shift
      break
      ;;
    *)
      echo "test.sh: unknown option '$1'; it takes --large, --real-logs DIR, and -- for swift test" >&2
      exit 64
      ;;
  esac
  shift
done

Scripts/setup.sh --tests --with-nats
Scripts/format.sh --check
# Each of these builds, and all with the trait NATS: see Package.swift.
export LIFETRACE_NATS=1
# Where nobody builds again, as in CI, debug builds optimise the libraries: see Package.swift.
[ -z "${CI:-}" ] || export LIFETRACE_OPTIMIZED=1
swift build --build-tests
Scripts/docs.sh --check
if [ "$large" = yes ]; then
  Scripts/setup.sh --browser
  Scripts/browser.sh
  Scripts/judges.sh
fi
# What tests build in packages of their own is as users build it.
unset LIFETRACE_OPTIMIZED
# What failed is said once more at the end, where a log that is cut to its tail still has it.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# A crash says where it was.
export SWIFT_BACKTRACE="${SWIFT_BACKTRACE:-enable=yes,interactive=no,color=no,registers=none,images=none}"
swift test --skip-build "$@" 2>&1 | tee "$log" || {
  status=$?
  echo "test.sh: what failed:" >&2
  # Where no test says that it failed, the run was cut short: its last lines tell why.
  grep -a -A 4 'recorded an issue' "$log" >&2 || tail -n 60 "$log" >&2
  exit "$status"
}
