#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Scripts/package/check.sh TARBALL DEB: tries what Scripts/package.sh has made, without Swift and without
# this folder: in a bare Debian, whose root is made by debootstrap once and kept in .build/bare-root.tar.
# Needs root, for namespaces and mounts.
set -euo pipefail
cd "$(dirname "$0")/../.."

fail() {
  echo "check.sh: $*" >&2
  exit 1
}

# pages TREE: whether its pages lead to what is in it, and its example in C compiles as they say.
pages() {
  python3 Scripts/package/pages.py check "$1/share/doc/lifetrace" || fail "links in the pages of $1"
  (cd "$1/share/lifetrace" && cc -Wall -Werror -ICLifetrace/include diary.c CLifetrace/*.c -lpthread -o "$2") ||
    fail "diary.c against CLifetrace, in $1/share/lifetrace"
}
if [ "$1" = --pages ]; then
  pages "$2" "$2/diary"
  echo "check.sh: the pages lead to what is handed out, and the example in C compiles against it"
  exit
fi
tarball=$1 package=$2
name=$(basename "$tarball" .tar.gz)

[ "$(id -u)" = 0 ] || fail "needs root, for namespaces and mounts"
# What reads completions, the header and the pages, and makes the bare Debian.
missing=()
for need in zsh:zsh fish:fish cc:gcc cc:libc6-dev python3:python3 debootstrap:debootstrap; do
  command -v "${need%:*}" >/dev/null || missing+=("${need#*:}")
done
if [ ${#missing[@]} -gt 0 ]; then
  echo "check.sh: installing ${missing[*]}" >&2
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    "${missing[@]}" >/dev/null || fail "cannot be checked without ${missing[*]}"
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$scratch/root
if [ ! -f .build/bare-root.tar ]; then
  debootstrap --variant=minbase bookworm "$root" >"$scratch/said" 2>&1 || { tail -5 "$scratch/said" >&2 && exit 1; }
  tar -C "$root" --exclude=./proc/* --exclude=./sys/* --exclude=./dev/* --exclude=./var/cache/apt/* \
    --exclude=./var/lib/apt/lists/* -cf .build/bare-root.tar .
  rm -rf "$root"
fi
mkdir "$root"
tar -C "$root" -xf .build/bare-root.tar
cp "$package" "$root/tmp/"

# ---- What it is

tar -C "$scratch" -xzf "$tarball"
program=$scratch/$name/bin/lifetrace
! ldd "$program" >/dev/null 2>&1 || fail "$name/bin/lifetrace loads libraries: $(ldd "$program")"
for shell in bash zsh fish; do
  "$shell" -n "$(find "$scratch/$name/share" -path "*$shell*" -type f)" || fail "the completion for $shell"
done

# ---- What it says

dpkg-deb -x "$package" "$scratch/deb"
pages "$scratch/deb/usr" "$scratch/diary"
pages "$scratch/$name" "$scratch/diary"
# The program that a reader gets from them keeps its edit, and one that forgets it is found out.
life=$scratch/$name/share/lifetrace/diary.yml
"$program" record --scenario "$life" -o "$scratch/diary.lifetrace" --check -- "$scratch/diary" >"$scratch/said" 2>&1 ||
  { cat "$scratch/said" >&2 && fail "diary.c in the tarball's scenario"; }
! "$program" record -f --scenario "$life" -o "$scratch/diary.lifetrace" --check -- "$scratch/diary" forgetful \
  >"$scratch/said" 2>&1 || fail "diary.c that forgets its edit passes"
grep -q '^DS02 error.*' "$scratch/said" || { cat "$scratch/said" >&2 && fail "diary.c that forgets: no DS02"; }

# ---- Where it runs

# What is run there: /t is the tarball, as a stranger unpacks it.
cat >"$root/try.sh" <<'END'
set -u
export HOME=/tmp/home TMPDIR=/tmp PATH=/usr/sbin:/usr/bin:/sbin:/bin
unset XDG_RUNTIME_DIR
mkdir -p /tmp/home
command -v swift && { echo "there is a Swift here" && exit 1; }
rm -rf /tmp/demo
lt=${1:-/t/bin/lifetrace}
begun=$(date +%s%N)
"$lt" demo -o /tmp/demo >/tmp/home/said 2>&1 || { cat /tmp/home/said && exit 1; }
took=$((($(date +%s%N) - begun) / 1000000))
echo "  the demo, to its picture: $took ms"
[ "$took" -le 30000 ] || { echo "no: it is to take at most 30 s" && exit 1; }
[ -s /tmp/demo/lost.html ] || { ls -l /tmp/demo && echo "no: /tmp/demo/lost.html, the picture" && exit 1; }
for part in "43 |     store.draft.dirty" "the fix holds"; do
  grep -qF "$part" /tmp/home/said || { cat /tmp/home/said && echo "no: $part" && exit 1; }
done
"$lt" verify /tmp/demo/lost.lifetrace >/dev/null || exit 1
"$lt" replay --batch /tmp/demo/lost.lifetrace -e "prev dirty" >/dev/null || exit 1
"$lt" doctor >/tmp/home/doctor || { cat /tmp/home/doctor && exit 1; }
echo "  with less: $(sed -nE 's/^(less|no) +([a-z]+( [a-z]+)?)  .*/\2/p' /tmp/home/doctor | paste -sd, | sed 's/,/, /g')"
END
cp -a "$scratch/$name" "$root/t"
chmod 1777 "$root/tmp"

# enter WHAT COMMAND...: runs it in the bare root, with /proc, /dev and a /dev/shm of that size.
enter() {
  local what=$1 shm=$2
  shift 2
  echo "check.sh: $what"
  rm -rf "$root/tmp/home" "$root/tmp/demo"
  SHM=$shm ROOT=$root unshare --mount --pid --fork bash -ec '
    # Not chroot, in which no user namespace can be made.
    mount --bind "$ROOT" "$ROOT" && cd "$ROOT"
    mount -t proc proc proc
    mount --rbind /sys sys
    mount --rbind /dev dev && mount --make-rslave dev
    mount -t tmpfs -o size="$SHM",mode=1777 shm dev/shm
    pivot_root . mnt && umount -l /mnt
    exec "$@"' enter "$@" || fail "$what: failed"
}
dropped="setpriv --bounding-set -all --inh-caps -all --no-new-privs"
user="$dropped --reuid 65534 --regid 65534 --clear-groups"
begun=$(date +%s%N)
enter "root in a bare Debian" 50% bash /try.sh
echo "  from the unpacked tarball to the end of the demo and the doctor: $((($(date +%s%N) - begun) / 1000000)) ms"
enter "an ordinary user" 50% $user bash /try.sh
enter "a container without rights, 64 MB of shared memory" 64m \
  $user unshare --user --map-root-user --mount --pid --fork --mount-proc $dropped bash /try.sh
enter "root, from the .deb" 50% bash -ec "dpkg -i /tmp/$(basename "$package") >/dev/null && bash /try.sh lifetrace"
echo "check.sh: all of that works"
