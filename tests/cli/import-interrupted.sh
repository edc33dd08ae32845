#!/bin/sh
# Ctrl-C during an import: it says how far it came, what to type to go on, and exits with 130.
mkdir 'my sessions'
i=0
while [ $i -lt 1200 ]; do
    i=$((i + 1))
    printf '{"type":"session","version":3,"id":"s-%d","timestamp":"2026-11-15T20:00:00.000Z","cwd":"/srv/toy"}\n' $i \
        >"my sessions/a-name-that-is-long-enough-to-fill-the-pipe-soon-$i.jsonl"
done
stop() { # SIGNAL ARGS...: sends the signal after the first line; the pipe is full long before the last one
    signal=$1
    shift
    mkfifo pipe
    bough import "$@" >pipe 2>said &
    pid=$!
    exec 3<pipe
    read -r _ <&3
    kill -s "$signal" $pid
    cat <&3 >rest
    exec 3<&-
    wait $pid
    echo "exit $?"
    sed -E 's/interrupted, [0-9,]+ of/interrupted, some of/' said
    rm pipe
}
stop INT 'my sessions' --project /srv/it\'s
stop TERM 'my sessions' --verbose --json
echo "-- go on"
bough import 'my sessions' | tail -n 1 | sed -E 's/[0-9,]+ sessions created/the rest created/'
bough ls --limit 0 --slugs | wc -l
