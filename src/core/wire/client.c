/* Clients: their keys by data/clients.txt, and the purpose of a request by data/side.txt. */
#include "core/wire/client.h"

#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/data/data.h"
#include "core/part/view.h"

struct looking {
    struct bough_arena *a;
    const struct wire_request *req;
    const struct client_header *headers;
    size_t n;
};

/* ---- values ---- */

/* Follow a dotted path; a string on the way is read as JSON. */
static struct bough_str inside(struct bough_arena *a, struct json j, struct bough_str path)
{
    struct bough_str text = str_make(NULL, 0);

    while (path.n) {
        const char *dot = memchr(path.p, '.', path.n);
        size_t n = dot ? (size_t)(dot - path.p) : path.n;

        if (json_str(a, j, &text) && json_parse(a, text, &j, NULL))
            return str_make(NULL, 0);
        j = json_member(j, arena_strndup(a, path.p, n));
        path = str_make(path.p + n + (dot != NULL), path.n - n - (dot != NULL));
    }
    return json_str(a, j, &text) ? text : str_make(NULL, 0);
}

static struct bough_str header(const struct looking *l, struct bough_str name)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->headers[i].name.n == name.n &&
            strncasecmp(l->headers[i].name.p, name.p, name.n) == 0)
            return l->headers[i].value;
    return str_make(NULL, 0);
}

static struct bough_str value_of(const struct looking *l, struct bough_str where,
                                 struct bough_str name)
{
    const char *dot = memchr(name.p, '.', name.n);
    struct bough_str value, path = str_make(NULL, 0);
    struct json j;

    if (str_is(where, "body"))
        return inside(l->a, l->req->json, name);
    if (dot) {
        path = str_make(dot + 1, name.n - (size_t)(dot + 1 - name.p));
        name.n = (size_t)(dot - name.p);
    }
    value = header(l, name);
    if (!dot || !value.n)
        return value;
    return json_parse(l->a, value, &j, NULL) ? str_make(NULL, 0) : inside(l->a, j, path);
}

/* A value that can be a key: not empty, not too long, without NUL. */
static const char *usable(const struct looking *l, struct bough_str value)
{
    if (!value.n || value.n > LIMIT_ID || memchr(value.p, '\0', value.n))
        return NULL;
    return arena_strndup(l->a, value.p, value.n);
}

/* ---- data/clients.txt ---- */

/* The purpose that a row's word=purpose pairs give a value; NULL: none. */
static const char *purpose_of(const struct looking *l, struct bough_str pairs,
                              struct bough_str value)
{
    struct bough_str pair;

    while ((pair = data_word(&pairs)).n) {
        const char *eq = memchr(pair.p, '=', pair.n);
        size_t n = eq ? (size_t)(eq - pair.p) : pair.n;

        if (eq && str_eq(str_make(pair.p, n), value))
            return arena_strndup(l->a, eq + 1, pair.n - n - 1);
    }
    return NULL;
}

/* Does the value begin with the word, as "pi/1.5" does with "pi"? */
static bool is_product(struct bough_str value, struct bough_str word)
{
    return value.n >= word.n && memcmp(value.p, word.p, word.n) == 0 &&
           (value.n == word.n || value.p[word.n] == '/' || value.p[word.n] == ' ');
}

struct ids {
    const char *client, *name, *key, *parent, *agent, *parent_agent, *purpose;
};

static void take(const char **to, const char *value)
{
    *to = *to ? *to : value;
}

static void take_row(const struct looking *l, struct bough_str line, struct ids *ids)
{
    struct bough_str client = data_word(&line), what = data_word(&line), where = data_word(&line),
                     name = data_word(&line), value = value_of(l, where, name);
    const char *text = usable(l, value);

    if (!text)
        return;
    if (str_is(what, "purpose"))
        take(&ids->purpose, purpose_of(l, line, value));
    else if (str_is(what, "parent"))
        take(&ids->parent, text);
    else if (str_is(what, "agent"))
        take(&ids->agent, text);
    else if (str_is(what, "parent-agent"))
        take(&ids->parent_agent, text);
    else if (str_is(what, "name") && is_product(value, data_word(&line)))
        take(&ids->name, arena_strndup(l->a, client.p, client.n));
    else if (str_is(what, "key") && !ids->key) {
        ids->key = text;
        ids->client = str_is(client, "-") ? "" : arena_strndup(l->a, client.p, client.n);
    }
}

static void find_ids(const struct looking *l, struct client_found *out)
{
    struct data_row row = { .next = data_clients };
    struct ids ids = { .client = "" };

    while (data_next(&row))
        take_row(l, row.line, &ids);
    out->client = *ids.client || !ids.name ? ids.client : ids.name;
    out->key = ids.key;
    out->purpose = ids.purpose;
    out->parent = ids.key ? ids.parent : NULL;
    if (!ids.key || !ids.agent)
        return;
    out->key = arena_printf(l->a, "%s/%s", ids.key, ids.agent);
    out->parent =
        ids.parent_agent ? arena_printf(l->a, "%s/%s", ids.key, ids.parent_agent) : ids.key;
}

/* ---- data/side.txt ---- */

/* Does a text part of the message, or its first line, begin like this? */
static bool text_begins(const struct looking *l, const struct bough_entry_new *e,
                        const char *beginning)
{
    for (size_t i = 0; i < e->nparts; i++) {
        struct bough_part part = { BOUGH_PART_TEXT, e->parts[i] };
        struct part_view v;

        if (bough_part_check(part.json, &part.type, NULL))
            continue;
        view_part(l->a, &part, &v);
        if (v.kind == VIEW_TEXT && str_starts(v.text, beginning))
            return true;
    }
    return false;
}

static const struct bough_entry_new *first_user(const struct wire_request *r)
{
    for (size_t i = 0; i < r->nmessages; i++)
        if (r->messages[i].role == BOUGH_ROLE_USER)
            return &r->messages[i];
    return NULL;
}

static bool is_side(const struct looking *l, struct bough_str line)
{
    struct bough_str where = data_word(&line), tools = data_word(&line);
    const char *beginning = arena_strndup(l->a, line.p, line.n);
    const struct wire_request *r = l->req;
    const struct bough_entry_new *e = NULL;

    if (str_is(tools, "no") && r->tools)
        return false;
    if (str_is(where, "system"))
        return str_starts(wire_system_text(l->a, r->system, r->nsystem), beginning);
    if (str_is(where, "first"))
        e = first_user(r);
    else if (r->nmessages)
        e = &r->messages[r->nmessages - 1];
    return e && text_begins(l, e, beginning);
}

static const char *side_purpose(const struct looking *l)
{
    struct data_row row = { .next = data_side };

    if (l->req->only_title && !l->req->tools)
        return "title";
    if (l->req->max_output >= 0 && l->req->max_output <= 1)
        return "probe";
    while (data_next(&row)) {
        struct bough_str line = row.line, purpose = data_word(&line);

        if (is_side(l, line))
            return arena_strndup(l->a, purpose.p, purpose.n);
    }
    return NULL;
}

void client_identify(struct bough_arena *a, const struct wire_request *req,
                     const struct client_header *headers, size_t n, struct client_found *out)
{
    struct looking l = { a, req, headers, n };

    *out = (struct client_found){ .client = "" };
    find_ids(&l, out);
    if (!out->key && req->conversation)
        out->key = usable(&l, str_of(req->conversation));
    if (!out->purpose)
        out->purpose = side_purpose(&l);
}
