#!/bin/sh
# Version numbers change, the shape of the output does not.
hide() { sed -E 's/[0-9]+(\.[0-9]+)+/N/; s/[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8} [0-9a-f]{64}/ID/; s/("sqlite":)"[0-9.]+"/\1"N"/'; }
bough version | hide
bough --version | hide
bough version --json | hide
