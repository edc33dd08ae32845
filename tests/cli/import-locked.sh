#!/bin/sh
# A database that its tool has locked is given up after some seconds, and the other files are imported.
mkdir files
tool-db hygge >files/sessions.db
printf '{"type":"session","version":3,"id":"s","timestamp":"2026-11-15T20:00:00.000Z","cwd":"/srv/toy"}\n' >files/s.jsonl
# SQLite's exclusive lock of a file without a log: struct flock over its lock bytes.
# shellcheck disable=SC2016 # the program is Perl's
perl -MFcntl=:DEFAULT,:seek -e '
    open my $f, "+<", $ARGV[0] or die;
    my $lock = pack("s s x4 q q l x4", F_WRLCK, SEEK_SET, 0x40000000, 512, 0);
    fcntl($f, F_SETLK, $lock) or die;
    open my $g, ">", "locked"; close $g;
    sleep 600' files/sessions.db &
pid=$!
i=0
while [ ! -e locked ] && [ $i -lt 100 ]; do
    sleep 0.1
    i=$((i + 1))
done
bough import files | sed "s|$PWD/||g"
kill $pid
wait $pid 2>/dev/null
bough import files | tail -n 1
