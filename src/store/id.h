/* Ids that locate: a ULID that says where its row is. Pure.
 * 48 bits time, 1 space, 31 number, 32 position, 16 random check bits. */
#ifndef STORE_ID_H
#define STORE_ID_H

#include <bough/model.h>

struct id {
    int64_t made;
    int space; /* 0: sessions (position 0) and entries (position = depth on branch number); 1:
                  records */
    int64_t number, position, chk;
};

void id_format(const struct id *id, char out[BOUGH_ID_LEN + 1]);
bool id_parse(struct bough_str text, struct id *out);

void id_session(int64_t made, int64_t sid, int64_t chk, char out[BOUGH_ID_LEN + 1]);
void id_entry(int64_t made, int64_t bid, int64_t depth, int64_t chk, char out[BOUGH_ID_LEN + 1]);
/* The position of a record is 4 bits kind and 28 bits ordinal. */
void id_record(int64_t made, int64_t sid, int64_t kind, int64_t ord, int64_t chk,
               char out[BOUGH_ID_LEN + 1]);

#endif
