#!/bin/sh
# Files come in the order of their names; sessions get their parents whatever that order is.
mkdir files
put() { # FILE ID MORE...: a session of Codex with two messages
    printf '{"timestamp":"2026-11-15T20:00:00.000Z","type":"session_meta","payload":{"id":"%s","timestamp":"2026-11-15T20:00:00.000Z","cwd":"/srv","originator":"codex","cli_version":"0.166.0","model_provider":"p"%s}}\n' "$2" "$3" >"files/$1.jsonl"
    for i in 1 2; do
        printf '{"timestamp":"2026-11-15T20:00:0%d.000Z","ordinal":%d,"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"%s %d"}]}}\n' $i $i "$2" $i >>"files/$1.jsonl"
    done
}
spawned() { printf ',"source":{"subagent":{"thread_spawn":{"parent_thread_id":"%s"}}}' "$1"; }
put a grandchild "$(spawned child)"
put b child "$(spawned main)"
put c fork ',"forked_from_id":"main","forked_from_ordinal_exclusive":2'
put d main ''
put e lonely "$(spawned missing)"
links() { # "session kind parent", each by the id in its file
    bough ls --kind all --limit 0 --json | sed -E 's/.*"id":"([^"]+)".*"kind":"([^"]+)".*"origin":"([^"]+)","parent":"?([^",]+).*/\1 \3 \2 \4/' >rows
    awk 'NR == FNR { name[$1] = $2; next } { print $2, $3, name[$4] }' rows rows | sort
}
echo "-- one directory"
bough import files | mask
links
echo "-- again"
bough import files | mask
echo "-- by two processes"
rm -rf home/.local
bough import files >one 2>&1 &
bough import files >two 2>&1 && wait $!
echo "exit $?"
links
bough fsck | tail -n 1 | cut -d' ' -f1-4
