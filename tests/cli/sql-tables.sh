#!/bin/sh
# Plain SQL sees sessions, messages and parts, with their bodies unpacked.
export BOUGH_STORE="$PWD/a.db"
talk
bough new "Beside it" -p /srv/shop >/dev/null
bough append '#4' "This goes." >/dev/null
bough rm '#4' >/dev/null
one=$(bough sql "SELECT id FROM sessions WHERE slug = 'why-is-the-cache-stale'")
echo "-- what is there"
for t in sessions messages parts; do
    printf '%s: ' "$t"
    bough sql "PRAGMA table_info($t)" | cut -f 2 | tr '\n' ' '
    echo
    bough sql "SELECT * FROM $t LIMIT 2" --json | mask
done
bough sql "SELECT slug, status, parent_id = '$one', project_id FROM sessions"
echo "-- joins"
bough sql "SELECT s.slug, count(*) FROM sessions s JOIN messages m ON m.session_id = s.id GROUP BY 1"
bough sql "SELECT m.sequence, m.role, p.type, p.data ->> '\$.text' FROM sessions s JOIN messages m ON m.session_id = s.id
    JOIN parts p ON p.message_id = m.id WHERE s.slug = 'why-is-the-cache-stale' ORDER BY m.created_at, p.id"
echo "-- all tool parts of a session"
bough sql "SELECT substr(id, 27), data FROM parts WHERE session_id = '$one' AND type = 'tool'"
echo "-- found, not searched"
plan() { bough sql "EXPLAIN QUERY PLAN SELECT * FROM $1" | cut -f 4; }
plan "sessions"
plan "sessions WHERE id = '$one'"
plan "sessions WHERE slug = 'x'"
plan "sessions WHERE parent_id = '$one'"
plan "sessions WHERE slug = 'x' COLLATE NOCASE"
plan "messages WHERE session_id = '$one'"
plan "messages WHERE id = 'x'"
plan "messages WHERE role = 'user'"
plan "parts WHERE message_id = 'x'"
plan "parts WHERE session_id = '$one' AND type = 'tool'"
plan "parts WHERE type = 'tool'"
plan "sessions s JOIN messages m ON m.session_id = s.id"
echo "-- the same with and without looking up"
both() {
    echo "$(bough sql "SELECT count(*) FROM $1 WHERE $2 = '$3'") $(bough sql "SELECT count(*) FROM $1 WHERE +$2 = '$3'")"
}
message=$(bough sql "SELECT message_id FROM parts WHERE id LIKE '%.0001'")
both sessions id "$one"
both sessions slug the-same-bug-another-way
both sessions parent_id "$one"
both messages session_id "$one"
both messages id "$message"
both parts message_id "$message"
both parts id "$message.0001"
both parts session_id "$one"
both parts type tool
both parts type nothing
both sessions id "$message"
both messages id "$one"
both sessions id "$(echo "$one" | tr '[:upper:]' '[:lower:]')"
bough sql "SELECT count(*) FROM parts WHERE message_id = '$message' OR session_id = '$one'"
bough sql "SELECT count(*) FROM messages WHERE session_id IN (SELECT id FROM sessions)"
echo "-- refused"
for q in "DELETE FROM sessions" "UPDATE messages SET role = 'user'" "INSERT INTO parts (id) VALUES (1)" "DROP TABLE parts" \
    "CREATE VIRTUAL TABLE x USING sessions" "CREATE TEMP VIEW v AS SELECT * FROM sessions" "SELECT rowid FROM parts"; do
    bough sql "$q" | head -n 1
done 2>&1 | grep -v '^What to do'
bough fsck --quick
