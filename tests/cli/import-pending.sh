#!/bin/sh
# A large import ends when it is durable: it says what is not in the full text yet, and a search can wait for it.
{
    echo '{"type":"session","version":3,"id":"s","timestamp":"2026-11-15T20:00:00.000Z","cwd":"/p"}'
    i=0 parent=null
    while [ $i -lt 3000 ]; do
        i=$((i + 1))
        echo "{\"type\":\"message\",\"id\":\"m$i\",\"parentId\":$parent,\"timestamp\":\"2026-11-15T20:00:01.000Z\",\"message\":{\"role\":\"user\",\"content\":\"number $i\"}}"
        parent="\"m$i\""
    done
} >many.jsonl
head -n 100 many.jsonl | sed 's/"s"/"small"/' >few.jsonl
echo "-- few changes are indexed at once"
bough import few.jsonl 2>&1 | mask
echo "-- many are left for later"
bough import many.jsonl 2>&1 | mask | sed 's/^3,0[0-9]* changes/<n> changes/'
echo "-- a search that waits finds everything"
bough search --wait 'number 2999' | wc -l
bough import many.jsonl 2>&1 | mask
