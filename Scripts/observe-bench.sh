#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures what `record --observe` costs SQLite's own speed test: medians of processor time, with and
# without the library, by turns and in one recording.
#
#     Scripts/observe-bench.sh                         21 turns, size 20, in memory
#     Scripts/observe-bench.sh --turns 5 --size 50 --folder DIR
#     Scripts/observe-bench.sh --instructions          counted by valgrind: the same on a busy machine
#     Scripts/observe-bench.sh --speedtest1 FILE.c     the source, where apt has none (test/speedtest1.c)
#
# Three ways: `plain`; `observed`, with the database as a data object; `app`, where the main thread is
# timed too and the database lies in a container that apps share. Needs gcc, python3, libsqlite3-dev.
set -euo pipefail
cd "$(dirname "$0")/.."

turns=21 size=20 folder=/dev/shm source= count=no
while [ $# -gt 0 ]; do
  case "$1" in
    --instructions)
      count=yes
      shift
      continue
      ;;
    --turns) turns=$2 ;;
    --size) size=$2 ;;
    --folder) folder=$2 ;;
    --speedtest1) source=$(realpath "$2") ;;
    *)
      echo "observe-bench.sh: unknown option '$1'; it takes --turns, --size, --folder, --instructions, --speedtest1" >&2
      exit 64
      ;;
  esac
  shift 2
done

configuration=${LIFETRACE_CONFIGURATION:-release}
swift build -c "$configuration" --product lifetrace >&2
swift build -c "$configuration" --product LifetraceObserve >&2
products=$(swift build -c "$configuration" --show-bin-path)
work=$(mktemp -d "$folder/lifetrace-observe-XXXXXX")
trap 'rm -rf "$work"' EXIT
if [ -z "$source" ]; then
  # Debian's source package, without a change to what apt is set up for.
  mkdir -p "$work/apt/lists/partial" "$work/apt/cache/partial"
  . /etc/os-release
  echo "deb-src http://deb.debian.org/debian ${VERSION_CODENAME} main" >"$work/apt/sources"
  apt=(apt-get -qq -o "Dir::Etc::sourcelist=$work/apt/sources" -o Dir::Etc::sourceparts=-
    -o "Dir::State::lists=$work/apt/lists" -o "Dir::Cache=$work/apt/cache"
    -o APT::Sandbox::User=root)
  (cd "$work/apt" && "${apt[@]}" update && "${apt[@]}" source --download-only sqlite3) >&2
  tar -C "$work/apt" -xf "$work"/apt/sqlite3_*.orig.tar.xz --wildcards '*/test/speedtest1.c'
  source=$(find "$work/apt" -name speedtest1.c)
fi
gcc -O2 -o "$work/speedtest1" "$source" -lsqlite3

cat >"$work/turns.py" <<'PYTHON'
import os, resource, statistics, subprocess, sys

work, turns, size, library = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
counts = sys.argv[5] == "yes"
valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"] if counts else []
environment = {k: v for k, v in os.environ.items() if k not in ("LD_PRELOAD", "LIFETRACE_OBSERVE")}
ways = {
    "plain": {},
    "observed": {"LIFETRACE_OBSERVE": f"root {work}\ndata *.db"},
    "app": {
        "LIFETRACE_OBSERVE": f"recorder {os.getpid()}\nshared {work}\tgroup\ndata *.db",
        "LIFETRACE_ROLE": "app",
    },
}
times = {way: [] for way in ways}
for turn in range(turns):
    for way in sorted(ways, key=lambda way: (hash((turn, way)), way)):
        for name in ("t.db", "t.db-journal"):
            if os.path.exists(f"{work}/{name}"):
                os.unlink(f"{work}/{name}")
        preload = {"LD_PRELOAD": library} if way != "plain" else {}
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        ran = subprocess.run(
            [*valgrind, f"{work}/speedtest1", "--size", size, f"{work}/t.db"],
            env={**environment, **ways[way], **preload}, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True, check=True,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        if counts:
            times[way].append(int(ran.stderr.split("Collected : ")[1].split()[0]) / 1e6)
        else:
            times[way].append(spent * 1000)
plain = statistics.median(times["plain"])
for way, all in times.items():
    middle = statistics.median(all)
    more = f"  {100 * (middle / plain - 1):+.1f} %" if way != "plain" else ""
    unit = "million instructions" if counts else "ms of processor time"
    print(f"{way:9} {middle:8.1f} {unit}, best {min(all):8.1f}{more}")
PYTHON
# Valgrind cannot read what clang writes for debuggers.
strip -g -o "$work/libLifetraceObserve.so" "$products/libLifetraceObserve.so"
if [ "$count" = yes ]; then turns=1; fi
"$products/lifetrace" record -o "$work/bench.lifetrace" -- \
  python3 "$work/turns.py" "$work" "$turns" "$size" \
  "$work/libLifetraceObserve.so" "$count"
