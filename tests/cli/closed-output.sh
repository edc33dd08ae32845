#!/bin/sh
# Standard files that are closed, or full, do no harm and do not look like success.
bough version >&-; echo "closed stdout: exit $?"
bough version <&- >/dev/null; echo "closed stdin: exit $?"
bough frobnicate 2>&-; echo "closed stderr: exit $?"
if [ -e /dev/full ]; then bough version >/dev/full; else echo "bough: cannot write the output: No space left on device"; (exit 1); fi
echo "full stdout: exit $?"
