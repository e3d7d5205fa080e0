#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes, of what `swift build` with LIFETRACE_NATS set has built, the program that a build without the trait
# makes, and sees that it says what is missing: the one module that differs is compiled anew, and linked.
#
#     Scripts/without-nats.sh FOLDER [PRODUCTS]      FOLDER/lifetrace is that program; PRODUCTS is .build/debug
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
[ $# -ge 1 ] || { echo "without-nats.sh: where to put the program? Scripts/without-nats.sh FOLDER" >&2; exit 64; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
build=${2:-$root/.build/debug}
# As the package is called in the modules that were built.
package=$(basename "$root" | tr 'A-Z' 'a-z' | tr -c 'a-z0-9\n' _)
[ -x "$build/lifetrace" ] || { echo "without-nats.sh: build first: LIFETRACE_NATS=1 swift build" >&2; exit 64; }

# As Package.swift compiles it, but for the trait.
swiftc -c -module-name LifetraceTransportNATS -package-name "$package" -parse-as-library -wmo \
  -swift-version 6 -warnings-as-errors -enable-upcoming-feature ExistentialAny \
  -enable-upcoming-feature InternalImportsByDefault -enable-testing -I "$build/Modules" \
  -Xcc -fmodule-map-file="$build/CLifetracePlatform.build/module.modulemap" \
  -Xcc -I -Xcc "$root/Sources/CPlatform/include" -Xcc -fmodule-map-file="$root/Sources/CZstd/module.modulemap" \
  "$root"/Sources/TransportNATS/*.swift -o "$folder/TransportNATS.o"
grep -v '/LifetraceTransportNATS\.build/' "$build/lifetrace.product/Objects.LinkFileList" >"$folder/objects"
echo "'$folder/TransportNATS.o'" >>"$folder/objects"
swiftc -L "$build" -o "$folder/lifetrace" -emit-executable -Xlinker --defsym -Xlinker main=LifetraceCommand_main \
  "@$folder/objects" -levent_extra -levent_core
if ldd "$folder/lifetrace" | grep -q libnats; then
  echo "without-nats.sh: the program still links libnats" >&2
  exit 1
fi
