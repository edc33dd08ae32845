#!/bin/sh
# The tour runs to its end; ids and the temporary place differ from run to run.
bough demo | sed -E 's/[0-9A-HJKMNP-TV-Z]{26}/<id>/g; s|sqlite:.*/demo\.db|<store>|'
