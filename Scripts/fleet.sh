#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Has traces judged by Spark (Scripts/fleet/check.py) and on one machine (Scripts/fleet/table.sql by
# DuckDB), and compares both tables cell by cell. The traces are the stories of Traces/, over and over,
# and four that cannot be judged. PySpark and DuckDB come from PyPI into .build/fleet.
#
#     Scripts/fleet.sh                 400 traces on local[2], with a baseline
#     Scripts/fleet.sh --workers       on a master with two workers instead
#     Scripts/fleet.sh --kill 30       on those, and one is killed when 30 % of the parts are judged
#     Scripts/fleet.sh --traces 20000  as many traces; may be given with the others
set -euo pipefail
cd "$(dirname "$0")/.."

count=400
workers=no
kill_at=
while [ $# -gt 0 ]; do
  case "$1" in
    --workers) workers=yes ;;
    --kill) workers=yes kill_at=${2:-} && shift ;;
    --traces) count=${2:-} && shift ;;
    *)
      echo "fleet.sh: unknown option '$1'; it takes --workers, --kill PERCENT and --traces COUNT" >&2
      exit 64
      ;;
  esac
  shift || break
done
if [[ ! $count =~ ^[1-9][0-9]*$ || ! ${kill_at:-1} =~ ^[1-9][0-9]?$ ]]; then
  echo "fleet.sh: --traces takes a number, --kill a number of percent from 1 to 99" >&2
  exit 64
fi

if ! command -v java >/dev/null; then
  as_root=()
  [ "$(id -u)" = 0 ] || as_root=(sudo)
  "${as_root[@]}" apt-get install --yes --no-install-recommends openjdk-17-jre-headless
fi
tools=$PWD/.build/fleet
if [ ! -e "$tools/complete" ]; then
  python3 -m venv "$tools"
  "$tools/bin/pip" install --quiet pyspark==4.0.1 pyarrow duckdb
  touch "$tools/complete"
fi
swift build --product lifetrace
lifetrace=$PWD/.build/debug/lifetrace

scratch=$(mktemp -d)
children=()
cleanup() {
  for child in "${children[@]}"; do kill -9 -- "-$child" 2>/dev/null || true; done
  rm -rf "$scratch"
}
trap cleanup EXIT
mkdir "$scratch/stories" "$scratch/traces" "$scratch/one"

for story in Traces/*/story.txt; do
  name=$(basename "$(dirname "$story")")
  "$lifetrace" import story "$story" -o "$scratch/stories/$name.lifetrace" 2>/dev/null
done
stories=("$scratch/stories/"*.lifetrace)
for ((index = 0; index < count - 4; index++)); do
  ln "${stories[index % ${#stories[@]}]}" "$scratch/traces/$index.lifetrace"
done
echo "no trace" >"$scratch/traces/broken.lifetrace"
: >"$scratch/traces/empty.lifetrace"
head -c 100 "${stories[0]}" >"$scratch/traces/short.lifetrace"
ln -s nowhere "$scratch/traces/missing.lifetrace"
find "$scratch/traces" -name '*.lifetrace' | sort >"$scratch/list"

# What is known: what the first quarter of the stories breaks.
printf '%s\n' "${stories[@]:0:${#stories[@]}/4}" |
  "$lifetrace" check --files-from - --exit-zero --write-baseline "$scratch/known" >/dev/null 2>&1

check() { "$lifetrace" check --files-from "$scratch/list" --exit-zero --format jsonl "$@" 2>/dev/null; }
check -o "$scratch/one/verdicts.jsonl"
check -o "$scratch/one/new.jsonl" --baseline "$scratch/known"

# same TABLE: is it that of one machine, and does it hold what was put in?
same() {
  "$tools/bin/python" - "$scratch/one" "$1" "$count" <<'END'
import os, sys
import duckdb

folder, table, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
query = open("Scripts/fleet/table.sql").read().rstrip().removesuffix(";")
os.chdir(folder)
one = duckdb.sql(query).fetchall()
spark = duckdb.read_parquet(table).fetchall()
names = duckdb.read_parquet(table).columns
order = lambda row: tuple(str(cell) for cell in row)
one, spark = sorted(one, key=order), sorted(spark, key=order)
if names != duckdb.sql(query).columns or one != spark:
    for row in sorted(set(one) ^ set(spark), key=order)[:10]:
        print("one machine has" if row in one else "Spark has", row, file=sys.stderr)
    sys.exit("fleet.sh: the tables differ")
of = lambda name: [row[names.index(name)] for row in spark]
assert sum(of("not_checked")) == 4, "four cannot be judged"
assert 0 < sum(of("new")) < sum(of("violations")), "some findings are known, others are not"
print(f"{len(spark)} rows, {sum(of('traces')):,} judgements of {count:,} traces,"
      f" {sum(of('violations')):,} violations, {sum(of('new')):,} new: both tables are the same")
END
}

export SPARK_LOCAL_IP=127.0.0.1 PYSPARK_PYTHON=$tools/bin/python
SPARK_HOME=$("$tools/bin/python" -c 'import os, pyspark; print(os.path.dirname(pyspark.__file__))')
export SPARK_HOME
parts=20
spark() {
  "$tools/bin/python" Scripts/fleet/check.py --baseline "$scratch/known" --parts $parts \
    -o "$scratch/fleet.parquet" "$@" "$scratch/traces" 2>"$scratch/log" || {
    tail -40 "$scratch/log" >&2
    exit 1
  }
}

if [ $workers = no ]; then
  echo "local[2]:"
  spark --master "local[2]" --lifetrace "$lifetrace"
  same "$scratch/fleet.parquet"
  exit 0
fi

# start CLASS ARGUMENTS: in a group of its own, so that a worker is killed with what it has started.
start() {
  setsid "$SPARK_HOME/bin/spark-class" "org.apache.spark.deploy.$@" >>"$scratch/cluster" 2>&1 &
  children+=($!)
  disown
}
port=$("$tools/bin/python" -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
start master.Master --host 127.0.0.1 --port "$port" --webui-port 0
for name in first second; do
  start worker.Worker --host 127.0.0.1 --webui-port 0 --cores 1 --memory 700m \
    --work-dir "$scratch/$name" "spark://127.0.0.1:$port"
done
victim=${children[2]}
until [ "$(grep -c 'Registering worker' "$scratch/cluster")" = 2 ]; do sleep 0.2; done

# What the workers run counts its runs, and at the given one kills a worker before it has answered.
ended=$scratch/ended
: >"$ended"
at=$((parts * ${kill_at:-1000} / 100))
cat >"$scratch/lifetrace" <<END
#!/bin/sh
"$lifetrace" "\$@"
code=\$?
case "\$*" in *--baseline*) echo x >>"$ended" ;; esac
if [ "\$(wc -l <"$ended")" -ge $at ] && mkdir "$scratch/killed" 2>/dev/null; then
  kill -9 -$victim
fi
exit \$code
END
echo "a master with two workers${kill_at:+, one killed at $kill_at %}:"
spark --master "spark://127.0.0.1:$port" --lifetrace "$scratch/lifetrace"
same "$scratch/fleet.parquet"
if [ -n "$kill_at" ]; then
  [ -d "$scratch/killed" ] || { echo "fleet.sh: no worker was killed" >&2; exit 1; }
  ! kill -0 "$victim" 2>/dev/null || { echo "fleet.sh: the worker lives" >&2; exit 1; }
fi
echo "parts judged: $(wc -l <"$ended") of $parts"
