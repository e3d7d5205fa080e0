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
# A crash says where it was, and of the thread that crashed only.
export SWIFT_BACKTRACE="${SWIFT_BACKTRACE:-enable=yes,interactive=no,color=no,registers=none,images=none,threads=crashed}"
# In a session of their own and into a file: where the tests crash, the apps that they have started stay, and whoever
# waited for the end of a pipe that these hold, as `swift test` itself does, would wait for ever.
setsid swift test --skip-build "$@" > "$log" 2>&1 < /dev/null &
tests=$!
trap 'pkill -KILL --session "$tests" 2> /dev/null || true; rm -f "$log"' EXIT
tail -n +1 -s 0.2 --pid="$tests" -f "$log" &
shown=$!
# The whole suite takes eight minutes of two processors.
minutes=${LIFETRACE_TEST_MINUTES:-$([ "$large" = yes ] && echo 600 || echo 40)}
seconds=0
alone=0
cut=
while kill -0 "$tests" 2> /dev/null; do
  sleep 1
  seconds=$((seconds + 1))
  # The process of the tests is the one below `swift test`, which does not even fetch it where a pipe is held open.
  if [ "$seconds" -lt 60 ] || ps -o stat= --ppid "$tests" | grep -qv '^Z'; then
    alone=0
  else
    alone=$((alone + 1))
  fi
  [ "$alone" -lt 60 ] || cut="the tests ended, and apps that they had started did not"
  [ "$seconds" -lt $((minutes * 60)) ] || cut="the tests did not end within $minutes minutes"
  if [ -n "$cut" ]; then
    left=$(pgrep --session "$tests" --list-full || true)
    # `swift test` last, which prints what it still holds back once nobody is below it.
    pgrep --session "$tests" | grep -vx "$tests" | xargs -r kill -KILL || true
    timeout 30 tail --pid="$tests" -f /dev/null || true
    pkill -KILL --session "$tests" || true
    break
  fi
done
status=0
wait "$tests" || status=$?
wait "$shown" || true
if [ "$status" -ne 0 ] || [ -n "$cut" ]; then
  echo "test.sh: what failed:" >&2
  # Where no test says that it failed, the run was cut short: its last lines tell why.
  if ! grep -a -A 4 'recorded an issue' "$log" >&2; then
    tail -n 60 "$log" >&2
    # A test that started and did not end is one that hung, or was under way at the crash.
    echo "test.sh: under way were:" >&2
    sed -n 's/^◇ Test \(.*\) started\.$/\1/p' "$log" | grep -v -e '^case ' -e '^run$' | sort > "$log.started"
    sed -n -E 's/^[✔✘] Test (.*) (passed|failed) after .*$/\1/p' "$log" \
      | sed -E 's/ with [0-9]+ test cases$//' | sort > "$log.ended"
    comm -23 "$log.started" "$log.ended" >&2
    rm -f "$log.started" "$log.ended"
    # A backtrace is in the middle of what the other threads went on to print.
    grep -a -A 20 -e 'Fatal error' -e '"lifetracePackag.*crashed' "$log" | tail -n 120 >&2 || true
  fi
  if [ -n "$cut" ]; then
    echo "test.sh: $cut. What was left of them was killed:" >&2
    echo "$left" | cut -c 1-200 >&2
  fi
  exit "$([ "$status" -eq 0 ] && echo 1 || echo "$status")"
fi
