#!/bin/sh
# bough mcp install: shows, asks, writes only its own entry.
for agent in claude codex cursor gemini opencode; do
    bough mcp install $agent --yes </dev/null | mask
done
for file in .claude.json .codex/config.toml .cursor/mcp.json .gemini/settings.json .config/opencode/opencode.json; do
    echo "-- $file $(stat -c %a "home/$file")"
    cat "home/$file"
done
echo "-- again: nothing to do"
bough mcp install codex --yes | mask
bough mcp install cursor --yes | mask
echo "-- the rest of a file stays as it is"
printf '{ "a" : [1,  2],\n\t"mcpServers": { "other": {"command":"x"} } }' >home/.cursor/mcp.json
printf 'model = "x"\n[mcp_servers.other]\ncommand = "y"' >home/.codex/config.toml
chmod 644 home/.cursor/mcp.json
mv home/.gemini/settings.json home/real.json
ln -s ../real.json home/.gemini/settings.json
for agent in cursor codex gemini; do bough --store s.db mcp install $agent --write --yes >/dev/null; done
{ cat home/.cursor/mcp.json; echo; cat home/.codex/config.toml; } | mask
stat -c %a home/.cursor/mcp.json
mask <home/real.json
test -h home/.gemini/settings.json && echo "still a link"
echo "-- refused: nothing is written"
bough mcp install emacs --yes; echo "exit $?"
bough mcp install; echo "exit $?"
bough mcp instal claude; echo "exit $?"
rm home/.claude.json
bough mcp install claude </dev/null >out 2>&1; echo "exit $?"
mask <out
ls home/.claude.json 2>/dev/null
echo '{ // a comment' >home/.cursor/mcp.json
bough mcp install cursor --yes 2>&1 | mask
cat home/.cursor/mcp.json
echo '{"mcpServers":[]}' >home/.cursor/mcp.json
bough mcp install cursor --yes 2>&1 | mask
echo '[mcp_servers.bough]' >home/.codex/config.toml
bough mcp install codex --yes 2>&1 | mask
bough --store 'postgres://me:secret@db/x' mcp install cursor --yes; echo "exit $?"
