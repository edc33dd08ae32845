#!/bin/sh
# Copies the store into a new file, checked, while it is in use; an existing file is left alone.
export BOUGH_STORE="$PWD/a.db"
hide() { sed -E 's/[0-9,]+ bytes/N bytes/; s/"bytes":[0-9]+/"bytes":N/; s/[0-9a-f]{16}\.tmp/<random>.tmp/' | mask; }
talk
bough show '#1' --json >before
bough backup copy.db | hide
stat -c '%a %n' copy.db
bough backup other.db --json | hide
bough append '#1' "after the backup" >/dev/null
echo "-- the copy is a store"
bough --store copy.db ls | cut -f 2,9
bough --store copy.db show '#1' --json | cmp - before && echo "the same"
bough --store copy.db fsck
echo "-- refused"
bough backup; echo "exit $?"
sum=$(cksum <other.db)
bough backup other.db; echo "exit $?"
[ "$sum" = "$(cksum <other.db)" ] && echo "untouched"
bough backup none/copy.db 2>&1 | hide
bough backup one.db two.db; echo "exit $?"
bough --store none.db backup new.db 2>&1 | mask
ls ./*.db
find . -name '*.tmp*'
echo "-- the store remembers it"
bough doctor | grep backup: | mask
bough --store copy.db doctor | grep -c backup: || :
