#!/bin/sh
# Replaces the store by a backup and keeps the previous one; the file is checked before anything changes.
export BOUGH_STORE="$PWD/a.db"
hide() { mask | sed -E 's/[0-9]{8}T[0-9]{6}Z/<when>/; s/"(bytes|epoch)":[0-9]+/"\1":N/g'; }
talk
bough backup copy.db >/dev/null
bough append '#1' "after the backup" >/dev/null
bough restore-backup copy.db; echo "exit $?"
bough stats | grep ^messages
bough restore-backup copy.db --yes | hide
bough stats | grep ^messages
bough --store a.db.before-restore-* stats | grep ^messages
bough fsck
echo "-- json, without keeping the previous store"
rm a.db.before-restore-*
bough append '#1' "again" >/dev/null
bough restore-backup copy.db -y --force --json | hide
bough stats | grep ^messages
find . -name 'a.db.before*'
echo "-- where no store is"
bough --store new.db restore-backup copy.db --yes --json | hide
bough --store new.db fsck
echo "-- refused"
bough restore-backup; echo "exit $?"
bough restore-backup nowhere.db --yes 2>&1 | hide
echo "not a store" >text.db
bough restore-backup text.db --yes 2>&1 | hide
head -c 20000 copy.db >half.db
bough restore-backup half.db --yes >out 2>&1; echo "exit $?"; hide <out
bough restore-backup a.db --yes 2>&1 | hide
bough stats | grep ^messages
bough fsck
