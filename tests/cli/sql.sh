#!/bin/sh
# SQL that reads is answered; any other statement is refused.
export BOUGH_STORE="$PWD/a.db"
talk
bough sql "SELECT sid, slug FROM session ORDER BY sid"
bough sql "SELECT 1 AS one, 2.5 AS half, NULL AS none, 'a	b' AS text, x'00ff' AS blob" --json
echo "SELECT count(*) FROM entry; SELECT 'two'" | bough sql -
bough sql "PRAGMA user_version"
bough sql "PRAGMA table_info(counter)" | cut -f 2
bough sql "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i FROM n"
on-terminal NO_COLOR=1 COLUMNS=60 PAGER=cat bough sql "SELECT sid, slug FROM session ORDER BY sid"
echo "-- refused"
for q in "DELETE FROM entry" "INSERT INTO meta VALUES (1, 2)" "DROP TABLE log" "CREATE TABLE x (y)" "CREATE TEMP TABLE x (y)" \
    "ATTACH 'b.db' AS b" "PRAGMA user_version = 7" "PRAGMA journal_mode = DELETE" "PRAGMA query_only = OFF" "VACUUM INTO 'c.db'" \
    "BEGIN IMMEDIATE" "SELECT" "SELECT load_extension('x')" "SELECT * FROM nothing"; do
    bough sql "$q"
    echo "exit $?"
done
ls
bough --store memory: sql "SELECT 1"; echo "exit $?"
bough fsck --quick
