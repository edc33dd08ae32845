/* Ids of a file and where their entries are. The newest ones are held; of the others it is only
 * known that they may have been there, and the store is asked: a file has no limit, memory has. */
#ifndef TRANSFER_PLACE_IDS_H
#define TRANSFER_PLACE_IDS_H

#include "base/map.h"

struct place_ids {
    struct smap young, old; /* a full young one becomes the old one, whose ids are dropped */
    unsigned char *dropped; /* bits of what was dropped; NULL: nothing yet */
    bool all;               /* nobody could be asked: hold everything */
};

void ids_init(struct place_ids *m);
void ids_finish(struct place_ids *m);
void ids_clear(struct place_ids *m);
bool ids_get(const struct place_ids *m, const char *id, uint64_t *place);
void ids_put(struct place_ids *m, const char *id, uint64_t place);
void ids_del(struct place_ids *m, const char *id);
/* Was it there and is no longer held? May be wrong, but only by saying yes. */
bool ids_dropped(const struct place_ids *m, const char *id);

#endif
