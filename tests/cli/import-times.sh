#!/bin/sh
# An imported session is as old as its conversation, in lists and in searches.
line() { echo "{\"type\":\"message\",\"id\":\"$1\",\"parentId\":$2,\"timestamp\":\"2026-01-0$3T10:00:00.000Z\",\"message\":{\"role\":\"user\",\"content\":\"message $1\"}}"; }
{
    echo '{"type":"session","version":3,"id":"s-1","timestamp":"2026-01-02T09:00:00.000Z","cwd":"/srv/toy"}'
    line a null 2
    line b '"a"' 3
    echo '{"type":"session_info","id":"c","parentId":"b","timestamp":"2026-01-03T11:00:00.000Z","name":"An old talk"}'
} >old.jsonl
bough import old.jsonl >/dev/null
bough new 'A new talk' >/dev/null
echo "-- since an hour"
bough ls --since 1h --slugs
echo "-- in January"
bough ls --since 2026-01-01 --until 2026-01-04 --json | grep -o '"title":[^,]*'
echo "-- newest first"
bough ls --json | sed -E 's/.*"title":"([^"]*)".*"updated":"?([0-9T:.Z-]*).*/\1/'
bough ls --json --query old | grep -o '"updated":[^,]*'
on-terminal bough ls --query old | grep -c 'just now' || true
