/* Units of a history. */
#include "core/match/units.h"

#include <ctype.h>
#include <string.h>

#include "base/hash/sha256.h"
#include "base/json/json.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/memory/map.h"
#include "base/text/base64.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "core/part/part.h"
#include "core/part/view.h"

enum { STRONG_LENGTH = 12, STRONG_DIGITS = 3 };

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static struct unit *push(struct units *u, enum unit_kind kind, struct bough_str text, size_t part)
{
    u->at = arena_room(u->a, u->at, u->n, sizeof *u->at);
    u->at[u->n] = (struct unit){ .kind = kind,
                                 .text = text,
                                 .name = "",
                                 .id = "",
                                 .item = "",
                                 .message = u->nmessages - 1,
                                 .part = part,
                                 .model = u->messages[u->nmessages - 1].model };
    return &u->at[u->n++];
}

/* ---- texts ---- */

/* Runs of white space become one blank, none at both ends. */
static struct bough_str squeezed(struct bough_arena *a, struct bough_str s)
{
    char *out = arena_alloc(a, s.n + 1);
    size_t n = 0;

    for (size_t i = 0; i < s.n; i++) {
        if (!is_blank(s.p[i]))
            out[n++] = s.p[i];
        else if (n && out[n - 1] != ' ')
            out[n++] = ' ';
    }
    n -= n && out[n - 1] == ' ';
    out[n] = '\0';
    return str_make(out, n);
}

/* CRLF becomes LF. */
static struct bough_str lines(struct bough_arena *a, struct bough_str s)
{
    char *out;
    size_t n = 0;

    if (!s.n || !memchr(s.p, '\r', s.n))
        return s;
    out = arena_alloc(a, s.n + 1);
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] != '\r' || i + 1 == s.n || s.p[i + 1] != '\n')
            out[n++] = s.p[i];
    out[n] = '\0';
    return str_make(out, n);
}

/* Without the reasoning that some models write into their text. */
static struct bough_str without_think(struct bough_str s)
{
    static const char open[] = "<think>", close[] = "</think>";
    const char *end;

    if (!str_starts(s, open))
        return s;
    end = memmem(s.p, s.n, close, sizeof close - 1);
    if (!end)
        return s;
    end += sizeof close - 1;
    return str_make(end, s.n - (size_t)(end - s.p));
}

static bool all_blank(struct bough_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!is_blank(s.p[i]))
            return false;
    return true;
}

static void add_text(struct units *u, bool model, struct bough_str text, size_t part)
{
    text = lines(u->a, model ? without_think(text) : text);
    if (!all_blank(text) && (model || !soft_text(text)))
        push(u, model ? UNIT_MODEL : UNIT_USER, text, part);
}

static void add_result(struct units *u, struct bough_str output, const char *id, size_t part)
{
    struct bough_str text = soft_end_cut(view_output_text(u->a, output));

    push(u, UNIT_RESULT, squeezed(u->a, text), part)->id = id;
}

/* ---- JSON ---- */

/* Members of a part that come back changed although the part is the same. */
static const char *const volatile_members[] = { "cache_control", "id", "status", "index", NULL };

static bool is_volatile(struct json key)
{
    for (const char *const *name = volatile_members; *name; name++)
        if (json_is(key, *name))
            return true;
    return false;
}

static struct bough_str canonical(struct bough_arena *a, struct bough_str raw)
{
    struct json j = { 0 };
    struct bough_str out;
    struct buf b;

    if (!raw.n || json_parse(a, raw, &j, NULL) != BOUGH_OK)
        return str_of("{}"); /* missing or invalid arguments */
    buf_init(&b, LIMIT_APPEND_BYTES);
    json_canon(&b, j);
    out = text_keep(a, &b);
    buf_finish(&b);
    return out;
}

/* The same for a part, without its volatile members. */
static struct bough_str canonical_part(struct bough_arena *a, struct json part)
{
    struct json_iter it = json_iter(part);
    struct bough_str name, out;
    struct json_writer w;
    struct buf b;

    buf_init(&b, LIMIT_APPEND_BYTES);
    jw_init(&w, &b);
    jw_obj(&w);
    while (json_type(part) == JSON_OBJECT && json_next(&it)) {
        if (is_volatile(it.key) || !json_str(a, it.key, &name))
            continue;
        jw_key_str(&w, name);
        jw_raw(&w, json_raw(it.value));
    }
    jw_end_obj(&w);
    out = text_keep(a, &b);
    buf_finish(&b);
    return canonical(a, out);
}

/* ---- files ---- */

/* The SHA-256 of the bytes, as attachments are named. */
static struct bough_str digest(struct bough_arena *a, struct bough_str base64)
{
    unsigned char sum[SHA256_LEN];
    char hex[2 * SHA256_LEN + 1];
    unsigned char *bytes = arena_alloc(a, base64.n + 1);
    size_t n;

    if (base64_decode(base64.p, base64.n, bytes, &n))
        sha256(bytes, n, sum);
    else
        sha256(base64.p, base64.n, sum);
    sha256_hex(sum, hex);
    return str_of(arena_printf(a, "bough:sha256-%s", hex));
}

static struct bough_str file_id(struct bough_arena *a, struct json part)
{
    static const char *const inner[] = { "file", "source", "input_audio" };
    const char *id = json_cstr(a, part, "file_id");

    for (size_t i = 0; i < 3 && !id; i++)
        id = json_cstr(a, json_member(part, inner[i]), "file_id");
    return id ? str_of(id) : canonical_part(a, part);
}

static void add_file(struct units *u, const struct part_view *v, size_t part)
{
    struct bough_str text = v->base64.n ? digest(u->a, v->base64) : v->url;

    push(u, UNIT_FILE, text.n ? text : file_id(u->a, view_json(u->a, v)), part);
}

/* ---- other parts ---- */

static const char *word(struct bough_arena *a, struct json j, const char *key)
{
    const char *s = json_cstr(a, j, key);

    return s ? s : "";
}

/* Calls, results and references that have no view of their own: of tools that run at the
 * provider. */
static bool add_server_part(struct units *u, const struct part_view *v, size_t part)
{
    struct bough_str type = str_of(v->word);
    struct json json = view_json(u->a, v);
    struct unit *one;

    if (str_is(type, "item_reference")) {
        const char *id = word(u->a, json, "id");

        if (strncmp(id, "rs_", 3) != 0) /* reasoning is soft */
            push(u, UNIT_REF, str_of(id), part)->id = id;
    } else if (str_ends(type, "_tool_result")) {
        add_result(u, json_raw(json_member(json, "content")), word(u->a, json, "tool_use_id"),
                   part);
    } else if (str_ends(type, "_call_output")) {
        add_result(u, json_raw(json_member(json, "output")), word(u->a, json, "call_id"), part);
    } else if (str_ends(type, "_call")) {
        one = push(u, UNIT_CALL, canonical_part(u->a, json), part);
        one->name = v->word;
        one->id = word(u->a, json, "call_id");
        one->id = *one->id ? one->id : word(u->a, json, "id");
    } else {
        return false;
    }
    return true;
}

static void add_other(struct units *u, const struct part_view *v, size_t part)
{
    if (!part_is_bookkeeping(v->type) && !add_server_part(u, v, part))
        push(u, UNIT_OTHER, canonical_part(u->a, view_json(u->a, v)), part);
}

static void add_reasoning(struct units *u, struct bough_str text, size_t part)
{
    text = lines(u->a, text);
    if (all_blank(text))
        return;
    push(u, UNIT_MODEL, text, part)->reasoning = true;
    u->messages[u->nmessages - 1].reasoning = true;
}

static void add_view(struct units *u, const struct part_view *v, size_t part, bool stored)
{
    bool model = u->messages[u->nmessages - 1].model;
    struct unit *one;

    switch (v->kind) {
    case VIEW_TEXT:
        if (!v->ignored)
            add_text(u, model, v->text, part);
        break;
    case VIEW_REASONING:
        if (stored)
            add_reasoning(u, v->text, part);
        break;
    case VIEW_CALL:
    case VIEW_TOOL:
        one = push(u, UNIT_CALL, canonical(u->a, v->input), part);
        one->name = v->tool;
        one->id = v->call;
        if (v->kind == VIEW_TOOL &&
            (v->state == BOUGH_TOOL_COMPLETED || v->state == BOUGH_TOOL_ERROR))
            add_result(u, v->output, v->call, part);
        break;
    case VIEW_RESULT:
        add_result(u, v->output, v->call, part);
        break;
    case VIEW_FILE:
        add_file(u, v, part);
        break;
    case VIEW_OTHER:
        add_other(u, v, part);
        break;
    }
}

/* ---- messages ---- */

/* A reply that was stopped, or that says so. */
static bool is_cut(struct bough_arena *a, const struct bough_entry *e)
{
    int64_t errors;
    bool cut = false;

    if (e->open || message_outcome(e, &errors) == BOUGH_OUTCOME_INTERRUPTED || e->error.n)
        return true;
    return e->data.n && memmem(e->data.p, e->data.n, "\"bough.cut\"", 11) &&
           json_bool(json_member(view_data(a, e), "bough.cut"), &cut) && cut;
}

/* The ids of the items that parts come from; see core/wire/part.h. */
static void name_items(struct units *u, const struct bough_entry *e, size_t first)
{
    struct json_iter it;

    if (e->data.n && memmem(e->data.p, e->data.n, "\"items\"", 7)) {
        it = json_iter(json_member(view_data(u->a, e), "items"));
        while (json_next(&it)) {
            int64_t at = -1, n = 0;

            if (!json_i64(json_member(it.value, "at"), &at) ||
                !json_i64(json_member(it.value, "n"), &n))
                continue;
            for (size_t i = first; i < u->n; i++)
                if ((int64_t)u->at[i].part >= at && (int64_t)u->at[i].part - at < n)
                    u->at[i].item = word(u->a, it.value, "id");
        }
    }
}

/* The text of a message that is a tool's result as a whole. */
static struct bough_str whole_result(struct units *u, const struct bough_entry *e)
{
    struct bough_str out;
    struct json_writer w;
    struct buf b;

    buf_init(&b, LIMIT_APPEND_BYTES);
    jw_init(&w, &b);
    jw_arr(&w);
    for (size_t i = 0; i < e->nparts; i++)
        jw_raw(&w, e->parts[i].json);
    jw_end_arr(&w);
    out = text_keep(u->a, &b);
    buf_finish(&b);
    return out;
}

static bool has_text(const struct part_view *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (v[i].kind == VIEW_TEXT)
            return true;
    return false;
}

static void add_parts(struct units *u, const struct bough_entry *e, bool stored)
{
    struct part_view *v = view_parts(u->a, e);
    const char *call = view_message_call(u->a, e);
    size_t first = u->n;

    if (e->role == BOUGH_ROLE_TOOL && (*call || has_text(v, e->nparts))) {
        add_result(u, whole_result(u, e), call, 0);
        return;
    }
    for (size_t i = 0; i < e->nparts; i++) {
        size_t before = u->n;
        struct json json;

        add_view(u, &v[i], i, stored);
        if (u->n == before || !memmem(v[i].raw.p, v[i].raw.n, "\"call_id\"", 9))
            continue; /* most parts have none, and need not be parsed for it */
        json = view_json(u->a, &v[i]);
        if (json_type(json_member(json, "call_id")) == JSON_STRING)
            u->at[before].item = word(u->a, json, "id");
    }
    name_items(u, e, first);
}

void units_add(struct units *u, const struct bough_entry *e, bool stored)
{
    bool model = e->role == BOUGH_ROLE_ASSISTANT;

    u->messages = arena_room(u->a, u->messages, u->nmessages, sizeof *u->messages);
    u->messages[u->nmessages++] =
        (struct units_message){ .first = u->n, .model = model, .cut = model && is_cut(u->a, e) };
    if (e->open) /* it is still being written: nothing can agree with it */
        (void)push(u, UNIT_OTHER, str_of("open"), 0);
    else if (e->role == BOUGH_ROLE_BASH && !e->nparts)
        add_text(u, false, view_bash_text(u->a, view_data(u->a, e)), 0);
    else if (e->role != BOUGH_ROLE_SYSTEM)
        add_parts(u, e, stored);
}

bool unit_id_is_strong(const char *id)
{
    size_t digits = 0, n = strlen(id);

    for (size_t i = 0; i < n; i++)
        digits += isdigit((unsigned char)id[i]) != 0;
    return n >= STRONG_LENGTH && digits >= STRONG_DIGITS;
}

void units_end(struct units *u)
{
    struct smap seen[2];
    uint64_t first;

    smap_init(&seen[0]);
    smap_init(&seen[1]);
    for (size_t i = 0; i < u->n; i++) {
        struct unit *one = &u->at[i];
        struct smap *m = &seen[one->kind == UNIT_RESULT];

        if ((one->kind != UNIT_CALL && one->kind != UNIT_RESULT) || !unit_id_is_strong(one->id))
            continue;
        one->strong = !smap_get(m, str_of(one->id), &first);
        if (one->strong)
            smap_put(m, str_of(one->id), i);
        else
            u->at[first].strong = false;
    }
    smap_finish(&seen[0]);
    smap_finish(&seen[1]);
}

bool units_same_text(struct bough_str a, struct bough_str b)
{
    size_t i = 0, k = 0;

    for (;;) {
        while (i < a.n && is_blank(a.p[i]))
            i++;
        while (k < b.n && is_blank(b.p[k]))
            k++;
        if (i == a.n || k == b.n)
            return i == a.n && k == b.n;
        if (a.p[i++] != b.p[k++])
            return false;
    }
}

size_t units_last(const struct units *u, size_t message)
{
    return message + 1 < u->nmessages ? u->messages[message + 1].first : u->n;
}

bool units_none(const struct units *u, size_t message)
{
    for (size_t i = u->messages[message].first; i < units_last(u, message); i++)
        if (!u->at[i].reasoning)
            return false;
    return true;
}
