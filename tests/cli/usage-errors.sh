#!/bin/sh
# A wrong command line: exit code 2, the error, and where to find help. Nothing on stdout.
try() { bough "$@" >out; echo "exit $?"; cat out; }
try version extra
try version --jsn
try version --json=5
try version -x
try ls --includ
try ls --kinds all
try --store
try --nonsense version
try --store memory: version --store
try help a b
