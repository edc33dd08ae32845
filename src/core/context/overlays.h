/* Overlays on sealed entries. Pure. */
#ifndef CORE_CONTEXT_OVERLAYS_H
#define CORE_CONTEXT_OVERLAYS_H

#include "core/context/dialect.h"

/* The customType of the entries; their `data` is {"target": entry id, ...}. */
#define OVERLAY_AMEND "bough.amend"         /* "parts": shown behind those of the target */
#define OVERLAY_COMPACTED "bough.compacted" /* "part": its number; without it all parts */

/* Apply the overlays among in->entries to the entries before them, in a copy, with a note each. */
void overlays_apply(struct context_out *c, struct context_input *in);

/* Does the part have an output of a tool that can be removed? */
bool overlay_clears(const struct bough_part *part);

#endif
