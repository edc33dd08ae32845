#!/bin/sh
# Import a pi session twice, after it grew, and with broken lines; find it; take it back out.
mask() { sed -e "s|$PWD/||g" -e 's/01[0-9A-Z]\{24\}/ID/g' -e 's/^\([^	]*	\)[a-z]*-[a-z]*	/\1SLUG	/'; }
line() { echo "{\"type\":\"message\",\"id\":\"$1\",\"parentId\":$2,\"timestamp\":\"2026-11-15T20:00:01.000Z\",\"message\":{\"role\":\"$3\",\"content\":\"$4\",\"timestamp\":1}}"; }
mkdir sessions
{
    echo '{"type":"session","version":3,"id":"s-1","timestamp":"2026-11-15T20:00:00.000Z","cwd":"/srv/toy"}'
    line a null user 'where is the quokka'
    line b '"a"' assistant 'on the \u001b[31m island'
} >sessions/x_s-1.jsonl
echo 'not a session' >sessions/other.json
bough import sessions | mask
bough import sessions --verbose | mask
echo '{"torn' >>sessions/x_s-1.jsonl
line c '"b"' user 'thanks' >>sessions/x_s-1.jsonl
bough import sessions | mask
bough import sessions --dry-run --json | mask
bough import nowhere; echo "exit $?"
bough import sessions/other.json >said; code=$?; mask <said; echo "exit $code"
bough search quokka | mask
bough search island | mask
bough search wombat; echo "exit $?"
bough export '#1' --format pi -o out.jsonl && cat out.jsonl
bough export '#1' --format pi -o out.jsonl; echo "exit $?"
bough export '#1' --format pi --dir there
bough export '#1' --format nonsense; echo "exit $?"
bough fsck
