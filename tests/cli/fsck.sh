#!/bin/sh
# fsck only reads: it creates no store, and its exit code says when it could not run.
look() {
    bough fsck "$@" >../said 2>&1
    code=$?
    sed "s|$PWD/||g" ../said
    echo "exit $code"
}
look --store none.db
ls
echo 'not a store' >text.db
look --store text.db
cat text.db
look --deeper
look --quick --repair
look --store none.db --repair
bough help fsck | head -n 1
echo "-- a row whose bytes are not what they were"
export BOUGH_STORE="$PWD/a.db"
id=$(bough new "a title")
# Behind the part of a message that lists show, so that only the entry has these bytes.
bough append "$id" "$(printf 'hop %.0s' $(seq 80)) what the quokka said" >/dev/null
bough append "$id" "and what came after" >/dev/null
sed -i 's/the quokka said/the quokkb said/' a.db
look --store a.db | mask
bough fsck --json | mask
look --repair | mask
bough fsck --deep | mask
bough fsck --quick
bough show "$id" | cut -f 3- | mask
echo "-- remembered"
bough --store copy.db new "another" >/dev/null
sum=$(cksum <copy.db)
bough --store copy.db fsck
[ "$sum" = "$(cksum <copy.db)" ] && echo "untouched"
bough --store copy.db doctor | grep -c 'last check'
bough --store copy.db fsck --quick --note
bough --store copy.db doctor | grep 'last check' | mask
bough doctor | grep 'last check' | mask
