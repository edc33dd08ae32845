#!/bin/sh
# Agents of the configuration are listed and tested; the scripted agent plays one.
config=home/.config/bough/config.ini
mkdir -p home/.config/bough
here=$(cd "$(dirname "$0")/../.." && pwd)
agent="node $here/tests/fakes/acp-agent.mjs"
command -v node >/dev/null || { echo "# SKIP Node is not installed"; exit 0; }
echo "-- presets"
PATH=$PATH bough agents | grep -c "installed"
echo "-- one of the configuration"
printf '[agent "fake"]\ncommand = %s\n' "$agent" >$config
bough agents ls | grep fake
bough agents test fake; echo "exit $?"
bough agents test fake --json | sed 's/"program":"[^"]*"/"program":"PATH"/; s/"options":.*/"options":.../'
echo "-- one that is not there, wants a login, or says nothing"
printf '[agent "none"]\ncommand = no-such-agent\ninstall = get it from somewhere\n' >$config
bough agents test none; echo "exit $?"
printf '[agent "fake"]\ncommand = %s\nset = FAKE_NEW=auth\nlogin = fake login\n' "$agent" >$config
bough agents test fake; echo "exit $?"
printf '[agent "fake"]\ncommand = %s\nset = FAKE_INIT=exit\n' "$agent" >$config
bough agents test fake; echo "exit $?"
echo "-- wrong use"
bough agents test nobody; echo "exit $?"
bough agents fly; echo "exit $?"
printf '[agent "fake"]\ncolour = red\n' >$config
bough agents; echo "exit $?"
