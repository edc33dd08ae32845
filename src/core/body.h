/*
 * Bodies: a struct as packed bytes, driven by a table. Pure. Sessions, records and list rows are
 * kept so; a new field is one line in a table, and an older reader skips what it does not know.
 *
 *   0-3  CRC-32C of the rest
 *   4-   for each field that is not zero or empty: varint tag * 2 + 1 when bytes follow;
 *        then a zigzag varint, or a length, the bytes and a NUL
 */
#ifndef CORE_BODY_H
#define CORE_BODY_H

#include <bough/model.h>
#include <stddef.h>

enum body_field_type {
    FIELD_I64,  /* int64_t */
    FIELD_BOOL, /* bool */
    FIELD_CSTR, /* const char *, "" when absent */
    FIELD_STR,  /* struct bough_str, {"", 0} when absent */
};

struct body_field {
    int tag; /* for ever; never reused */
    enum body_field_type type;
    size_t offset;
    const char *name; /* in JSON */
};

#define FIELD(tag, type, struct_name, member)                                                      \
    {                                                                                              \
        tag, FIELD_##type, offsetof(struct struct_name, member), #member                           \
    }
/* The six numbers of a struct bough_totals take six tags in a row. */
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

/* The table ends with a tag of 0. */
struct bough_str body_pack(struct bough_arena *a, const struct body_field *table, const void *from);

/* Strings are slices of `body`, which must outlive the struct. BOUGH_CORRUPT when it is damaged. */
BOUGH_MUST_CHECK enum bough_rc body_read(const struct body_field *table, struct bough_str body,
                                         void *to, struct bough_error *err);

/* The same struct as a JSON object, without what is zero or empty; a FIELD_STR is JSON already. */
struct bough_str body_json(struct bough_arena *a, const struct body_field *table, const void *from);

/* All fields zero and empty. */
void body_clear(const struct body_field *table, void *to);

#endif
