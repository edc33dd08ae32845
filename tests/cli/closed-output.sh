#!/bin/sh
# Closed or full standard streams cause no damage and are not reported as success.
[ -e /dev/full ] || { echo "no /dev/full here"; exit 77; }
bough version >&-; echo "closed stdout: exit $?"
bough version <&- >/dev/null; echo "closed stdin: exit $?"
bough frobnicate 2>&-; echo "closed stderr: exit $?"
bough version >/dev/full; echo "full stdout: exit $?"
