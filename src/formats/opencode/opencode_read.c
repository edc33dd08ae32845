/* opencode's export, reader: {info, messages: [{info, parts}]}, or only the list of messages. */
#include "formats/opencode/opencode.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "formats/doc/doc.h"

/* The position of a message, for sorting. */
struct message {
    int64_t time, byte, line;
};

struct opencode {
    struct reading *r;
    struct message *at; /* used only when the messages are not in order */
    size_t n;
    int64_t last; /* time */
    bool disorder;
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

/* ---- first pass: order and summaries ---- */

static int by_time(const void *a, const void *b)
{
    const struct message *one = a, *other = b;

    if (one->time != other->time)
        return one->time < other->time ? -1 : 1;
    return one->byte < other->byte ? -1 : one->byte > other->byte;
}

/* Find a member without parsing the whole object: `info` comes first, so the parts are not read. */
static struct json member_of(struct reading *r, struct bough_str raw, const char *name)
{
    struct json out = { 0 };
    struct json_event ev;
    struct json_pull p;

    json_pull_init(&p, raw);
    if (json_pull_next(&p, &ev, NULL) || ev.type != JSON_BEGIN || ev.value != JSON_OBJECT)
        return out;
    while (json_pull_next(&p, &ev, NULL) == BOUGH_OK && ev.type == JSON_KEY) {
        bool found = json_span_is(ev.raw, name);
        struct bough_str value;

        if (json_pull_next(&p, &ev, NULL))
            break;
        value = ev.raw;
        if (ev.type == JSON_BEGIN && json_pull_skip(&p, &ev, &value, NULL))
            break;
        if (found) {
            if (json_parse(r->a, value, &out, NULL))
                out = (struct json){ 0 };
            return out;
        }
    }
    return out;
}

static void look_at(void *user, const struct doc_event *ev)
{
    struct opencode *oc = user;
    struct reading *r = oc->r;
    struct json info = member_of(r, ev->raw, "info");
    int64_t time = number_of(json_member(info, "time"), "created");

    oc->disorder = oc->disorder || time < oc->last;
    oc->last = time;
    if (!oc->one.id)
        oc->one.id = arena_strdup(r->kept, json_cstr(r->a, info, "sessionID"));
    opencode_summed(r, &oc->one, info);
    bough_arena_reset(r->a);
}

/* ---- second pass ---- */

static enum bough_rc take_message(void *user, struct bough_str raw, struct bough_error *err)
{
    struct opencode *oc = user;
    struct json j;
    enum bough_rc rc;

    if (doc_object(oc->r, raw, &j, &rc, err))
        rc = opencode_message(oc->r, &oc->one, j, err);
    bough_arena_reset(oc->r->a);
    return rc;
}

/* For messages that are out of order: record the position of each one. */
static enum bough_rc note_message(void *user, struct bough_str raw, struct bough_error *err)
{
    struct opencode *oc = user;
    struct reading *r = oc->r;
    struct json info = member_of(r, raw, "info");

    (void)err;
    oc->at = mem_room(oc->at, oc->n, sizeof *oc->at);
    oc->at[oc->n++] =
        (struct message){ number_of(json_member(info, "time"), "created"), r->byte, r->line };
    bough_arena_reset(r->a);
    return BOUGH_OK;
}

/* Then read them in order of time. */
static enum bough_rc give_sorted(struct reading *r, struct opencode *oc, struct bough_error *err)
{
    struct doc_event ev = { .kind = DOC_ELEMENT };
    struct doc d;
    enum bough_rc rc = BOUGH_OK;

    qsort(oc->at, oc->n, sizeof *oc->at, by_time);
    doc_init(&d, r, "messages", err);
    for (size_t i = 0; i < oc->n && !rc; i++) {
        rc = doc_at(&d, oc->at[i].byte, &ev);
        r->line = oc->at[i].line;
        r->byte = oc->at[i].byte;
        if (!rc && ev.kind == DOC_ELEMENT)
            rc = take_message(oc, ev.raw, err);
    }
    doc_finish(&d);
    r->byte = 0;
    return rc;
}

static enum bough_rc give_messages(struct reading *r, struct opencode *oc, struct bough_error *err)
{
    enum bough_rc rc;

    if (!oc->disorder)
        return doc_each(r, "messages", take_message, oc, err);
    rc = doc_each(r, "messages", note_message, oc, err);
    if (!rc && oc->n)
        rc = give_sorted(r, oc, err);
    return rc;
}

enum bough_rc opencode_document(struct reading *r, struct bough_error *err)
{
    struct opencode *oc = arena_zalloc(r->kept, sizeof *oc);
    struct doc_about about = { .each = look_at, .user = oc };
    struct json rest = { 0 }, info;
    enum bough_rc rc;

    oc->r = r;
    rc = doc_survey(r, "messages", &about, err);
    if (rc)
        return rc;
    if (json_parse(r->kept, about.rest, &rest, NULL))
        rest = (struct json){ 0 };
    info = json_member(rest, "info");
    if (!about.listed && json_type(info) != JSON_OBJECT)
        return bough_fail(err, BOUGH_INVALID, "not an export of opencode: %s", about.why);
    rc = opencode_begin(r, &oc->one, info, err);
    if (!rc)
        rc = give_messages(r, oc, err);
    if (!rc)
        rc = opencode_end(r, &oc->one, err);
    if (!rc && json_type(json_member(rest, "todos")) == JSON_ARRAY)
        rc = give_todos(r, json_member(rest, "todos"), err);
    mem_free(oc->at);
    return rc;
}
