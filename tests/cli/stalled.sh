#!/bin/sh
# Commands that only read leave no log behind, and a stalled reader of their output does not hold it.
export BOUGH_STORE="$PWD/a.db"
talk
bough ls >/dev/null
bough show '#1' >/dev/null
bough sql 'SELECT count(*) FROM sessions'
ls a.db*
echo "-- nobody reads what bough sql prints"
mkfifo pipe
exec 3<>pipe
bough sql 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
           SELECT i, title FROM n, sessions' >&3 &
# The log of the store can be removed again while it waits: it holds no snapshot.
tries=0
while bough append '#1' "more" >/dev/null && [ -e a.db-wal ] && [ $tries -lt 100 ]; do
    tries=$((tries + 1))
    sleep 0.1
done
kill -0 $! && echo "it waits"
ls a.db*
kill $!
