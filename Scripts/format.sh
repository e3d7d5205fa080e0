#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Formats every Swift file; with --check it only says what is not formatted, and fails.
set -euo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in
  --check) swift format lint --strict --parallel --recursive Sources Tests Package.swift ;;
  "") swift format --in-place --parallel --recursive Sources Tests Package.swift ;;
  *)
    echo "format.sh: unknown option '$1'; it takes --check" >&2
    exit 64
    ;;
esac
