#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The main job, from nothing: sets up, builds, records the sample app while it is really
# suspended and purged, finds the lost edit, walks back to it, and shows that the fix holds.
#
#     Scripts/demo.sh                 exits 0 when all of that happened as told
#     Scripts/demo.sh --interactive   and leaves you in the debugger, at the loss
#
# With LIFETRACE_BIN, a folder with `lifetrace` and `notes`, nothing is installed or built.
set -euo pipefail
interactive=no
case "${1:-}" in
  "") ;;
  --interactive) interactive=yes ;;
  -h | --help)
    sed -n '3,/^set /{/^#/s/^# \{0,1\}//p}' "$0"
    exit 0
    ;;
  *)
    echo "demo.sh: unknown option '$1'; it takes --interactive" >&2
    exit 64
    ;;
esac

cd "$(dirname "$0")/.."

fail() {
  echo "demo.sh: $*" >&2
  exit 1
}

# Prints a command the way a user would type it, then runs it.
run() {
  printf '\n$'
  for word in "$@"; do
    case "$word" in
      *[!A-Za-z0-9_./%=:-]*) printf ' "%s"' "${word//$PWD\//}" ;;
      *) printf ' %s' "${word//$PWD\//}" ;;
    esac
  done
  printf '\n'
  "$@"
}

if [ -z "${LIFETRACE_BIN:-}" ]; then
  Scripts/setup.sh
  swift build --product lifetrace
  swift build --product notes
  LIFETRACE_BIN=$(swift build --show-bin-path)
fi
PATH="$LIFETRACE_BIN:$PATH"
scenario=Sources/Examples/Notes/lost-edit.yml
folder=$(mktemp -d "${TMPDIR:-/tmp}/lifetrace-demo.XXXXXX")
[ "$interactive" = yes ] || trap 'rm -rf "$folder"' EXIT

echo
echo "== The app, with the mistake: its last edit waits for the autosave while it is suspended."
run lifetrace record --scenario "$scenario" -o "$folder/lost.lifetrace" -- notes

status=0
run lifetrace check "$folder/lost.lifetrace" || status=$?
[ "$status" = 1 ] || fail "check should have found the loss and exited 1; it exited $status"

echo
echo "== Backward, from the purge to the edit, and to the callback that should have saved it."
run lifetrace replay --batch --echo "$folder/lost.lifetrace" \
  -e "goto 100%" -e "prev purge" -e dirty -e "prev callback didEnterBackground" -e "prev dirty" -e why

echo
echo "== The same scenario, with the app fixed: it saves when it enters the background."
run lifetrace record --scenario "$scenario" -o "$folder/fixed.lifetrace" -- notes --fixed
run lifetrace check "$folder/fixed.lifetrace" || fail "check should have found nothing"

echo
echo "demo.sh: the loss was found and explained, and the fix holds."
if [ "$interactive" = no ]; then
  echo "The recordings are gone with this script; Scripts/demo.sh --interactive keeps them, and"
  echo "leaves you in the debugger at the loss."
fi
if [ "$interactive" = yes ]; then
  echo "The recordings are in $folder."
  echo
  echo "== The debugger, at the loss: try why, prev dirty, help; quit leaves."
  exec lifetrace replay "$folder/lost.lifetrace"
fi
