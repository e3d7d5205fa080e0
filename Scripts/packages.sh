#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Scripts/packages.sh [FOLDER]: the test suites of packages that know nothing of lifetrace, run under
# `lifetrace record --observe`; `lifetrace check` must accuse none of them. FOLDER keeps clones, builds and
# recordings for the next time (else they go); it takes some minutes and some gigabytes.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(
  apple/swift-algorithms@1.2.1
  apple/swift-argument-parser@1.8.2
  apple/swift-http-types@1.8.0
  apple/swift-log@1.16.2
  apple/swift-metrics@2.13.0
  apple/swift-numerics@1.1.1
  apple/swift-service-context@1.5.1
  apple/swift-system@1.8.1
  attaswift/BigInt@6.0.1
  swhitty/FlyingFox@0.27.1
  swiftcsv/SwiftCSV@0.10.0
)

case "${1:-}" in
  -*)
    echo "packages.sh: unknown option '$1'; it takes a folder, or nothing" >&2
    exit 64
    ;;
  "") folder="$(mktemp -d)" && trap 'rm -rf "$folder"' EXIT ;;
  *) mkdir -p "$1" && folder="$(cd "$1" && pwd)" ;;
esac

Scripts/setup.sh >&2
swift build >&2
lifetrace="$PWD/.build/debug/lifetrace"

failed=()
for package in "${packages[@]}"; do
  name="${package%@*}" version="${package#*@}"
  home="$folder/${name#*/}"
  said="$home.txt" recording="$home.lifetrace"
  test -d "$home" \
    || git -c advice.detachedHead=false clone -q --depth 1 --branch "$version" \
      "https://github.com/$name" "$home" 2>"$said" \
    || { cat "$said" && failed+=("$name") && continue; }
  (cd "$home" && swift build --build-tests) >"$said" 2>&1 \
    || { echo "$name does not build here:" && tail -3 "$said" && failed+=("$name") && continue; }
  tests=0 verdict=0
  # Taken for apps they are judged by all rules, and must take part for that to say anything.
  (cd "$home" && LIFETRACE_ROLE=app "$lifetrace" record -f --observe -o "$recording" -- \
    swift test --skip-build) >"$said" 2>&1 || tests=$?
  "$lifetrace" check --require-app "$recording" >"$home.check.txt" 2>&1 || verdict=$?
  echo "$name $version: tests exit $tests, check exits $verdict," \
    "$(wc -c <"$recording") bytes: $(tail -1 "$home.check.txt")"
  test "$verdict" = 0 || { cat "$home.check.txt" && failed+=("$name"); }
done
test "${#failed[@]}" = 0 || { echo "not clean: ${failed[*]}" && exit 1; }
