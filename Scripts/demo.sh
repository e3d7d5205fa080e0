#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The main job, from nothing: sets up, builds, and runs `lifetrace demo`, which records the sample app
# while it is really suspended and purged, finds the lost edit, and shows that the fix holds.
#
#     Scripts/demo.sh                 exits 0 when all of that happened as told
#     Scripts/demo.sh --interactive   and leaves you in the debugger, at the loss
#
# With LIFETRACE_BIN, the folder of `lifetrace`, nothing is installed or built.
set -euo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in
  -h | --help)
    sed -n '3,/^set /{/^#/s/^# \{0,1\}//p}' "Scripts/$(basename "$0")"
    exit 0
    ;;
esac

if [ -z "${LIFETRACE_BIN:-}" ]; then
  Scripts/setup.sh
  swift build --product lifetrace
  LIFETRACE_BIN=$(swift build --show-bin-path)
fi
exec "$LIFETRACE_BIN/lifetrace" demo "$@"
