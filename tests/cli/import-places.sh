#!/bin/sh
# Without an argument: looks in the usual places of all tools, databases too, lists its findings, then asks.
line() { echo "{\"type\":\"message\",\"id\":\"$1\",\"parentId\":null,\"timestamp\":\"2026-11-15T20:00:01.000Z\",\"message\":{\"role\":\"user\",\"content\":\"hi\"}}"; }
put() { mkdir -p "$(dirname "$1")" && cat >"$1"; }
here=$(pwd)
show() { sed "s|$here|<here>|g" | sort; }
echo "-- nothing there"
bough import --yes; echo "exit $?"
{
    echo '{"type":"session","version":3,"id":"s-1","timestamp":"2026-11-15T20:00:00.000Z","cwd":"/srv/toy"}'
    line a
} | put home/.pi/agent/sessions/--srv-toy--/x_s-1.jsonl
echo 'no session' | put home/.pi/agent/sessions/notes.txt
echo '{"parentUuid":null,"sessionId":"11111111-1111-4111-8111-111111111111","type":"user","uuid":"u1","cwd":"/p","message":{"role":"user","content":"hi"}}' |
    put home/.claude/projects/-p/11111111-1111-4111-8111-111111111111.jsonl
{
    echo '{"timestamp":"2026-11-15T20:00:00.000Z","type":"session_meta","payload":{"id":"c-1","cwd":"/p"},"ordinal":0}'
    echo '{"timestamp":"2026-11-15T20:00:00.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[]},"ordinal":1}'
} | put home/.codex/sessions/2026/11/15/rollout-c-1.jsonl
echo '{"id":"ses_2","title":"of its storage","directory":"/p","time":{"created":1794772800000}}' | put home/.local/share/opencode/storage/session/p/ses_2.json
echo '{"id":"msg_2","sessionID":"ses_2","role":"user","time":{"created":1794772800000}}' | put home/.local/share/opencode/storage/message/ses_2/msg_2.json
echo '{"id":"prt_2","type":"text","text":"hi"}' | put home/.local/share/opencode/storage/part/msg_2/prt_2.json
tool-db opencode | put home/.local/share/opencode/opencode-stable.db
tool-db hygge | put home/.local/state/hygge/sessions.db
tool-db hecate | put home/.local/share/sh.hecate.app/hecate.db
tool-db hecate | put .data/hecate.db
touch before
echo "-- found, and asked where nobody can answer"
bough import >said 2>&1; echo "exit $?"
show <said
bough ls 2>/dev/null; echo "exit $?"
echo "-- and asked on a terminal"
answer() { { sleep 0.5; echo "$1"; } | SHELL=/bin/sh script -qefc "bough import; echo exit \$?" /dev/null | tr -d '\r' | sed 's|\[y/N\].*|[y/N]|' | grep -vE '^[a-z]?$' | show; }
answer n
echo "-- --yes"
bough import --yes >said 2>&1; echo "exit $?"
show <said
bough ls --json | tr ',' '\n' | grep '"title"' | sort
echo "-- again"
bough import --yes 2>/dev/null
echo "-- other places"
mkdir -p data/opencode && mv home/.local/share/opencode/opencode-stable.db data/opencode/opencode.db
XDG_DATA_HOME=$here/data bough import --yes >said 2>&1; echo "exit $?"
show <said
echo "-- nothing was written there"
find home .data -newer before -type f ! -path 'home/.local/share/bough/*' | wc -l
find data -newer before -type f ! -path 'data/bough/*' | wc -l
find home data .data \( -name '*-wal' -o -name '*-shm' \) | wc -l
