/* The body fields of each record kind, for code that prints records. */
#ifndef STORE_CONTRACT_RECORD_BODY_H
#define STORE_CONTRACT_RECORD_BODY_H

#include "core/pack/bodies.h"
#include "store/contract/rows.h"

/* Large enough for the body of any printed kind. */
union record_body {
    struct call_body call;
    struct adjust_body adjust;
    struct memory_body memory;
    struct label_body label;
    struct todo_body todo;
    struct queue_body queue;
    struct audit_body audit;
    struct source_body source;
    struct group_body place;
    struct state_body state;
    struct run_body run;
    struct approval_body approval;
    struct grant_body grant;
    struct order_body order;
};

enum { RECORD_KINDS = 16 };
_Static_assert((int)RECORD_LAST < RECORD_KINDS, "every kind of record has its place in the table");

/* Indexed by record kind. A kind without a name (auth tokens, for example) is never printed. */
extern const struct record_words {
    const char *name;
    const struct body_field *fields;
} record_bodies[RECORD_KINDS];

/* The fields of a record: of a state record, those that its name tells. NULL: never printed. */
const struct body_field *record_fields(int64_t kind, struct bough_str body);
/* The fields of a state record with this name. */
const struct body_field *state_table(const char *name);

#endif
