/*
 * Bodies: packing a struct into bytes, driven by a table of its fields. Pure. Used for sessions,
 * records and list rows. A new field is one line in a table; older readers skip unknown tags.
 *
 *   0-3  CRC-32C of the rest, little endian
 *   4-   each field that is not zero or empty:
 *          number:  varint tag * 2, zigzag varint
 *          bytes:   varint tag * 2 + 1, varint length, the bytes, a NUL
 */
#ifndef CORE_PACK_BODY_H
#define CORE_PACK_BODY_H

#include <bough/model.h>
#include <stddef.h>

enum body_field_type {
    FIELD_I64,  /* int64_t */
    FIELD_BOOL, /* bool */
    FIELD_CSTR, /* const char *, "" when absent */
    FIELD_STR,  /* struct bough_str, {"", 0} when absent */
};

struct body_field {
    int tag; /* stored on disk: never changed or reused */
    enum body_field_type type;
    size_t offset;
    const char *name; /* the member's name in body_json() */
};

#define FIELD(tag, type, struct_name, member)                                                      \
    {                                                                                              \
        tag, FIELD_##type, offsetof(struct struct_name, member), #member                           \
    }
/* A struct bough_totals: six numbers, six consecutive tags from `tag` on. */
#define FIELD_TOTALS(tag, struct_name, member)                                                     \
    { tag, FIELD_I64, offsetof(struct struct_name, member.input), #member ".input" },              \
        { tag + 1, FIELD_I64, offsetof(struct struct_name, member.output), #member ".output" },    \
        { tag + 2, FIELD_I64, offsetof(struct struct_name, member.reasoning),                      \
          #member ".reasoning" },                                                                  \
        { tag + 3, FIELD_I64, offsetof(struct struct_name, member.cache_read),                     \
          #member ".cache_read" },                                                                 \
        { tag + 4, FIELD_I64, offsetof(struct struct_name, member.cache_write),                    \
          #member ".cache_write" },                                                                \
    {                                                                                              \
        tag + 5, FIELD_I64, offsetof(struct struct_name, member.cost), #member ".cost"             \
    }

/* Pack the struct `from` into bytes in the arena. A table ends with a row whose tag is 0. */
struct bough_str body_pack(struct bough_arena *a, const struct body_field *table, const void *from);

/*
 * Unpack `body` into the struct `to`. Absent fields become zero or "". Strings are slices of
 * `body`, which must outlive the struct. BOUGH_CORRUPT when `body` is damaged.
 */
BOUGH_MUST_CHECK enum bough_rc body_read(const struct body_field *table, struct bough_str body,
                                         void *to, struct bough_error *err);

/*
 * The struct as a JSON object in the arena, without zero and empty fields. A FIELD_STR must hold
 * valid JSON; it is copied as it is.
 */
struct bough_str body_json(struct bough_arena *a, const struct body_field *table, const void *from);

/* Set every field of the table to zero or "". */
void body_clear(const struct body_field *table, void *to);

#endif
