#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures lifetrace, each row beside a peer in the same run where there is one.
#
#     Scripts/bench.sh                every row
#     Scripts/bench.sh NAME ...       some rows; --list names them
#     Scripts/bench.sh --peers        also LTTng-UST with babeltrace2, and uftrace (installs them)
set -euo pipefail
cd "$(dirname "$0")/.."

peers=no
arguments=()
for argument in "$@"; do
  case "$argument" in
    --peers) peers=yes ;;
    -h | --help)
      sed -n "3,7s/^# \{0,1\}//p" Scripts/bench.sh
      exit 0
      ;;
    *) arguments+=("$argument") ;;
  esac
done

Scripts/setup.sh
swift build -c release --product Benchmarks >&2
# `lifetrace` and the sample app are measured too, as whole programs.
swift build -c release --product lifetrace >&2
swift build -c release --product notes >&2
LIFETRACE_BINARY="$(swift build -c release --show-bin-path)/lifetrace"
export LIFETRACE_BINARY
# Traces of many writers take a minute to make up, and are the same each time: some 1,000 MB.
LIFETRACE_BENCH_CACHE="${LIFETRACE_BENCH_CACHE:-$PWD/.build/bench}"
export LIFETRACE_BENCH_CACHE
mkdir -p "$LIFETRACE_BENCH_CACHE"
"$(swift build -c release --show-bin-path)/Benchmarks" "${arguments[@]}"
if [ "$peers" = yes ]; then
  Scripts/setup.sh --peers
  Scripts/peers/run.sh
fi
