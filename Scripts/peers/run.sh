#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures the tracers that Debian has beside lifetrace, in one run on this machine.
#
#     Scripts/peers/run.sh
#
# Prints what `Scripts/bench.sh` prints, for LTTng-UST with babeltrace2 and for uftrace.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
work=$(mktemp -d)
session="lifetrace-peer-$$"
started_daemon=no
finish() {
  lttng destroy "$session" >/dev/null 2>&1 || true
  if [ "$started_daemon" = yes ]; then
    kill "$(cat "$work/sessiond.pid")" 2>/dev/null || true
  fi
  rm -rf "$work"
}
trap finish EXIT

row() { printf '%-46s %-20s %-26s %-34s %s\n' "$1" "$2" "$3" "$4" "${5:-}"; }
per() { awk -v a="$1" -v b="$2" -v f="${3:-%.2f}" 'BEGIN { printf f, a / b }'; }

gcc -O2 -I"$here" "$here/lttng_peer.c" -o "$work/lttng_peer" -llttng-ust -ldl
gcc -O2 -pg "$here/uftrace_peer.c" -o "$work/uftrace_peer"

# LTTng: a session of its own, buffers that do not drop at this rate.
export LTTNG_HOME="$work"
if ! lttng --no-sessiond list >/dev/null 2>&1; then
  lttng-sessiond --daemonize --pidfile "$work/sessiond.pid" >/dev/null 2>&1
  started_daemon=yes
fi
lttng create "$session" --output="$work/lttng" >/dev/null
lttng enable-channel -u -s "$session" --subbuf-size=4M --num-subbuf=16 all >/dev/null
lttng enable-event -u -s "$session" -c all 'lifetrace_peer:*' >/dev/null
lttng start "$session" >/dev/null
read -r lttng_ns rdtsc_ns lttng_events < <("$work/lttng_peer")
lttng stop "$session" >/dev/null

# The like row of lifetrace, in the same run.
binary="$(swift build -c release --show-bin-path)/Benchmarks"
emit_ns=$("$binary" emit | awk '/^emit, 3 arguments, Swift/ {
  for (i = 1; i <= NF; i++) if ($i == "ns,") { print $(i - 1); exit } }')

row "LTTng-UST, emit, 3 arguments" "$lttng_ns ns" "rdtsc $rdtsc_ns ns" ""
reached=$(awk -v a="$emit_ns" -v b="$lttng_ns" 'BEGIN { print (a <= 0.15 * b) ? "yes" : "NO" }')
row "lifetrace, emit, beside it" "$emit_ns ns" "$(per "$emit_ns" "$lttng_ns") x LTTng-UST" \
  "at most 0.15 x LTTng-UST" "$reached"

start=$(date +%s%N)
babeltrace2 "$work/lttng" -c sink.utils.dummy >/dev/null 2>&1
taken=$(($(date +%s%N) - start))
kept=$(babeltrace2 "$work/lttng" 2>/dev/null | wc -l)
bytes=$(du -sb "$work/lttng" | cut -f1)
row "babeltrace2, read back (dummy sink)" "$(per "$kept" "$((taken / 1000))") M events/s" \
  "$kept of $lttng_events kept" ""
row "LTTng-UST, bytes an event" "$(per "$bytes" "$kept" %.1f)" "" ""

read -r plain_ns calls < <(cd "$work" && ./uftrace_peer)
read -r traced_ns calls < <(cd "$work" && uftrace record --no-libcall -d data ./uftrace_peer)
record_ns=$(awk -v a="$traced_ns" -v b="$plain_ns" 'BEGIN { printf "%.1f", (a - b) / 2 }')
bytes=$(du -sb "$work/data" | cut -f1)
row "uftrace, a record (a call is two)" "$record_ns ns" "untraced call $plain_ns ns" ""
row "uftrace, bytes a record" "$(per "$bytes" "$((2 * calls))" %.1f)" "" ""
