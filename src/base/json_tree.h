/* JSON, inside view: the nodes of a document. Private to the json_*.c files. */
#ifndef BASE_JSON_TREE_H
#define BASE_JSON_TREE_H

#include "base/json.h"

/*
 * All values in text order. An object's names are nodes too, each right before its value.
 * 16 bytes: a document of many small values must not cost many times its text.
 */
struct json_node {
    uint32_t off;
    uint32_t len;
    uint32_t next;        /* containers: the node after all inside; while open: the parent */
    unsigned type : 3;    /* enum json_type */
    unsigned escaped : 1; /* a string with a backslash in it */
    unsigned count : 28;  /* containers: members or elements */
};

struct json_doc {
    const char *text;
    const struct json_node *nodes;
};

#define JSON_MAX_COUNT ((1u << 28) - 1)

const struct json_node *json_node(struct json j);

/*
 * Undo escapes between the quotes. `out` has room for n bytes: escapes never get longer.
 * Lone surrogates come out as three bytes that are no UTF-8 (ED A0..BF xx); how many bytes.
 */
size_t json_unescape(char *out, const char *p, size_t n);

/* The value of a JSON number; false when no finite double is near. */
bool json_number(struct bough_str raw, double *v);

/* Shortest digits that read back as v, whatever the locale. v is finite. */
size_t json_number_text(double v, char out[32]);

#endif
