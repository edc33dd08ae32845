#!/bin/sh
# Two processes import one directory at the same time: both end well, and every session is there once.
mkdir files
i=0
while [ $i -lt 12 ]; do
    i=$((i + 1))
    {
        printf '{"type":"session","version":3,"id":"s-%d","timestamp":"2026-11-15T20:00:00.000Z","cwd":"/srv/toy"}\n' $i
        k=0 parent=null
        while [ $k -lt 150 ]; do
            k=$((k + 1))
            printf '{"type":"message","id":"m%d","parentId":%s,"timestamp":"2026-11-15T20:00:00.000Z","message":{"role":"user","content":"word %d"}}\n' $k $parent $k
            parent="\"m$k\""
        done
    } >files/s-$i.jsonl
done
for _ in 1 2 3; do
    rm -rf home/.local
    bough import files >one 2>&1 &
    one=$!
    bough import files >two 2>&1 &
    two=$!
    wait $one
    echo "exit $?"
    wait $two
    echo "exit $?"
    cat one two | grep -v '^Waiting: import ' | grep -ciE 'busy|failed|problems:|error'
    cat one two | grep -c '^new'
    bough ls --limit 0 --slugs | wc -l
    bough stats --json | grep -o '"messages":[0-9]*'
done
bough fsck | tail -n 1 | mask
