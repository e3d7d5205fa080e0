#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes what a release hands out: a tarball whose program needs nothing but the kernel, a .deb, and the
# source of both. The same commit gives the same bytes where Swift, the packages and the static libraries
# of the system are the same too: share/doc/lifetrace/copyright says which Swift and packages it were.
#
#     Scripts/package.sh FOLDER           builds, and writes all of it into FOLDER
#     Scripts/package.sh --check FOLDER   also tries it: as root in a bare Debian without Swift (made by
#                                         debootstrap), as an ordinary user, in a container without rights
#     Scripts/package.sh --pages          builds nothing: checks that the pages lead to what is handed out
#                                         with them, and that the example in C compiles against it
#
# The program is built for this processor; others need a machine of their kind. A minute once it is
# built (into .build/package, beside what tests use), and with --check half a minute more (and once the
# bare Debian, of 60 MB).
set -euo pipefail
cd "$(dirname "$0")/.."

# What a release may be: bin/lifetrace in bytes, and the mean of 50 runs of `lifetrace --version`. Of its
# bytes 5 million are Swift's standard library, and 3 million libraries of the system.
size_max=20000000
start_ms_max=15

# Every page, with what it leads to; and what a program in C needs, which they lead to as well.
pages() { # TREE
  local doc=$1/share/doc/lifetrace
  mkdir -p "$doc" "$1/share/lifetrace"
  python3 Scripts/package/pages.py copy "$doc"
  cp -R Sources/CLifetrace Sources/Examples/C/diary.c Sources/Examples/C/diary.yml "$1/share/lifetrace/"
  ln -s ../../../lifetrace/CLifetrace "$doc/Sources/CLifetrace"
  cp Scripts/package/INSTALL.md "$1/"
}

if [ "${1:-}" = --pages ]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  mkdir "$work/bin" "$work/lib" && touch "$work/bin/lifetrace" "$work/lib/libLifetraceObserve.so"
  mkdir -p "$work/share/man" "$work/share/bash-completion/completions" \
    "$work/share/zsh/site-functions" "$work/share/fish/vendor_completions.d"
  touch "$work/share/bash-completion/completions/lifetrace" \
    "$work/share/fish/vendor_completions.d/lifetrace.fish"
  pages "$work"
  Scripts/package/check.sh --pages "$work"
  exit
fi

check=no
[ "${1:-}" != --check ] || { check=yes && shift; }
case "${1:-}" in
  "" | -*)
    echo "usage: Scripts/package.sh [--check] FOLDER | --pages" >&2
    exit 64
    ;;
esac
mkdir -p "$1"
out=$(cd "$1" && pwd)

Scripts/setup.sh >&2
for tool in dpkg-deb objdump strip python3; do
  command -v "$tool" >/dev/null || { echo "package.sh: $tool is missing: apt-get install dpkg binutils python3" >&2 && exit 1; }
done
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH LC_ALL=C
commit=$(git rev-parse HEAD)
git diff --quiet HEAD || commit="$commit, with changes"
machine=$(uname -m)
day=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%d)

# Statically linked, the C library too: it starts in half the time, and runs on any distribution.
# For size: one seventh less of our own code than with -O, one copy of functions that are the same, and
# no tables for unwinding, a tenth of the whole: nothing in it throws or cancels a thread as C++ and C do.
# What is built for tests with other traits and options stands elsewhere, and stays.
unset LIFETRACE_NATS LIFETRACE_OPTIMIZED
build() { swift build --scratch-path .build/package "$@"; }
release=(-c release --static-swift-stdlib -Xswiftc -static-executable -Xlinker -ltinfo
  -Xswiftc -Osize -Xswiftc -Xfrontend -Xswiftc -function-sections -Xswiftc -use-ld=lld -Xlinker --icf=all
  -Xlinker "$PWD/Scripts/package/no-unwinding.ld" -Xlinker --no-eh-frame-hdr)
# Without Foundation, which one file of swift-argument-parser takes its JSON from: ours in its place.
parser=.build/package/checkouts/swift-argument-parser/Sources/ArgumentParser
swift package --scratch-path .build/package resolve >&2
[ -f "$parser/Utilities/Foundation.swift" ] ||
  { echo "package.sh: swift-argument-parser has no Utilities/Foundation.swift any more, which is replaced here" >&2 && exit 1; }
cmp -s Scripts/package/ArgumentParser/Foundation.swift "$parser/Utilities/Foundation.swift" ||
  cp --remove-destination Scripts/package/ArgumentParser/Foundation.swift "$parser/Utilities/Foundation.swift"
build "${release[@]}" --product lifetrace >&2
built=$(build -c release --show-bin-path)
build --product LifetraceObserve >&2
build --product generate-manual >&2
helpers=$(build --show-bin-path)

version=$("$built/lifetrace" --version)
name=lifetrace-$version-linux-$machine
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022

# ---- The tree that both hand out

tree=$work/$name
mkdir -p "$tree/bin" "$tree/lib" "$tree/share/doc/lifetrace/licences" \
  "$tree/share/bash-completion/completions" "$tree/share/zsh/site-functions" \
  "$tree/share/fish/vendor_completions.d"
strip --strip-all -o "$tree/bin/lifetrace" "$built/lifetrace"
strip --strip-unneeded -o "$tree/lib/libLifetraceObserve.so" "$helpers/libLifetraceObserve.so"
chmod 755 "$tree/bin/lifetrace"
chmod 644 "$tree/lib/libLifetraceObserve.so"

# Manual pages and completions are made from the table of the commands.
mkdir "$work/man"
"$helpers/generate-manual" "$built/lifetrace" --multi-page --date "$day" --output-directory "$work/man" \
  --authors 'the lifetrace maintainers'
mkdir "$work/mended"
python3 Scripts/package/manual.py "$work/man" "$work/mended"
for page in "$work/mended"/*; do
  mkdir -p "$tree/share/man/man${page##*.}"
  gzip -9n <"$page" >"$tree/share/man/man${page##*.}/$(basename "$page").gz"
done
"$built/lifetrace" --generate-completion-script bash >"$tree/share/bash-completion/completions/lifetrace"
"$built/lifetrace" --generate-completion-script zsh >"$tree/share/zsh/site-functions/_lifetrace"
"$built/lifetrace" --generate-completion-script fish >"$tree/share/fish/vendor_completions.d/lifetrace.fish"

doc=$tree/share/doc/lifetrace
pages "$tree"

# The licence of the program, and those of all that is linked into it.
cp LICENSE LICENSE-GPL-3.0 "$doc/"
for library in readline-dev zstd-dev yaml-dev event-dev sqlite3-dev; do
  cp "/usr/share/doc/lib$library/copyright" "$doc/licences/lib${library%-dev}"
done
cp /usr/share/doc/libtinfo6/copyright "$doc/licences/libtinfo"
cp /usr/share/doc/libc6/copyright "$doc/licences/libc"
cp /usr/share/doc/libgcc-s1/copyright "$doc/licences/libgcc-and-libstdc++"
for package in swift-argument-parser swift-collections; do
  cp ".build/package/checkouts/$package/LICENSE.txt" "$doc/licences/$package"
done
# The runtime is under the same: Apache 2.0 with the exception for runtime libraries.
cp "$doc/licences/swift-argument-parser" "$doc/licences/swift"
packages=$(python3 -c 'import json
pins = json.load(open("Package.resolved"))["pins"]
print(", ".join(pin["identity"] + " " + pin["state"]["version"] for pin in pins))')
cat >"$doc/copyright" <<END
lifetrace $version, made from commit $commit
by $(swift --version 2>/dev/null | head -1), with $packages
(of swift-argument-parser with Scripts/package/ArgumentParser/Foundation.swift for its own file of that name)

bin/lifetrace links GNU readline, and is under the GNU General Public License, version 3 or later
(LICENSE-GPL-3.0). Its complete source is lifetrace-$version-source.tar.gz, handed out beside it.
lib/libLifetraceObserve.so, and every library that an app links, is under the Apache License, version
2.0 (LICENSE). What else is linked into bin/lifetrace, and its licences, is in the folder licences.
END

# ---- The tarball, and the source

pack() { # FOLDER NAME: a tar.gz of the folder, the same for the same files
  tar -C "$1" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -cf - "$2" |
    gzip -9n
}
pack "$work" "$name" >"$out/$name.tar.gz"
git archive --format=tar --prefix="lifetrace-$version/" HEAD | gzip -9n >"$out/lifetrace-$version-source.tar.gz"

# ---- The .deb

deb=$work/deb
mkdir -p "$deb/DEBIAN" "$deb/usr"
cp -a "$tree/." "$deb/usr/"
mkdir -p "$deb/usr/share/zsh/vendor-completions"
mv "$deb/usr/share/zsh/site-functions/_lifetrace" "$deb/usr/share/zsh/vendor-completions/"
rmdir "$deb/usr/share/zsh/site-functions"
rm "$deb/usr/INSTALL.md" "$deb/usr/share/doc/lifetrace/LICENSE-GPL-3.0"
ln -s /usr/share/common-licenses/GPL-3 "$deb/usr/share/doc/lifetrace/LICENSE-GPL-3.0"
gzip -9n "$deb/usr/share/doc/lifetrace/CHANGELOG.md"
cat >"$work/changelog" <<END
lifetrace ($version) unstable; urgency=medium

  * Made from commit $commit; CHANGELOG.md.gz has what is new.

 -- The lifetrace maintainers <maintainers@lifetrace.invalid>  $(date -u -R -d "@$SOURCE_DATE_EPOCH")
END
gzip -9nc "$work/changelog" >"$deb/usr/share/doc/lifetrace/changelog.gz"
# Only the library that observed programs load needs anything: their own C library.
needed=$(objdump -T "$tree/lib/libLifetraceObserve.so" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -1)
cat >"$deb/DEBIAN/control" <<END
Package: lifetrace
Version: $version
Architecture: $(dpkg --print-architecture)
Maintainer: The lifetrace maintainers <maintainers@lifetrace.invalid>
Installed-Size: $(du -sk --apparent-size "$deb/usr" | cut -f1)
Depends: libc6 (>= ${needed#GLIBC_})
Recommends: e2fsprogs
Suggests: chromium
Section: devel
Priority: optional
Description: trace recorder and replay debugger for app life cycles
 Records what happens in the life of an app's processes, survives every kill,
 and walks the recording forward and backward to the line that lost the data.
 .
 record runs in test harnesses, check in CI, replay at the desk; demo shows
 the main job, doctor says what this machine can do.
END
(cd "$deb" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$deb/DEBIAN/md5sums"
find "$deb" -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +
package=$out/lifetrace_${version}_$(dpkg --print-architecture).deb
dpkg-deb --root-owner-group -Zxz --build "$deb" "$package" >/dev/null

(cd "$out" && sha256sum "$name.tar.gz" "lifetrace-$version-source.tar.gz" "$(basename "$package")" >SHA256SUMS)
ls -l "$out" | awk 'NR > 1 {print "package.sh: " $9 ", " $5 " bytes"}'

# ---- What it may be

size=$(stat -c %s "$tree/bin/lifetrace")
begun=$(date +%s%N)
for _ in $(seq 50); do "$tree/bin/lifetrace" --version >/dev/null; done
start_us=$((($(date +%s%N) - begun) / 50000))
echo "package.sh: bin/lifetrace, $size bytes, starts in $start_us µs, of commit $commit"
[ "$size" -le "$size_max" ] ||
  { echo "package.sh: bin/lifetrace has $size bytes, and is to have at most $size_max" >&2 && exit 1; }
[ "$start_us" -le $((start_ms_max * 1000)) ] ||
  { echo "package.sh: lifetrace --version takes $start_us µs, and is to take at most $start_ms_max ms" >&2 && exit 1; }
[ "$check" = no ] || Scripts/package/check.sh "$out/$name.tar.gz" "$package"
