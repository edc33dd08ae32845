/* opencode's export, in: {info, messages: [{info, parts}]}, or its list of messages alone. */
#include "formats/opencode.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/str.h"
#include "formats/doc.h"

struct message {
    struct bough_str raw;
    int64_t time, line;
    size_t place; /* in the file */
};

struct opencode {
    struct message *at;
    size_t n, cap;
    struct opencode_session one;
};

bool opencode_detect(struct bough_str first)
{
    struct bough_str text = without_bom(first);

    while (text.n && strchr(" \t\r\n", *text.p))
        text = str_make(text.p + 1, text.n - 1);
    if (!text_has(text, "\"info\""))
        return false;
    return (str_starts(text, "{") &&
            (text_has(text, "\"ses_") || text_has(text, "\"messages\""))) ||
           (str_starts(text, "[") && text_has(text, "\"sessionID\""));
}

/* ---- messages ---- */

static int by_time(const void *a, const void *b)
{
    const struct message *one = a, *other = b;

    if (one->time != other->time)
        return one->time < other->time ? -1 : 1;
    return one->place < other->place ? -1 : 1;
}

static void add_message(struct reading *r, struct opencode *oc, struct bough_str raw, int64_t line)
{
    struct arena_mark mark = arena_mark(r->a);
    struct json j, info;

    if (oc->n == oc->cap) {
        size_t cap = oc->cap ? 2 * oc->cap : 256;

        oc->at = arena_resize(r->kept, oc->at, oc->cap * sizeof *oc->at, cap * sizeof *oc->at);
        oc->cap = cap;
    }
    oc->at[oc->n] = (struct message){ .raw = raw, .line = line, .place = oc->n };
    if (json_parse(r->a, raw, &j, NULL) == BOUGH_OK) {
        info = json_member(j, "info");
        oc->at[oc->n].time = number_of(json_member(info, "time"), "created");
        if (!oc->one.id)
            oc->one.id = arena_strdup(r->kept, json_cstr(r->a, info, "sessionID"));
        opencode_summed(r, &oc->one, info);
    }
    oc->n++;
    arena_rewind(r->a, mark);
}

static enum bough_rc give_messages(struct reading *r, struct opencode *oc, struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < oc->n && !rc; i++) {
        struct arena_mark mark = arena_mark(r->a);
        struct json j;

        r->line = oc->at[i].line;
        if (json_parse(r->a, oc->at[i].raw, &j, NULL) || json_type(j) != JSON_OBJECT)
            rc = give_problem(r, err, "a message that is no object was left out");
        else
            rc = opencode_message(r, &oc->one, j, err);
        arena_rewind(r->a, mark);
    }
    return rc ? rc : opencode_end(r, &oc->one, err);
}

enum bough_rc opencode_document(struct reading *r, struct bough_str text, struct bough_error *err)
{
    struct opencode *oc = arena_zalloc(r->kept, sizeof *oc);
    struct json rest = { 0 }, info = { 0 };
    struct bough_str one;
    struct doc d;
    bool list;
    enum bough_rc rc;

    text = without_bom(text);
    list = doc_open(&d, text, "messages");
    while (list && doc_next(&d, &one))
        add_message(r, oc, one, d.line);
    if (json_parse(r->a, doc_rest(r->a, text, "messages"), &rest, NULL))
        rest = (struct json){ 0 };
    info = json_member(rest, "info");
    r->line = 1;
    if (!list && json_type(info) != JSON_OBJECT)
        return bough_fail(err, BOUGH_INVALID, "it is no export of opencode: %.150s", d.why.msg);
    if (oc->n)
        qsort(oc->at, oc->n, sizeof *oc->at, by_time);
    rc = opencode_begin(r, &oc->one, info, err);
    if (!rc)
        rc = give_messages(r, oc, err);
    if (!rc && json_type(json_member(rest, "todos")) == JSON_ARRAY)
        rc = give_todos(r, json_member(rest, "todos"), err);
    if (!list)
        d.broken = true;
    return rc ? rc : doc_end(r, &d, err);
}
