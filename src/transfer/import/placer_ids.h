/* Maps the ids of a file to the slots of their entries, in bounded memory. The newest ids are held
 * exactly. Older ids are dropped into a Bloom filter, which tells whether to look one up in the
 * store. */
#ifndef TRANSFER_IMPORT_PLACER_IDS_H
#define TRANSFER_IMPORT_PLACER_IDS_H

#include "base/memory/map.h"

struct place_ids {
    struct smap young, old; /* when young is full it becomes old, and the ids of old are dropped */
    unsigned char *dropped; /* Bloom filter of the dropped ids; NULL: none was dropped */
    bool all;               /* drop nothing: the store cannot answer (dry run) */
};

void ids_init(struct place_ids *m);
void ids_finish(struct place_ids *m);
void ids_clear(struct place_ids *m);
bool ids_get(const struct place_ids *m, const char *id, uint64_t *place);
void ids_put(struct place_ids *m, const char *id, uint64_t place);
void ids_del(struct place_ids *m, const char *id);
/* Was the id dropped? May return true for an id that was never there, never the reverse. */
bool ids_dropped(const struct place_ids *m, const char *id);

#endif
