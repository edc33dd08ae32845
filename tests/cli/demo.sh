#!/bin/sh
# The demo runs to its end; ids and the temporary folder differ between runs.
bough demo | sed -E 's/[0-9A-HJKMNP-TV-Z]{26}/<id>/g; s|sqlite:.*/demo\.db|<store>|'
