#!/bin/sh
# Memories of a session, of a directory and of the whole store: add, list, delete.
export BOUGH_STORE="$PWD/a.db"
talk
bough memory; echo "exit $?"
bough memory --add " Tests run with make. " | mask
bough memory | mask
echo "Be brief." | bough memory --all --add - --title Style --json | mask
bough memory '#1' --add "Of this talk" >id
bough memory -p /srv/shop -a "Of the shop" | mask
echo "-- each scope has its own"
bough memory --all | mask
bough memory '#1' --json | mask
bough memory --project /srv/shop | mask
bough memory '#2'; echo "exit $?"
echo "-- delete"
bough memory --forget "$(cat id)" 2>&1 | mask
bough memory '#1' --forget "$(cat id)" && bough memory '#1'; echo "exit $?"
bough memory '#1' --forget "$(cat id)" 2>&1 | mask
bough memory --all --forget "$(bough memory --all | cut -f 1)" --json | mask
echo "-- refused"
bough memory '#9'; echo "exit $?"
bough memory '#1' --all; echo "exit $?"
bough memory --add x --forget y; echo "exit $?"
bough memory --add "  "; echo "exit $?"
bough memory '#1' '#2'; echo "exit $?"
bough fsck
