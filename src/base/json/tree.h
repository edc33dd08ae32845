/* JSON, internal: the nodes of a document, shared by the json_*.c files only. */
#ifndef BASE_JSON_TREE_H
#define BASE_JSON_TREE_H

#include "base/json/json.h"

/*
 * Nodes are stored in text order. A member's name is a node of its own, right before its value.
 * A node has only 16 bytes, so that documents of many small values stay small in memory.
 */
struct json_node {
    uint32_t off;
    uint32_t len;
    uint32_t next;        /* the node after this value; while a container is open: its parent */
    unsigned type : 3;    /* enum json_type */
    unsigned escaped : 1; /* string: contains a backslash */
    unsigned count : 28;  /* containers: members or elements */
};

struct json_doc {
    const char *text;
    const struct json_node *nodes;
};

#define JSON_MAX_COUNT ((1u << 28) - 1)

/* The node of a value; a static null node for "nothing". */
const struct json_node *json_node(struct json j);

/*
 * Decode the escapes of the n bytes between a string's quotes, which must be valid. `out` needs
 * room for n bytes: decoding never lengthens. A lone surrogate becomes three bytes that are not
 * valid UTF-8 (ED A0..BF xx). Returns the number of bytes written.
 */
size_t json_unescape(char *out, const char *p, size_t n);

/* The value of a JSON number, in any locale; false when it is too large for a finite double. */
bool json_number(struct bough_str raw, double *v);

/* Write the shortest text that reads back as v, and a NUL. v must be finite. Returns the length. */
size_t json_number_text(double v, char out[32]);

#endif
