#!/bin/sh
# A store of an older bough is brought up to date by the first command that may write.
zcat "$(dirname "$0")/../data/store-0.1/store.db.gz" >old.db
chmod 600 old.db
export BOUGH_STORE="$PWD/a.db"
# The number of the schema is at byte 60 of the file (SQLite's user_version).
number() { od -An -tu1 -j 60 -N 4 "$1"; }
bough new x >/dev/null
bough --store old.db doctor | grep -A 1 ^wrong | mask
bough --store old.db ls | wc -l
number old.db >old
number "$BOUGH_STORE" | cmp - old && echo "up to date"
bough --store old.db fsck
