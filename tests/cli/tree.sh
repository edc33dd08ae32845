#!/bin/sh
# Draws branches, labels, compactions, the head, forks and subagents.
export BOUGH_STORE="$PWD/a.db"
talk
bough tree '#1'
echo "-- a fork shows what it inherited"
bough tree '#2'
echo "-- everything"
bough tree '#1' --all
echo "-- json"
bough tree '#1' --json | mask
bough fork '#1' --title "Nothing said yet" | mask
bough tree '#4'
echo "-- refused"
bough tree; echo "exit $?"
bough tree '#9'; echo "exit $?"
bough tree '#1' --color sometimes; echo "exit $?"
