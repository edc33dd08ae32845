#!/bin/sh
# A run gives a model tools: it streams, asks, and can be stopped, resumed and looked at.
export BOUGH_STORE="$PWD/a.db"
mkdir -p home/.config/bough work
fake-provider >port &
provider=$!
for _ in $(seq 200); do [ -s port ] && break; sleep 0.1; done
printf '[provider "local"]\nkind = openai-compatible\nbase_url = http://127.0.0.1:%s\nallow_private = yes\nauth = none\n' \
    "$(cat port)" >home/.config/bough/config.ini
echo "words of a file" >work/a.txt
echo "-- reading needs no approval"
bough run -C work -m tiny-1 'call files_read {"path":"a.txt"}'; echo "exit $?"
echo "-- without a terminal, what would be asked is rejected"
bough run -C work -m tiny-1 'call files_write {"path":"b.txt","content":"x"}' 2>&1; echo "exit $?"
ls work
echo "-- allowed"
bough run -C work -m tiny-1 --approve allow 'call files_write {"path":"b.txt","content":"x"}'; echo "exit $?"
ls work
echo "-- on a terminal: a person says yes"
{ sleep 3; printf 'v\r'; sleep 1; printf 'y\r'; sleep 3; } |
    TERM=dumb script -qefc "bough run -C work -m tiny-1 'call files_write {\"path\":\"c.txt\",\"content\":\"x\"}'" /dev/null >screen 2>&1
grep -qa 'Run it?' screen && echo asked
ls work
echo "-- a terminal is interrupted: cancelled"
{ sleep 3; printf '\003'; sleep 3; } |
    TERM=dumb script -qefc "bough run -C work -m tiny-1 slow" /dev/null >screen 2>&1; echo "exit $?"
bough task ls | cut -f 2,3,5,6
echo "-- a run that failed is resumed"
bough run -C work -m tiny-1 --max-turns 1 --json 'call files_list {}' | tail -1 | grep -o '"error_code":"[a-z]*"'
latest=$(bough task ls --limit 1 | cut -f 1)
bough task resume "$latest"; echo "exit $?"
bough task log "$latest" | cut -f 3- -d ' ' | mask
bough task show "$latest" | mask
bough approvals --all | cut -f 2,4
echo "-- mistakes"
bough run "hi"; echo "exit $?"
bough task cancel "$latest" 2>&1 | mask; echo "exit $?"
kill $provider
bough fsck >/dev/null; echo "fsck $?"
