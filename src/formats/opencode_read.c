/* opencode's export, in: {info, messages: [{info, parts}]}, or its list of messages alone. */
#include "formats/opencode.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/str.h"
#include "core/context.h"
#include "formats/doc.h"
#include "formats/names.h"

struct message {
    struct bough_str raw;
    int64_t time, line;
    size_t place; /* in the file */
};

struct opencode {
    struct message *at;
    size_t n, cap;
    const char *session;
    struct names summed; /* id of a request for a summary -> "" when it was answered */
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

/* ---- the session ---- */

static enum bough_rc give_session(struct reading *r, struct opencode *oc, struct json info,
                                  struct bough_error *err)
{
    struct item item = { .kind = ITEM_SESSION };
    struct item_session *s = &item.u.session;
    struct json time = json_member(info, "time"), model = json_member(info, "model");
    struct bough_str raw = json_raw(info);

    s->id = json_cstr(r->a, info, "id");
    if (cstr_empty(s->id))
        s->id = oc->session;
    if (cstr_empty(s->id))
        return bough_fail(err, BOUGH_INVALID, "no session and no message of opencode in it");
    oc->session = arena_strdup(r->kept, s->id);
    s->title = json_cstr(r->a, info, "title");
    s->project = json_cstr(r->a, info, "directory");
    s->parent = json_cstr(r->a, info, "parentID");
    s->subagent = !cstr_empty(s->parent);
    s->role_name = json_cstr(r->a, info, "agent");
    s->model_provider = json_cstr(r->a, model, "providerID");
    s->model_name = json_cstr(r->a, model, "id");
    s->provider_path = "opencode";
    s->created = number_of(time, "created");
    s->archived = number_of(time, "archived") > 0;
    if (json_type(info) == JSON_OBJECT)
        s->data = str_of(arena_printf(r->a, "{\"" OPENCODE_INFO "\":%.*s}", (int)raw.n, raw.p));
    return give(r, &item, err);
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
    bool summary = false;
    const char *id;

    if (oc->n == oc->cap) {
        size_t cap = oc->cap ? 2 * oc->cap : 256;

        oc->at = arena_resize(r->kept, oc->at, oc->cap * sizeof *oc->at, cap * sizeof *oc->at);
        oc->cap = cap;
    }
    oc->at[oc->n] = (struct message){ .raw = raw, .line = line, .place = oc->n };
    if (json_parse(r->a, raw, &j, NULL) == BOUGH_OK) {
        info = json_member(j, "info");
        oc->at[oc->n].time = number_of(json_member(info, "time"), "created");
        if (!oc->session)
            oc->session = arena_strdup(r->kept, json_cstr(r->a, info, "sessionID"));
        json_bool(json_member(info, "summary"), &summary);
        id = json_cstr(r->a, info, "parentID");
        if (summary && id && json_type(json_member(info, "error")) != JSON_OBJECT &&
            json_cstr(r->a, info, "finish"))
            names_put(r->kept, &oc->summed, id, "");
    }
    oc->n++;
    arena_rewind(r->a, mark);
}

static void take_usage(struct reading *r, struct json info, struct bough_entry_new *e)
{
    struct json tokens = json_member(info, "tokens"), cache = json_member(tokens, "cache");

    e->usage = (struct bough_totals){ .input = number_of(tokens, "input"),
                                      .output = number_of(tokens, "output"),
                                      .reasoning = number_of(tokens, "reasoning"),
                                      .cache_read = number_of(cache, "read"),
                                      .cache_write = number_of(cache, "write"),
                                      .cost = cost_of(json_member(info, "cost")) };
    e->has_usage = e->usage.input || e->usage.output || e->usage.reasoning || e->usage.cache_read ||
                   e->usage.cache_write || e->usage.cost;
    e->call_provider = json_cstr(r->a, info, "providerID");
    e->call_model = json_cstr(r->a, info, "modelID");
}

/* A request for a summary that was answered: what came before it is told by the answer, but for the
 * tail it names (A21). The marker stands before the request. */
static enum bough_rc give_marker(struct reading *r, const struct opencode *oc, struct json parts,
                                 struct item *message, struct bough_error *err)
{
    struct item item = { .kind = ITEM_ENTRY };
    struct json_iter it = json_iter(parts);
    const char *id = message->u.entry.id, *tail = NULL;
    bool found = false;
    enum bough_rc rc;

    if (!id || !names_get(&oc->summed, id))
        return BOUGH_OK;
    while (json_type(parts) == JSON_ARRAY && json_next(&it)) {
        if (!cstr_eq(json_cstr(r->a, it.value, "type"), "compaction"))
            continue;
        found = true;
        tail = json_cstr(r->a, it.value, "tail_start_id");
    }
    if (!found)
        return BOUGH_OK;
    item.u.entry.id = arena_printf(r->a, OPENCODE_MARKER "%s", id);
    item.u.entry.parent = message->u.entry.parent;
    item.u.entry.entry = (struct bough_entry_new){
        .kind = BOUGH_ENTRY_COMPACTION,
        .time = message->u.entry.entry.time,
        .data =
            tail ? str_of(arena_printf(r->a, "{\"firstKeptEntryId\":\"%s\"}", tail)) : str_of("")
    };
    rc = give_entry(r, &item, err);
    message->u.entry.parent = item.u.entry.id;
    return rc;
}

static struct bough_str info_data(struct reading *r, const struct opencode *oc, struct json info)
{
    bool ours = cstr_eq(json_cstr(r->a, info, "sessionID"), oc->session);
    const char *const but[] = { "id", ours ? "sessionID" : NULL, NULL };

    return members_but(r->a, info, but, NULL);
}

static enum bough_rc give_message(struct reading *r, const struct opencode *oc, struct json j,
                                  const char *last, const char **id, struct bough_error *err)
{
    static const char *const known[] = { "info", "parts", NULL };
    struct item item = { .kind = ITEM_ENTRY };
    struct bough_entry_new *e = &item.u.entry.entry;
    struct json info = json_member(j, "info"), parts = json_member(j, "parts");
    struct json_iter it = json_iter(parts);
    struct bough_str *spans = arena_array(r->a, json_count(parts) + 1, sizeof *spans);
    enum bough_rc rc;

    item.u.entry.id = json_cstr(r->a, info, "id");
    if (cstr_empty(item.u.entry.id))
        return give_problem(r, err, "a message without an id was left out");
    item.u.entry.parent = last;
    e->role = bough_role_parse(json_cstr(r->a, info, "role"));
    e->time = number_of(json_member(info, "time"), "created");
    e->finish = json_cstr(r->a, info, "finish");
    e->error = json_type(json_member(info, "error")) == JSON_OBJECT
                   ? json_raw(json_member(info, "error"))
                   : str_of("");
    e->data = info_data(r, oc, info);
    e->metadata = members_but(r->a, j, known, NULL);
    while (json_type(parts) == JSON_ARRAY && json_next(&it))
        spans[e->nparts++] = json_raw(it.value);
    e->parts = spans;
    if (e->role == BOUGH_ROLE_ASSISTANT)
        take_usage(r, info, e);
    rc = give_marker(r, oc, parts, &item, err);
    *id = arena_strdup(r->kept, item.u.entry.id);
    return rc ? rc : give_entry(r, &item, err);
}

/* A pending revert: the session stands before what it hides (A22). */
static enum bough_rc give_revert(struct reading *r, struct json info, const char *before,
                                 const char *at, struct bough_error *err)
{
    struct json revert = json_member(info, "revert");
    struct item head = { .kind = ITEM_HEAD };

    if (!before || json_type(revert) != JSON_OBJECT)
        return BOUGH_OK;
    head.u.id = json_cstr(r->a, revert, "partID") ? at : before;
    return give(r, &head, err);
}

static enum bough_rc give_messages(struct reading *r, const struct opencode *oc, struct json info,
                                   struct bough_error *err)
{
    const char *last = NULL, *id = NULL, *before = NULL,
               *hidden = json_cstr(r->a, json_member(info, "revert"), "messageID");
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < oc->n && !rc; i++) {
        struct arena_mark mark = arena_mark(r->a);
        struct json j;

        r->line = oc->at[i].line;
        if (json_parse(r->a, oc->at[i].raw, &j, NULL) || json_type(j) != JSON_OBJECT) {
            rc = give_problem(r, err, "a message that is no object was left out");
            continue;
        }
        id = NULL;
        rc = give_message(r, oc, j, last, &id, err);
        if (id && hidden && cstr_eq(id, hidden))
            before = last ? last : "";
        last = id ? id : last;
        arena_rewind(r->a, mark);
    }
    return rc ? rc : give_revert(r, info, before, hidden, err);
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
    rc = give_session(r, oc, info, err);
    if (!rc)
        rc = give_messages(r, oc, info, err);
    if (!rc && json_type(json_member(rest, "todos")) == JSON_ARRAY)
        rc = give_todos(r, json_member(rest, "todos"), err);
    if (!list)
        d.broken = true;
    return rc ? rc : doc_end(r, &d, err);
}
