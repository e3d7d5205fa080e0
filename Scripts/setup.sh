#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing on Debian 12 or Ubuntu 22.04 and later. Swift itself must be there.
#
#     Scripts/setup.sh            what a build needs, and `disk` in a scenario (e2fsprogs)
#     Scripts/setup.sh --tests    and what the tests need
#     Scripts/setup.sh --browser  and the browser in which pages and exports are tried
#     Scripts/setup.sh --peers    and the tracers that the benchmarks compare with
#     Scripts/setup.sh --with-nats    and what `swift build --traits NATS` and its tests need
set -euo pipefail

cd "$(dirname "$0")/.."

sdk=no
packages=(libzstd-dev libreadline-dev libyaml-dev libsqlite3-dev libevent-dev e2fsprogs)
for argument in "$@"; do
  case "$argument" in
    --tests)
      packages+=(tmux procps zstd sqlite3 python3 python3-venv util-linux git gcc libc6-dev)
      sdk=yes
      ;;
    --with-nats) packages+=(libnats-dev libssl-dev nats-server openssl) ;;
    --browser) packages+=(chromium python3 python3-venv) ;;
    --peers) packages+=(lttng-tools liblttng-ust-dev babeltrace2 uftrace gcc libc6-dev) ;;
    *)
      echo "setup.sh: unknown option '$argument'; it takes --tests, --with-nats, --browser and --peers" >&2
      exit 64
      ;;
  esac
done

if ! command -v swift >/dev/null; then
  echo "setup.sh: swift is not on the PATH. lifetrace builds with Swift 6.2 or later:" >&2
  echo "  https://www.swift.org/install/linux/" >&2
  exit 1
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done

if [ ${#missing[@]} -gt 0 ]; then
  if [ "$(id -u)" = 0 ]; then
    as_root=()
  elif command -v sudo >/dev/null; then
    as_root=(sudo)
  else
    echo "setup.sh: missing packages, and neither root nor sudo to install them:" >&2
    echo "  apt-get install ${missing[*]}" >&2
    exit 1
  fi
  echo "setup.sh: installing ${missing[*]}" >&2
  export DEBIAN_FRONTEND=noninteractive
  "${as_root[@]}" apt-get update -qq </dev/null
  "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" </dev/null >/dev/null
fi

# What sends to `record --otlp` in the tests: the SDK itself, from PyPI.
if [ "$sdk" = yes ] && [ ! -e .build/opentelemetry/complete ]; then
  echo "setup.sh: installing the SDK of OpenTelemetry for Python into .build/opentelemetry" >&2
  python3 -m venv .build/opentelemetry
  .build/opentelemetry/bin/pip install --quiet --disable-pip-version-check \
    opentelemetry-sdk==1.45.0 opentelemetry-exporter-otlp-proto-http==1.45.0
  touch .build/opentelemetry/complete
fi
