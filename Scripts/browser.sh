#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Drives the page of `lifetrace report` in Chromium, as a person does: see Tests/Browser/report.py. What
# drives it comes from PyPI into .build/browser, or stands in $LIFETRACE_BROWSER; Chromium is that of
# the system, or $LIFETRACE_CHROMIUM. A number of events, for the page of a large recording, may follow.
set -euo pipefail
cd "$(dirname "$0")/.."

chromium=${LIFETRACE_CHROMIUM:-$(command -v chromium || command -v chromium-browser || true)}
if [ -z "$chromium" ]; then
  echo "There is no Chromium here. On Debian: apt-get install chromium" >&2
  exit 1
fi
tools=${LIFETRACE_BROWSER:-.build/browser}
if [ ! -x "$tools/bin/python" ]; then
  python3 -m venv "$tools"
  "$tools/bin/pip" install --quiet playwright axe-playwright-python
fi
swift build --product lifetrace
swift build --product Benchmarks
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
"$tools/bin/python" Tests/Browser/report.py .build/debug/lifetrace .build/debug/Benchmarks "$chromium" "$scratch" "$@"
