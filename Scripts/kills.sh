#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Kills app, recorder, both and recovery at random moments, and accounts for every event: present,
# lost or let go, in each kind of recording. A line for each, and one for each run that does not add up.
#
#     Scripts/kills.sh                20 runs of each of the 16
#     Scripts/kills.sh RUNS [SEED]    as many, with another seed
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/setup.sh --tests
swift build -c release --product lifetrace >&2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cc -O1 -ISources/CLifetrace/include Scripts/kills/emitter.c Sources/CLifetrace/*.c -lpthread \
  -o "$folder/emitter"
LT="$(swift build -c release --show-bin-path)/lifetrace"
export LT EMITTER="$folder/emitter"
for victim in app recorder both recovery; do
  for mode in plain max-size last-bytes last-time; do
    python3 Scripts/kills/kills.py "$victim" "$mode" "${1:-20}" "${2:-1}"
  done
done
