/* What the body of each kind of record is made of, for those who print it. */
#ifndef STORE_RECORD_BODY_H
#define STORE_RECORD_BODY_H

#include "core/bodies.h"
#include "store/rows.h"

union record_body {
    struct call_body call;
    struct adjust_body adjust;
    struct memory_body memory;
    struct label_body label;
    struct todo_body todo;
    struct queue_body queue;
    struct audit_body audit;
    struct source_body source;
    struct place_body place;
};

enum { RECORD_KINDS = 16 };

/* By kind; without a name: tokens, and what is nobody's business. */
extern const struct record_words {
    const char *name;
    const struct body_field *fields;
} record_bodies[RECORD_KINDS];

#endif
