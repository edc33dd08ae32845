/* pi's session files, versions 1 to 3, reader: one header line, then one line per entry
 * (P1-P13). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bough/part.h>

#include "base/hash/sha256.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/iso.h"
#include "base/text/str.h"
#include "core/context/context.h"
#include "core/model/names.h"
#include "core/model/text.h"
#include "core/model/totals.h"
#include "formats/pi/pi.h"
#include "formats/pi/pi_foreign.h"

struct pi {
    bool header; /* seen */
    int64_t version;
    const char *session;
    char last[LIMIT_ID]; /* id of the previous entry */
    /* Version 1 has no ids: a compaction names an entry by its index; the header has index 0. */
    const char **ids;
    size_t n, cap;
    struct made { /* lines that repeat a part of an entry, for pi only */
        struct made *before;
        const char *id, *of, *parent;
    } * made;
};

static struct pi *state_of(struct reading *r)
{
    if (!r->state)
        r->state = arena_zalloc(r->kept, sizeof(struct pi));
    return r->state;
}

bool pi_detect(struct bough_str first)
{
    struct bough_str line = first_line(first);

    /* Compare as text: the first bytes may end in the middle of the header. */
    return str_starts(line, "{") &&
           (text_has(line, "\"type\":\"session\"") || text_has(line, "\"type\": \"session\"")) &&
           text_has(line, "\"id\":") && !text_has(line, "\"sessionId\":");
}

/* ---- the header ---- */

/* The version that the lines are read as. As pi does: a number may be text, and anything that is no
 * number is taken for the newest version. */
static int64_t version_of(struct reading *r, struct json version)
{
    const char *text;
    char *end;
    double v = PI_NEWEST;

    if (json_type(version) == JSON_NULL)
        return 1;
    if (!json_f64(version, &v) && json_type(version) == JSON_STRING) {
        struct bough_str s = { "", 0 };

        (void)json_str(r->a, version, &s);
        text = s.p;
        v = strtod(text, &end);
        if (end == text || *end)
            v = PI_NEWEST;
    }
    return v < 2 ? 1 : v < 3 ? 2 : v < INT32_MAX ? (int64_t)v : INT32_MAX;
}

/* Is the version written as this reader would write it? Otherwise the header's value is kept. */
static bool is_usual(struct json version)
{
    int64_t v;

    return json_type(version) == JSON_NULL || (json_i64(version, &v) && v >= 1 && v <= PI_NEWEST);
}

/* The members of the header that have no place of their own. */
static struct bough_str header_data(struct reading *r, struct json header, struct json version)
{
    static const char *const placed[] = { "type", "version", "id", "timestamp", "cwd", NULL };
    static const char *const ours[] = { PI_VERSION, NULL };
    struct json inside = json_member(header, PI_DATA);
    bool own = json_type(inside) == JSON_OBJECT;
    struct bough_str raw = json_raw(version);
    const char *more =
        is_usual(version) ? NULL : arena_printf(r->a, "\"" PI_VERSION "\":%.*s", (int)raw.n, raw.p);

    return members_but(r->a, own ? inside : header, own ? ours : placed, more);
}

static enum bough_rc read_header(struct reading *r, struct pi *pi, struct json j,
                                 struct bough_error *err)
{
    struct item item = { .kind = ITEM_SESSION };
    struct item_session *s = &item.u.session;
    const char *branched = json_cstr(r->a, j, "branchedFrom");
    struct json version = json_member(j, "version");
    enum bough_rc rc;

    s->id = json_cstr(r->a, j, "id");
    if (cstr_empty(s->id) || !cstr_eq(json_cstr(r->a, j, "type"), "session"))
        return bough_fail(err, BOUGH_INVALID, "line %lld is not the header of a pi session",
                          (long long)r->line);
    pi->version = version_of(r, version);
    pi->header = true;
    r->first = (struct line_place){ r->at, r->line };
    pi->session = arena_strdup(r->kept, s->id);
    s->project = json_cstr(r->a, j, "cwd");
    s->created = iso_parse(json_cstr(r->a, j, "timestamp"));
    s->parent = json_cstr(r->a, j, "parentSession");
    s->parent = s->parent ? s->parent : branched;
    s->inherits = true;
    s->data = header_data(r, j, version);
    rc = give(r, &item, err);
    if (rc || pi->version <= PI_NEWEST)
        return rc;
    return give_problem(r, err, "its version, %lld, is later than %d: it is read as %d and kept",
                        (long long)pi->version, PI_NEWEST, PI_NEWEST);
}

/* ---- entries ---- */

/* Derived from the file alone, so that each reading gives the same ids. */
static const char *made_id(struct bough_arena *a, const struct pi *pi, size_t place)
{
    unsigned char sum[32];
    struct sha256 h;

    sha256_init(&h);
    sha256_update(&h, pi->session, strlen(pi->session));
    sha256_update(&h, &place, sizeof place);
    sha256_final(&h, sum);
    return arena_printf(a, "%02x%02x%02x%02x", sum[0], sum[1], sum[2], sum[3]);
}

static void note_id(struct reading *r, struct pi *pi, const char *id)
{
    size_t cap = pi->cap ? 2 * pi->cap : 64;

    snprintf(pi->last, sizeof pi->last, "%s", id);
    if (pi->version > 1) { /* only version 1 refers to entries by index */
        pi->n++;
        return;
    }
    if (pi->n == pi->cap) {
        pi->ids = arena_resize(r->kept, pi->ids, pi->cap * sizeof *pi->ids, cap * sizeof *pi->ids);
        pi->cap = cap;
    }
    pi->ids[pi->n++] = arena_strdup(r->kept, id);
}

static void take_usage(struct bough_arena *a, struct json message, struct bough_entry_new *e)
{
    struct bough_totals used;
    struct json usage;

    if (!json_get(message, "usage", &usage) || json_type(usage) != JSON_OBJECT)
        return;
    used =
        (struct bough_totals){ .input = number_of(usage, "input"),
                               .output = number_of(usage, "output"),
                               .cache_read = number_of(usage, "cacheRead"),
                               .cache_write = number_of(usage, "cacheWrite"),
                               .cost = cost_of(json_member(json_member(usage, "cost"), "total")) };
    e->usage = totals_keep(a, &used);
    e->call_provider = json_cstr(a, message, "provider");
    e->call_model = json_cstr(a, message, "model");
}

/* Version 2 used another role for custom messages (P9). */
static struct json renamed(struct reading *r, const struct pi *pi, struct json message)
{
    static const char *const role[] = { "role", NULL };
    struct json again;

    if (pi->version > 2 || !cstr_eq(json_cstr(r->a, message, "role"), "hookMessage"))
        return message;
    return json_parse(r->a, members_but(r->a, message, role, "\"role\":\"custom\""), &again, NULL)
               ? message
               : again;
}

/* Restore a message of another tool that was converted for pi (pi_foreign.h). */
static bool read_original(struct reading *r, struct json line, struct bough_entry_new *e)
{
    static const char *const placed[] = { "type",    "id",     "parentId",   "timestamp",
                                          "message", PI_ENTRY, "customType", NULL };
    struct json was = json_member(line, PI_ENTRY);
    struct bough_str *parts;
    struct bough_error why;

    if (json_type(was) != JSON_OBJECT ||
        bough_parts_split(r->a, json_raw(json_member(was, "parts")), &parts, &e->nparts, &why))
        return false;
    e->parts = parts;
    e->role = bough_role_parse(json_cstr(r->a, was, "role"));
    e->data = json_raw(json_member(was, "data"));
    e->metadata = members_but(r->a, line, placed, NULL);
    take_usage(r->a, was, e);
    return true;
}

static enum bough_rc read_message(struct reading *r, const struct pi *pi, struct json line,
                                  struct bough_entry_new *e, struct bough_error *err)
{
    static const char *const content[] = { "content", NULL };
    static const char *const placed[] = { "type", "id", "parentId", "timestamp", "message", NULL };
    struct json message = renamed(r, pi, json_member(line, "message"));
    const struct bough_str *parts;
    struct bough_error why;
    const char *mark;

    if (read_original(r, line, e))
        return BOUGH_OK;
    e->role = bough_role_parse(json_cstr(r->a, message, "role"));
    if (e->role == BOUGH_ROLE_NONE)
        e->role = BOUGH_ROLE_OTHER;
    e->metadata = members_but(r->a, line, placed, NULL);
    take_usage(r->a, message, e);
    if (content_parts(r->a, message, &parts, &e->nparts, &mark, &why)) {
        e->parts = parts;
        e->data = members_but(r->a, message, content,
                              mark ? arena_printf(r->a, "\"" CONTEXT_CONTENT_KEY "\":\"%s\"", mark)
                                   : NULL);
        return BOUGH_OK;
    }
    /* Keep the whole message in `data`: nothing is lost, but it has no parts. */
    e->nparts = 0;
    e->data = members_but(r->a, message, NULL, "\"" CONTEXT_CONTENT_KEY "\":\"none\"");
    return give_problem(r, err, "its content is kept, but is no list of parts: %.150s", why.msg);
}

/* Version 1: replace firstKeptEntryIndex by the id of that entry. */
static struct bough_str kept_by_place(struct reading *r, const struct pi *pi, struct json line,
                                      const char *const *placed)
{
    static const char *const place[] = {
        "type", "id", "parentId", "timestamp", "firstKeptEntryIndex", NULL
    };
    int64_t index;

    if (pi->version > 1 || !json_i64(json_member(line, "firstKeptEntryIndex"), &index) ||
        index < 1 || index > (int64_t)pi->n)
        return members_but(r->a, line, placed, NULL);
    return members_but(r->a, line, place,
                       arena_printf(r->a, "\"firstKeptEntryId\":\"%s\"", pi->ids[index - 1]));
}

/* ---- lines that are not entries ---- */

static bool is_made_id(const char *id)
{
    return id && str_starts(str_of(id), PI_MADE);
}

static bool is_made(struct reading *r, struct pi *pi, struct json line)
{
    const char *of = json_cstr(r->a, line, PI_OF), *id = json_cstr(r->a, line, "id");
    struct made *m;

    if (cstr_empty(of) || !is_made_id(id))
        return false;
    m = arena_zalloc(r->kept, sizeof *m);
    *m = (struct made){ pi->made, arena_strdup(r->kept, id), arena_strdup(r->kept, of),
                        arena_strdup(r->kept, json_cstr(r->a, line, "parentId")) };
    pi->made = m;
    return true;
}

/* The parent of entry `id`. Skip the lines made for the entry itself; a line made for another entry
 * stands for that entry. */
static const char *parent_of(const struct pi *pi, const char *id, const char *parent)
{
    for (const struct made *m = pi->made; m && is_made_id(parent); m = m->before)
        if (cstr_eq(m->id, parent)) {
            if (!cstr_eq(m->of, id))
                return m->of;
            parent = m->parent;
        }
    return parent;
}

/* A compaction whose own data is beside the line, or whose first kept entry has several lines. */
static void read_kept(struct reading *r, const struct pi *pi, struct json line,
                      struct item_entry *out)
{
    const char *first = json_cstr(r->a, line, "firstKeptEntryId");
    const char *kept = parent_of(pi, out->id, first);
    struct json was;

    if (json_get(json_member(line, PI_ENTRY), "data", &was))
        out->entry.data = json_raw(was);
    else if (cstr_eq(kept, first))
        return; /* the data says it */
    if (!cstr_eq(kept, out->id))
        out->kept = kept;
}

static enum bough_rc read_entry(struct reading *r, struct pi *pi, struct json line,
                                struct bough_error *err)
{
    static const char *const placed[] = { "type", "id", "parentId", "timestamp", PI_ENTRY, NULL };
    struct item item = { .kind = ITEM_ENTRY };
    struct item_entry *out = &item.u.entry;
    struct bough_entry_new *e = &out->entry;
    const char *word = json_cstr(r->a, line, "type"), *stamp = json_cstr(r->a, line, "timestamp");
    enum bough_rc rc = BOUGH_OK;

    if (cstr_empty(word))
        return give_problem(r, err, "it has no type");
    out->id = pi->version < 2 ? NULL : json_cstr(r->a, line, "id");
    out->parent = parent_of(pi, out->id, json_cstr(r->a, line, "parentId"));
    if (cstr_empty(out->id) && r->resumed)
        return bough_fail(err, BOUGH_CONFLICT, "the lines before it must be counted");
    if (cstr_empty(out->id)) {
        out->id = made_id(r->a, pi, pi->n);
        out->parent = pi->n ? pi->last : NULL;
    }
    e->kind = entry_kind_parse(word);
    e->kind_name = word;
    e->time = iso_parse(stamp);
    if (cstr_eq(json_cstr(r->a, line, "customType"), PI_ENTRY) && read_original(r, line, e))
        e->kind = BOUGH_ENTRY_MESSAGE; /* a message of another tool that has no line of its own */
    else if (e->kind == BOUGH_ENTRY_MESSAGE &&
             json_type(json_member(line, "message")) == JSON_OBJECT)
        rc = read_message(r, pi, line, e, err);
    else if (e->kind == BOUGH_ENTRY_MESSAGE)
        e->kind = BOUGH_ENTRY_OTHER; /* not a valid message: kept unchanged */
    if (e->kind == BOUGH_ENTRY_CUSTOM_MESSAGE && read_original(r, line, e)) {
        e->metadata = str_of("");
    } else if (e->kind != BOUGH_ENTRY_MESSAGE) {
        e->data = kept_by_place(r, pi, line, placed);
        take_usage(r->a, json_member(line, PI_ENTRY), e);
    }
    if (e->kind == BOUGH_ENTRY_COMPACTION)
        read_kept(r, pi, line, out);
    if (!e->time && stamp)
        e->metadata =
            str_of(arena_printf(r->a, "{\"bough.timestamp\":%s}",
                                arena_strndup(r->a, json_raw(json_member(line, "timestamp")).p,
                                              json_raw(json_member(line, "timestamp")).n)));
    if (!rc)
        rc = give(r, &item, err);
    note_id(r, pi, out->id);
    return rc;
}

/* A line written by us that records the head, if that is not the last line (U23). */
static bool is_head(struct bough_arena *a, struct json line)
{
    return cstr_eq(json_cstr(a, line, "type"), "custom") &&
           cstr_eq(json_cstr(a, line, "customType"), PI_HEAD);
}

/* Give an alias for a line that is not an entry here: later lines may hang on it. */
static enum bough_rc give_alias(struct reading *r, struct json line, struct bough_error *err)
{
    struct item alias = { .kind = ITEM_ALIAS };

    alias.u.alias =
        (struct item_alias){ json_cstr(r->a, line, "id"), json_cstr(r->a, line, "parentId") };
    return alias.u.alias.id ? give(r, &alias, err) : BOUGH_OK;
}

/* A label or name that was set through our API. False: it is an entry of pi. */
static bool read_said(struct reading *r, struct json line, enum bough_rc *rc,
                      struct bough_error *err)
{
    const char *type = json_cstr(r->a, line, "type"), *id = json_cstr(r->a, line, "id"),
               *target = json_cstr(r->a, line, "targetId"), *text;
    int64_t time = iso_parse(json_cstr(r->a, line, "timestamp"));
    struct item item = { .kind = ITEM_LABEL };
    bool name = cstr_eq(type, "session_info");

    if (!id || (!name && (!cstr_eq(type, "label") || !target)))
        return false;
    text = json_cstr(r->a, line, name ? "name" : "label");
    text = text ? text : "";
    if (!cstr_eq(id, pi_label_id(r->a, type, name ? "" : target, text, time)))
        return false;
    if (name) {
        item.kind = ITEM_TITLE;
        item.u.id = text;
    } else {
        item.u.label = (struct item_label){ target, text, time };
    }
    *rc = give(r, &item, err);
    if (!*rc)
        *rc = give_alias(r, line, err);
    return true;
}

enum bough_rc pi_line(struct reading *r, struct bough_str line, struct bough_error *err)
{
    struct pi *pi = state_of(r);
    struct item head = { .kind = ITEM_HEAD };
    struct json j;
    enum bough_rc rc;

    if (!line_object(r, line, &j, &rc, err))
        return rc;
    if (!pi->header)
        return read_header(r, pi, j, err);
    if (cstr_eq(json_cstr(r->a, j, "type"), "session"))
        return give_problem(r, err, "it is a second header; the first one counts");
    if (is_made(r, pi, j))
        return BOUGH_OK;
    if (read_said(r, j, &rc, err))
        return rc;
    if (!is_head(r->a, j))
        return read_entry(r, pi, j, err);
    head.u.id = parent_of(pi, NULL, json_cstr(r->a, j, "parentId"));
    rc = give(r, &head, err);
    return rc ? rc : give_alias(r, j, err);
}

enum bough_rc pi_end(struct reading *r, struct bough_error *err)
{
    if (!state_of(r)->header)
        return bough_fail(err, BOUGH_INVALID, "there is no header of a pi session in it");
    return BOUGH_OK;
}

/* With ids, the header is enough to resume. */
bool pi_leave(const struct reading *r, struct buf *state)
{
    const struct pi *pi = r->state;

    (void)state;
    return pi && pi->header && pi->version > 1;
}
