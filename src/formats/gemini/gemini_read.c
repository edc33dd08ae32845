/*
 * Gemini CLI's chat files, reader. A session is a .jsonl file: a line about the session, then
 * messages. A message is written again, with the same id, while it grows: the last line counts.
 * {"$rewindTo": id} goes back to before that message, {"$set": {...}} changes the session, also all
 * of its messages. Older versions wrote one document with the list `messages`.
 */
#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/iso.h"
#include "base/text/str.h"
#include "formats/doc/doc.h"
#include "formats/gemini/gemini.h"

static bool detect(struct bough_str text)
{
    return text_has(text, "\"sessionId\"") && text_has(text, "\"projectHash\"");
}

static bool detect_lines(struct bough_str first)
{
    struct bough_str line = first_line(without_bom(first));

    return str_starts(line, "{") && detect(line) && !text_has(line, "\"messages\"");
}

static bool detect_document(struct bough_str first)
{
    struct bough_str text = without_bom(first);

    return str_starts(text, "{") && detect(text) && text_has(text, "\"messages\"") &&
           !detect_lines(first);
}

static struct gemini *state_of(struct reading *r)
{
    struct gemini *g = r->state;

    if (!g) {
        r->state = g = arena_zalloc(r->kept, sizeof *g);
        buf_init(&g->text, LIMIT_MESSAGE_BYTES);
    }
    return g;
}

/* ---- the session ---- */

/* A subagent's file is in a folder named after its parent. */
static const char *folder(struct reading *r)
{
    const char *slash = strrchr(r->name, '/'), *from = slash;

    if (!slash || slash == r->name)
        return NULL;
    while (from > r->name && from[-1] != '/')
        from--;
    return arena_strndup(r->a, from, (size_t)(slash - from));
}

static enum bough_rc give_session(struct reading *r, struct gemini *g, struct json j,
                                  struct bough_error *err)
{
    static const char *const placed[] = { "sessionId", "startTime", "lastUpdated",
                                          "summary",   "messages",  NULL };
    struct item item = { .kind = ITEM_SESSION };
    struct item_session *s = &item.u.session;

    s->id = json_cstr(r->a, j, "sessionId");
    if (cstr_empty(s->id))
        return bough_fail(err, BOUGH_INVALID, "line %lld is not the header of a Gemini CLI session",
                          (long long)r->line);
    s->title = json_cstr(r->a, j, "summary");
    s->created = iso_parse(json_cstr(r->a, j, "startTime"));
    s->model_provider = "google";
    s->provider_path = "gemini-cli";
    s->subagent = cstr_eq(json_cstr(r->a, j, "kind"), "subagent");
    s->parent = s->subagent ? folder(r) : NULL;
    s->data = members_but(r->a, j, placed, NULL);
    g->begun = true;
    return give(r, &item, err);
}

/* ---- messages ---- */

static const char *sum_of(struct bough_arena *a, struct bough_str raw)
{
    unsigned char sum[SHA256_LEN];
    char hex[65];

    sha256(raw.p, raw.n, sum);
    sha256_hex(sum, hex);
    return arena_strndup(a, hex, 32);
}

/* The results of the calls of a message are a message of their own, behind it. */
static enum bough_rc give_results(struct reading *r, struct gemini *g, struct json j, int64_t time,
                                  struct bough_error *err)
{
    struct item item = { .kind = ITEM_ENTRY };
    struct bough_str *parts;

    item.u.entry.entry.nparts = gemini_results(r, j, &parts);
    if (!item.u.entry.entry.nparts)
        return BOUGH_OK;
    item.u.entry.id = arena_printf(r->kept, "%s/results", g->last);
    item.u.entry.parent = g->last;
    item.u.entry.entry.kind = BOUGH_ENTRY_MESSAGE;
    item.u.entry.entry.role = BOUGH_ROLE_TOOL;
    item.u.entry.entry.parts = parts;
    item.u.entry.entry.time = time;
    g->last = item.u.entry.id;
    return give_entry(r, &item, err);
}

static enum bough_rc give_message(struct reading *r, struct gemini *g, struct json j,
                                  struct bough_error *err)
{
    struct item item = { .kind = ITEM_ENTRY };
    struct bough_entry_new *e = &item.u.entry.entry;
    const char *type = json_cstr(r->a, j, "type"), *id = json_cstr(r->a, j, "id");
    enum bough_rc rc;

    id = arena_strdup(r->kept, id);
    item.u.entry.id = id;
    item.u.entry.parent = g->last;
    e->time = iso_parse(json_cstr(r->a, j, "timestamp"));
    if (cstr_eq(type, "user") || cstr_eq(type, "gemini")) {
        gemini_message(r, j, e);
    } else { /* notices of the tool: info, error, warning */
        e->kind = BOUGH_ENTRY_OTHER;
        e->kind_name = cstr_empty(type) ? "line" : type;
        e->data = json_raw(j);
    }
    names_put(r->kept, &g->before, id, g->last ? g->last : "");
    names_put(r->kept, &g->sums, id, sum_of(r->kept, json_raw(j)));
    rc = give_entry(r, &item, err);
    g->last = id;
    g->moved = false;
    if (!rc)
        rc = give_results(r, g, j, e->time, err);
    names_put(r->kept, &g->after, id, g->last);
    return rc;
}

/* Give the message that was held back: it is complete. */
static enum bough_rc give_held(struct reading *r, struct gemini *g, struct bough_error *err)
{
    int64_t line = r->line;
    struct json j;
    enum bough_rc rc = BOUGH_OK;

    if (!g->text.n)
        return BOUGH_OK;
    r->line = g->held_line;
    if (json_parse(r->a, buf_str(&g->text), &j, NULL) == BOUGH_OK)
        rc = give_message(r, g, j, err);
    r->line = line;
    buf_reset(&g->text);
    return rc;
}

static enum bough_rc hold(struct reading *r, struct gemini *g, struct json j, const char *id,
                          struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;

    if (!cstr_eq(id, g->held_id))
        rc = give_held(r, g, err);
    buf_reset(&g->text);
    buf_put_str(&g->text, json_raw(j));
    g->held_id = arena_strdup(r->kept, id);
    g->held_line = r->line;
    return rc;
}

/* ---- going back ---- */

/* The path ends before this message; if it is unknown, nothing is left of the path. */
static enum bough_rc rewind_to(struct reading *r, struct gemini *g, const char *id,
                               struct bough_error *err)
{
    const char *before;
    enum bough_rc rc = give_held(r, g, err);

    before = names_get(&g->before, id);
    g->last = cstr_empty(before) ? NULL : before;
    g->moved = true;
    g->held_id = NULL;
    return rc;
}

/* All messages are replaced, after a compression: those that are as they were stay. */
static enum bough_rc replace(struct reading *r, struct gemini *g, struct json list,
                             struct bough_error *err)
{
    struct json_iter it = json_iter(list);
    enum bough_rc rc = give_held(r, g, err);
    bool same = true;

    g->last = NULL;
    g->moved = true;
    g->held_id = NULL;
    while (!rc && json_next(&it)) {
        const char *id = json_cstr(r->a, it.value, "id"), *before, *sum;

        if (cstr_empty(id))
            continue;
        before = names_get(&g->before, id);
        sum = names_get(&g->sums, id);
        same = same && before && cstr_eq(before, g->last ? g->last : "") &&
               cstr_eq(sum, sum_of(r->a, json_raw(it.value)));
        if (!same) {
            rc = give_message(r, g, it.value, err);
            continue;
        }
        g->last = names_get(&g->after, id);
    }
    return rc;
}

static enum bough_rc set(struct reading *r, struct gemini *g, struct json changes,
                         struct bough_error *err)
{
    struct item title = { .kind = ITEM_TITLE };
    struct json list = json_member(changes, "messages");
    enum bough_rc rc = BOUGH_OK;

    title.u.id = json_cstr(r->a, changes, "summary");
    if (!cstr_empty(title.u.id))
        rc = give(r, &title, err);
    if (!rc && json_type(list) == JSON_ARRAY)
        rc = replace(r, g, list, err);
    return rc;
}

/* ---- lines ---- */

static enum bough_rc read_line(struct reading *r, struct bough_str line, struct bough_error *err)
{
    struct gemini *g = state_of(r);
    const char *id, *to;
    struct json j, changes;
    enum bough_rc rc;

    if (!line_object(r, line, &j, &rc, err))
        return rc;
    if (!g->begun)
        return give_session(r, g, j, err);
    to = json_cstr(r->a, j, "$rewindTo");
    if (to)
        return rewind_to(r, g, to, err);
    id = json_cstr(r->a, j, "id");
    if (!cstr_empty(id))
        return hold(r, g, j, id, err);
    if (json_get(j, "$set", &changes))
        return set(r, g, changes, err);
    if (json_cstr(r->a, j, "sessionId"))
        return BOUGH_OK; /* the header again */
    return give_problem(r, err, "neither a message nor a change of the session: it was left out");
}

static enum bough_rc end(struct reading *r, struct bough_error *err)
{
    struct gemini *g = state_of(r);
    struct item head = { .kind = ITEM_HEAD };
    enum bough_rc rc;

    if (!g->begun)
        return bough_fail(err, BOUGH_INVALID, "there is no header of a Gemini CLI session in it");
    rc = give_held(r, g, err);
    head.u.id = g->last ? g->last : "";
    return rc || !g->moved ? rc : give(r, &head, err);
}

static void drop(struct reading *r)
{
    struct gemini *g = r->state;

    if (g)
        buf_finish(&g->text);
}

/* ---- the document of older versions ---- */

static enum bough_rc take_element(void *user, struct bough_str raw, struct bough_error *err)
{
    struct reading *r = user;
    struct json j;
    enum bough_rc rc;

    if (!doc_object(r, raw, &j, &rc, err))
        return rc;
    if (cstr_empty(json_cstr(r->a, j, "id")))
        rc = give_problem(r, err, "a message without an id was left out");
    else
        rc = give_message(r, state_of(r), j, err);
    bough_arena_reset(r->a);
    return rc;
}

static enum bough_rc read_document(struct reading *r, struct bough_error *err)
{
    struct doc_about about = { 0 };
    struct json rest = { 0 };
    enum bough_rc rc = doc_survey(r, "messages", &about, err);

    if (!rc && (!about.rest.n || json_parse(r->kept, about.rest, &rest, NULL)))
        rc = bough_fail(err, BOUGH_INVALID, "not a session of Gemini CLI: %s", about.why);
    if (!rc)
        rc = give_session(r, state_of(r), rest, err);
    return rc ? rc : doc_each(r, "messages", take_element, r, err);
}

/* ---- the formats ---- */

static const struct format_place places[] = {
    { IN_HOME, ".gemini/tmp/*/chats" },
    { 0 },
};

const struct format format_gemini_cli = {
    .name = "gemini-cli",
    .number = FORMAT_GEMINI_CLI,
    .about = "Gemini CLI: one .jsonl file a session",
    .suffix = "jsonl",
    .tool = "Gemini CLI",
    .places = places,
    .detect = detect_lines,
    .line = read_line,
    .end = end,
    .drop = drop,
};

const struct format format_gemini_cli_json = {
    .name = "gemini-cli-json",
    .number = FORMAT_GEMINI_CLI_JSON,
    .about = "Gemini CLI before .jsonl files: one .json document a session",
    .suffix = "json",
    .detect = detect_document,
    .document = read_document,
    .drop = drop,
};
