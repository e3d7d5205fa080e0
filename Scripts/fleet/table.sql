-- SPDX-License-Identifier: Apache-2.0
-- The table of check.py on one machine, by DuckDB, of what `lifetrace check` has written:
--
--     lifetrace check --files-from LIST --exit-zero --format jsonl -o verdicts.jsonl
--     lifetrace check --files-from LIST --exit-zero --format jsonl -o new.jsonl --baseline FILE
--     duckdb <table.sql
--
-- in a folder that holds no other *.jsonl. Without new.jsonl nothing is known of what is new: NULL.
-- A row counts the verdicts of a rule on an app; `traces` are those in which the rule was judged.
-- A trace that was not judged has a row of its own, with its name and the reason.
WITH said AS (
  FROM read_json('*.jsonl', format = 'newline_delimited', filename = 'source', columns = {
    file: 'VARCHAR', rule: 'VARCHAR', app: 'VARCHAR', version: 'VARCHAR', os: 'VARCHAR',
    outcome: 'VARCHAR', reason: 'VARCHAR', summary: 'VARCHAR', judged: 'BOOLEAN',
    unreadable: 'VARCHAR', under: 'JSON'})
), passes AS (
  SELECT
    *,
    parse_filename(source) = 'new.jsonl' AS is_new,
    -- What stands under another violation says the same mistake.
    outcome = 'violated' AND under IS NULL AS is_violated
  FROM said
)
SELECT
  coalesce(rule, '') AS rule,
  coalesce(app, '') AS app,
  coalesce(version, '') AS version,
  coalesce(os, '') AS os,
  coalesce(unreadable, summary, '') AS trace,
  CASE WHEN rule IS NULL THEN coalesce(reason, 'no app took part') ELSE '' END AS reason,
  count(DISTINCT file) FILTER (NOT is_new) AS traces,
  count(*) FILTER (NOT is_new AND is_violated) AS violations,
  count(*) FILTER (NOT is_new AND outcome = 'undecidable') AS undecidable,
  count(*) FILTER (NOT is_new AND rule IS NULL) AS not_checked,
  CASE WHEN (SELECT bool_or(is_new) FROM passes)
    THEN count(*) FILTER (is_new AND is_violated) END AS new
FROM passes
WHERE rule IS NOT NULL OR unreadable IS NOT NULL OR NOT judged
GROUP BY ALL
ORDER BY ALL;
