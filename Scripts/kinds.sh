#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes what lifetrace_kinds.h declares where else it is needed: the vocabulary of the SDK and of
# the trace, the schema, the payloads, the table of the format page. With --check it only says which
# of these files are not what it would write, and fails.
set -euo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in
  --check | "") PYTHONDONTWRITEBYTECODE=1 exec python3 Scripts/kinds/kinds.py "$@" ;;
  *)
    echo "kinds.sh: unknown option '$1'; it takes --check" >&2
    exit 64
    ;;
esac
