#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The API documentation of what the package hands out, made by the toolchain's docc.
#
#     Scripts/docs.sh FOLDER      a folder for each module, to be served by any web server
#     Scripts/docs.sh --check     writes none; fails where docc warns of anything, or a page of a release
#                                 leads nowhere (Scripts/package.sh --pages)
set -euo pipefail
cd "$(dirname "$0")/.."

graphs="$(mktemp -d)"
trap 'rm -rf "$graphs"' EXIT
case "${1:?usage: Scripts/docs.sh FOLDER | --check}" in
  --check)
    folder="$graphs/pages"
    Scripts/package.sh --pages
    ;;
  -*)
    echo "docs.sh: unknown option '$1'; it takes a folder, or --check" >&2
    exit 64
    ;;
  *) folder="$1" ;;
esac
mkdir -p "$folder"

Scripts/setup.sh
swift build >&2
products="$(swift build --show-bin-path)"
arguments=()
for target in CLifetrace CLifetracePlatform CLifetraceUnseen; do
  arguments+=(-Xcc "-fmodule-map-file=$products/$target.build/module.modulemap")
done
for map in Sources/C*/module.modulemap; do arguments+=(-Xcc "-fmodule-map-file=$map"); done
case "$(uname -m)" in
  arm64 | aarch64) target=aarch64-unknown-linux-gnu ;;
  *) target=x86_64-unknown-linux-gnu ;;
esac

warned=no
for module in Lifetrace LifetraceApp LifetraceTesting LifetraceXCTest LifetraceTrace \
  LifetraceTraceFile LifetraceLifecycle LifetraceRules LifetraceWords; do
  mkdir "$graphs/$module"
  swift symbolgraph-extract -module-name "$module" -I "$products/Modules" "${arguments[@]}" \
    -target "$target" -minimum-access-level public -skip-synthesized-members \
    -output-dir "$graphs/$module"
  docc convert --additional-symbol-graph-dir "$graphs/$module" --output-path "$folder/$module" \
    --fallback-display-name "$module" --fallback-bundle-identifier "lifetrace.$module" \
    --warnings-as-errors >"$graphs/$module/said" 2>&1 || {
    warned=yes
    echo "docc warns of $module:" >&2
    cat "$graphs/$module/said" >&2
  }
done
test "$warned" = no
