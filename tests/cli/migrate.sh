#!/bin/sh
# Moves a whole store into PostgreSQL and back: ids, order and totals stay the same, and the counts are printed.
[ -n "$BOUGH_TEST_POSTGRES" ] || { echo "no PostgreSQL server here"; exit 77; }
server="$BOUGH_TEST_POSTGRES&schema=cli_migrate"
export BOUGH_STORE="$PWD/a.db"
talk
bough show '#1' --json >before

echo "-- there"
bough migrate --to "$server" | sed 's/^[0-9]* rows/N rows/'
bough --store "$server" show '#1' --json | cmp - before && echo "the same"
bough --store "$server" fsck
echo "-- again"
bough migrate --to "$server"; echo "exit $?"
echo "-- and back"
bough migrate --from "$server" --to b.db --json | sed 's/"rows":[0-9]*/"rows":N/'
bough --store b.db show '#1' --json | cmp - before && echo "the same"
bough --store b.db fsck
echo "-- refused"
bough migrate; echo "exit $?"
bough migrate --to 'postgres://bough@db.example/x?sslmode=disable'; echo "exit $?"
{ bough migrate --from none.db --to c.db; echo "exit $?"; } 2>&1 | mask
ls c.db 2>/dev/null
exit 0
