#!/bin/sh
# Paths of an import: standard input, compressed files, links, and what is not a file.
mkdir files empty && cp "$DATA/pi/multiturn.jsonl" files
echo "-- a missing path does not stop the others"
bough import nowhere.jsonl files 2>&1 | mask
bough import nowhere.jsonl files >/dev/null 2>&1; echo "exit $?"
bough import nowhere.jsonl 2>&1; echo "exit $?"
echo "-- an empty directory is named"
bough import empty 2>&1; echo "exit $?"
echo "-- standard input"
bough import - <"$DATA/codex/tools.jsonl" | mask
bough import - - <"$DATA/codex/tools.jsonl" | mask; echo "exit $?"
echo nothing | bough import - 2>&1 | mask
bough import --follow - </dev/null 2>&1 | head -n 1
echo "-- compressed files"
gzip -c "$DATA/claude-code/tools.jsonl" >files/tools.jsonl.gz
bough import files | mask
bough import files | mask
head -c 300 files/tools.jsonl.gz >files/cut.jsonl.gz
bough import files | mask
rm files/cut.jsonl.gz
echo "-- links to directories, and loops of them"
mkdir linked && cp "$DATA/pi/v2.jsonl" linked && ln -s ../linked files/more && ln -s ../files linked/loop
bough import files | mask
echo "-- a pipe and a device"
mkfifo pipe.jsonl files/pipe.jsonl
bough import pipe.jsonl 2>&1 | mask
bough import /dev/null 2>&1 | mask
bough import files | mask
