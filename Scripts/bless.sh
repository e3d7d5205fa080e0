#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Rewrites the golden files from what the program prints now. Read the diff before committing it.
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/setup.sh --tests
LIFETRACE_BLESS=1 swift test "$@" || true
git status --short -- Traces Tests '*.md'
