/* Ids that locate their row: a ULID made of 48 bits time, 1 bit space, 31 bits number, 32 bits
 * position and 16 random check bits. Ids are stored: never change the layout. Pure functions. */
#ifndef STORE_CONTRACT_ID_H
#define STORE_CONTRACT_ID_H

#include <bough/model.h>

struct id {
    int64_t made; /* creation time in ms */
    int space; /* 0: sessions (number sid, position 0) and entries (number bid, position depth); 1:
                  records */
    int64_t number, position, chk;
};

void id_format(const struct id *id, char out[BOUGH_ID_LEN + 1]);
/* False when `text` is not a ULID. Any ULID parses: the caller must compare made and chk with the
 * row. */
bool id_parse(struct bough_str text, struct id *out);

void id_session(int64_t made, int64_t sid, int64_t chk, char out[BOUGH_ID_LEN + 1]);
void id_entry(int64_t made, int64_t bid, int64_t depth, int64_t chk, char out[BOUGH_ID_LEN + 1]);
/* The position of a record holds 4 bits kind and 28 bits ordinal. */
void id_record(int64_t made, int64_t sid, int64_t kind, int64_t ord, int64_t chk,
               char out[BOUGH_ID_LEN + 1]);

/* `fresh`, or an id after `last` when `fresh` is not of a later millisecond. For bough_id_new(). */
struct ulid;
struct ulid id_next(struct ulid last, struct ulid fresh);

#endif
