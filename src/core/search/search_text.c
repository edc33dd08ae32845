/* Search: extracting the texts of an entry and their words. Pure. */
#include "core/search/search.h"

#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/str.h"
#include "base/text/utf8.h"
#include "core/model/text.h"
#include "core/pack/pack.h"
#include "core/part/view.h"
#include "core/search/tokenizer.h"

const char *search_field_name(enum search_field field)
{
    static const char *const names[SEARCH_FIELDS] = {
        [SEARCH_TEXT] = "text",   [SEARCH_REASONING] = "reasoning", [SEARCH_TOOL] = "tool",
        [SEARCH_INPUT] = "input", [SEARCH_OUTPUT] = "output",       [SEARCH_FILE] = "file",
        [SEARCH_TITLE] = "title",
    };

    return (unsigned)field < SEARCH_FIELDS ? names[field] : "";
}

/* ---- pieces ---- */

static void add(struct search_pieces *out, enum search_field field, int part, struct bough_str text)
{
    if (!text.n)
        return;
    out->at = arena_room(out->a, out->at, out->n, sizeof *out->at);
    out->at[out->n++] = (struct search_piece){ field, part, text };
}

/* Base64 or similar data, which is not indexed: judged by its beginning. */
static bool is_blob(struct bough_str s)
{
    enum { LOOK = 256 };

    if (str_starts(s, "data:") && s.n > 100 && memmem(s.p, 100, ";base64,", 8))
        return true;
    for (size_t i = 0; i < LOOK; i++)
        if (i >= s.n ||
            !(strchr("+/=_-", s.p[i]) || (s.p[i] >= '0' && s.p[i] <= '9') ||
              ((s.p[i] | 32) >= 'a' && (s.p[i] | 32) <= 'z')) ||
            !s.p[i])
            return false;
    return true;
}

/* Members that describe the format of others; their values are not searched. */
static bool is_shape(struct bough_str key)
{
    return json_span_is(key, "type") || json_span_is(key, "mimeType") ||
           json_span_is(key, "media_type") || json_span_is(key, "mediaType");
}

static void put_value(struct bough_arena *a, struct buf *b, const struct json_event *ev)
{
    struct bough_str s = ev->raw;

    if (ev->value == JSON_STRING)
        s = json_span_str(a, ev->raw);
    if (!s.n || ev->value == JSON_NULL || is_blob(s))
        return;
    if (b->n)
        buf_putc(b, '\n');
    buf_put(b, s.p, s.n < b->max - b->n ? s.n : utf8_cut(s.p, s.n, b->max - b->n));
}

/* The values of a JSON text, one per line, without the members' names. */
static struct bough_str values_of(struct bough_arena *a, struct bough_str json)
{
    struct bough_str out, key = str_make(NULL, 0);
    struct json_event ev;
    struct json_pull p;
    struct buf b;

    buf_init(&b, LIMIT_SEARCH_WORDS);
    json_pull_init(&p, json);
    while (json_pull_next(&p, &ev, NULL) == BOUGH_OK && ev.type != JSON_DONE &&
           b.n + 2 < LIMIT_SEARCH_WORDS) {
        if (ev.type == JSON_VALUE && !is_shape(key))
            put_value(a, &b, &ev);
        key = ev.type == JSON_KEY ? ev.raw : str_make(NULL, 0);
    }
    out = text_keep(a, &b);
    buf_finish(&b);
    return out;
}

/* The text of a tool's input or output, which is a string, a string of JSON, or JSON. */
static struct bough_str payload(struct bough_arena *a, struct bough_str raw)
{
    struct bough_str s = raw;

    if (!raw.n)
        return raw;
    if (raw.p[0] == '"') {
        s = json_span_str(a, raw);
        if (!s.n || (s.p[0] != '{' && s.p[0] != '[') || json_check(s, LIMIT_JSON_DEPTH, NULL))
            return is_blob(s) ? str_make(NULL, 0) : s;
    }
    return values_of(a, s);
}

static struct bough_str member(struct bough_arena *a, struct json j, const char *key)
{
    struct bough_str s;

    return json_str(a, json_member(j, key), &s) ? s : str_make(NULL, 0);
}

static void add_file(struct search_pieces *out, int i, const struct part_view *v)
{
    add(out, SEARCH_FILE, i, str_of(v->filename));
    if (v->url.n && v->url.n <= LIMIT_PATH && !v->base64.n && !str_starts(v->url, "data:"))
        add(out, SEARCH_FILE, i, v->url);
    add(out, SEARCH_FILE, i, member(out->a, json_member(view_json(out->a, v), "source"), "path"));
}

/* Patch, subtask and compaction parts. */
static void add_other(struct search_pieces *out, int i, const struct part_view *v)
{
    struct json part = view_json(out->a, v);
    struct json_iter it = json_iter(json_member(part, "files"));
    struct bough_str s;

    while (v->type == BOUGH_PART_PATCH && json_next(&it))
        if (json_str(out->a, it.value, &s))
            add(out, SEARCH_FILE, i, s);
    if (v->type == BOUGH_PART_SUBTASK) {
        add(out, SEARCH_TEXT, i, member(out->a, part, "description"));
        add(out, SEARCH_TEXT, i, member(out->a, part, "prompt"));
    } else if (v->type == BOUGH_PART_COMPACTION) {
        add(out, SEARCH_TEXT, i, member(out->a, part, "content"));
    }
}

static void add_part(struct search_pieces *out, int i, const struct bough_part *part)
{
    struct part_view v;

    view_part(out->a, part, &v);
    switch (v.kind) {
    case VIEW_TEXT:
        add(out, SEARCH_TEXT, i, v.text);
        break;
    case VIEW_REASONING:
        add(out, SEARCH_REASONING, i, v.text);
        break;
    case VIEW_CALL:
    case VIEW_RESULT:
    case VIEW_TOOL:
        add(out, SEARCH_TOOL, i, str_of(v.tool));
        add(out, SEARCH_INPUT, i, payload(out->a, v.input));
        add(out, SEARCH_OUTPUT, i, payload(out->a, v.output));
        break;
    case VIEW_FILE:
        add_file(out, i, &v);
        break;
    case VIEW_OTHER:
        add_other(out, i, &v);
        break;
    }
}

/* Texts in the data of entries other than messages, and of pi's `!command`. */
static void add_data(struct search_pieces *out, const struct bough_entry *e)
{
    struct json data = view_data(out->a, e);

    if (e->role == BOUGH_ROLE_BASH) {
        add(out, SEARCH_INPUT, -1, member(out->a, data, "command"));
        add(out, SEARCH_OUTPUT, -1, member(out->a, data, "output"));
    }
    if (e->kind == BOUGH_ENTRY_COMPACTION || e->kind == BOUGH_ENTRY_BRANCH_SUMMARY)
        add(out, SEARCH_TEXT, -1, member(out->a, data, "summary"));
    if (e->kind == BOUGH_ENTRY_LABEL)
        add(out, SEARCH_TEXT, -1, member(out->a, data, "label"));
    add(out, SEARCH_TEXT, -1, view_custom_text(out->a, e));
}

void search_pieces(struct bough_arena *a, const struct bough_entry *e, struct search_pieces *out)
{
    *out = (struct search_pieces){ .a = a };
    if (e->kind == BOUGH_ENTRY_SESSION_INFO)
        return; /* its text is the session's title, which is indexed separately */
    if (view_hidden(a, e))
        return;
    for (size_t i = 0; i < e->nparts; i++)
        add_part(out, (int)i, &e->parts[i]);
    if (e->data.n && (e->kind != BOUGH_ENTRY_MESSAGE || e->role == BOUGH_ROLE_BASH))
        add_data(out, e);
}

/* ---- words ---- */

enum { WORD_ROOM = TOKEN_MAX + 1 + 8 }; /* a word begins only where as much is left */

/* Words of ASCII come many at once, others one by one. */
static size_t next_words(struct tokenizer *t, char *to, size_t most)
{
    size_t n = token_plain_words(t, to, most);
    struct token w;

    if (n || !token_next(t, &w))
        return n;
    memcpy(to, w.text, w.n);
    return w.n;
}

static void put_words(struct buf *b, size_t *room, struct bough_str text)
{
    const char *between = b->n ? " " SEARCH_GAP " " : "";
    struct tokenizer t;

    token_init(&t, text);
    while (*room > WORD_ROOM) {
        size_t gap = strlen(between), left = text.n - t.at, n;
        size_t most = *room > WORD_ROOM + gap ? *room - WORD_ROOM - gap : 1;
        char *to = buf_reserve(b, gap + (left < most ? left : most) + TOKEN_MAX + 1);

        n = to ? next_words(&t, to + gap, most) : 0;
        if (!n)
            break;
        memcpy(to, between, gap);
        b->n += gap + n;
        buf_end(b);
        *room -= gap + n;
        between = " ";
    }
}

bool search_words(struct bough_arena *a, const struct search_piece *at, size_t n,
                  struct search_words *out)
{
    struct buf b[SEARCH_FIELDS];
    size_t room = LIMIT_SEARCH_WORDS;
    bool any = false;

    for (int f = 0; f < SEARCH_FIELDS; f++)
        buf_init(&b[f], LIMIT_SEARCH_WORDS);
    for (int outputs = 0; outputs < 2; outputs++)
        for (size_t i = 0; i < n; i++)
            if ((at[i].field == SEARCH_OUTPUT) == (outputs == 1))
                put_words(&b[at[i].field], &room, at[i].text);
    for (int f = 0; f < SEARCH_FIELDS; f++) {
        out->field[f] = b[f].n ? text_keep(a, &b[f]) : str_make(NULL, 0);
        any = any || b[f].n;
        buf_finish(&b[f]);
    }
    return any;
}

bool search_packed_words(struct bough_arena *a, struct bough_str body, struct bough_entry *e,
                         struct search_words *out)
{
    struct search_pieces pieces;
    struct pack_extra x;

    if (!body.n || pack_entry_read(a, body, e, &x, NULL) != BOUGH_OK)
        return false;
    search_pieces(a, e, &pieces);
    (void)search_words(a, pieces.at, pieces.n, out);
    return true;
}
