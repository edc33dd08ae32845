#!/bin/sh
# SQL reads a store in PostgreSQL as it reads one in a file, and cannot change it.
if [ -z "$BOUGH_TEST_POSTGRES" ]; then
    echo "no PostgreSQL server here; tests/with-postgres.sh starts one"
    exit 77
fi
export BOUGH_STORE="$BOUGH_TEST_POSTGRES&schema=cli_sql_$$"
talk
bough sql "SELECT sid, slug FROM session ORDER BY sid"
bough sql "SELECT 1 AS one, 2.5::float8 AS half, NULL AS none, 'a	b' AS text, '\\x00ff'::bytea AS blob, true AS yes,
    sum(n) AS sum, 12.50::numeric AS price, '{\"a\": 1}'::jsonb AS doc FROM generate_series(1, 4) AS n" --json
echo "SELECT count(*) FROM entry; -- a comment; with a semicolon
    SELECT 'two; or \$\$' || \$q\$; three\$q\$; /* nothing ; /* more */ */" | bough sql -
bough sql "SELECT count(*), sum(n) FROM generate_series(1, 4) AS n; VALUES (1), (2); (SELECT 3); SHOW transaction_read_only"
bough sql "SELECT n FROM generate_series(1, 2500) AS n" | awk '{ s += $1 } END { print NR, s }'
bough sql "EXPLAIN (COSTS off) SELECT 1"
bough sql "SELECT 1 WHERE false; SELECT current_schema() ~ '^cli_sql_'"
bough sql "SELECT n FROM generate_series(1, 100000) AS n" | head -n 1
bough sql "SELECT '2026-11-16 08:43:57.95+00'::timestamptz, '2026-11-16 08:43:57Z'::timestamptz,
    '2026-11-16 10:43:57.123456+02'::timestamptz, '2026-11-16 08:43:57.123+00'::timestamptz, 'infinity'::timestamptz, '2026-11-16'::date"
echo "-- the same tables as over a file"
for t in sessions messages parts; do
    bough sql "SELECT * FROM $t ORDER BY created_at, id LIMIT 1" --json | mask
done
bough sql "SELECT s.slug, count(*) FROM sessions s JOIN messages m ON m.session_id = s.id GROUP BY 1 ORDER BY 1"
bough sql "SELECT p.data FROM sessions s JOIN parts p ON p.session_id = s.id WHERE s.slug = 'why-is-the-cache-stale' AND p.type = 'tool' ORDER BY p.id"
echo "-- refused"
for q in "DELETE FROM entry" "INSERT INTO meta VALUES (1, 2)" "DROP TABLE log" "CREATE TEMP TABLE x (y int)" "COMMIT" "ROLLBACK AND CHAIN" \
    "SET transaction_read_only = off" "SELECT set_config('transaction_read_only', 'off', true)" \
    "WITH x AS (DELETE FROM entry RETURNING 1) SELECT * FROM x" "EXPLAIN ANALYZE DELETE FROM entry" "SELECT 1 INTO x" \
    "SELECT * FROM session FOR UPDATE" "COPY entry TO STDOUT" "DO 'BEGIN END'" "SELECT 1 +" "SELECT * FROM nothing" "SELECT 1 / 0"; do
    bough sql "$q"
    echo "exit $?"
done 2>&1 | grep -v '^What to do'
BOUGH_STORE="postgres://bough:verysecret@/nobody?host=$(echo "$BOUGH_TEST_POSTGRES" | sed 's/.*host=//')" bough sql "SELECT 1" >out 2>&1
echo "exit $?"
grep -c . out
grep -c verysecret out
bough fsck --quick
