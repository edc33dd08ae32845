/* Budgets as records of the store. There are few, so they are found by listing. */
#include <stdlib.h>
#include <string.h>

#include "base/json/json.h"
#include "base/json/write.h"
#include "base/limits.h"
#include "base/os/process.h"
#include "base/text/str.h"
#include "store/budget/budget.h"

#define NAME "budget" /* of the state records; stored */

/* The words are stored, too. */
static const char *const scopes[] = {
    [BOUGH_BUDGET_STORE] = "store",     [BOUGH_BUDGET_PROJECT] = "project",
    [BOUGH_BUDGET_ACCOUNT] = "account", [BOUGH_BUDGET_TOKEN] = "token",
    [BOUGH_BUDGET_SESSION] = "session",
};
static const char *const windows[] = {
    [BOUGH_BUDGET_TOTAL] = "total",
    [BOUGH_BUDGET_DAY] = "day",
    [BOUGH_BUDGET_MONTH] = "month",
};
#define COUNT(words) (sizeof(words) / sizeof *(words))

const char *bough_budget_scope_name(enum bough_budget_scope scope)
{
    return (size_t)scope < COUNT(scopes) ? scopes[scope] : NULL;
}

const char *bough_budget_window_name(enum bough_budget_window window)
{
    return (size_t)window < COUNT(windows) ? windows[window] : NULL;
}

static bool word(const char *const *words, size_t n, const char *text, int *out)
{
    for (size_t i = 0; text && i < n; i++)
        if (strcmp(words[i], text) == 0) {
            *out = (int)i;
            return true;
        }
    return false;
}

bool bough_budget_scope_parse(const char *text, enum bough_budget_scope *out)
{
    int i;
    bool known = word(scopes, COUNT(scopes), text, &i);

    if (known)
        *out = (enum bough_budget_scope)i;
    return known;
}

bool bough_budget_window_parse(const char *text, enum bough_budget_window *out)
{
    int i;
    bool known = word(windows, COUNT(windows), text, &i);

    if (known)
        *out = (enum bough_budget_window)i;
    return known;
}

/* ---- reading ---- */

struct reading {
    struct bough_arena *a;
    struct budgets *out;
    int64_t now;
    char self[PROCESS_TEXT];
    const char *asked; /* the process that was looked for last */
    bool dead;         /* ... has ended */
    enum bough_rc rc;
    struct bough_error *err;
};

static bool text_at(struct bough_arena *a, struct json_iter *it, const char **out)
{
    struct bough_str s;

    if (!json_next(it) || !json_str(a, it->value, &s))
        return false;
    *out = s.p;
    return true;
}

static bool has_ended(struct reading *r, const char *process)
{
    if (strcmp(process, r->self) == 0)
        return false;
    if (!r->asked || strcmp(r->asked, process) != 0) {
        r->asked = process;
        r->dead = process_dead(process);
    }
    return r->dead;
}

/* [id, cost, expires, process] */
static bool read_hold(struct reading *r, struct json j, struct budget *b)
{
    struct json_iter it = json_iter(j);
    struct hold h;

    if (!text_at(r->a, &it, &h.id) || !json_next(&it) || !json_i64(it.value, &h.cost) ||
        h.cost < 0 || !json_next(&it) || !json_i64(it.value, &h.expires) ||
        !text_at(r->a, &it, &h.process))
        return false;
    if (h.expires <= r->now || has_ended(r, h.process))
        return true;
    b->holds = arena_room(r->a, b->holds, b->nholds, sizeof *b->holds);
    b->holds[b->nholds++] = h;
    return true;
}

static bool read_data(struct reading *r, struct json j, struct budget *b)
{
    const char *id = json_cstr(r->a, j, "id"), *of = json_cstr(r->a, j, "of");
    struct json_iter held = json_iter(json_member(j, "held"));

    if (!id || strlen(id) != BOUGH_ID_LEN || !of ||
        !bough_budget_scope_parse(json_cstr(r->a, j, "scope"), &b->b.scope) ||
        !bough_budget_window_parse(json_cstr(r->a, j, "window"), &b->b.window) ||
        !json_i64(json_member(j, "cap"), &b->b.cap) || b->b.cap < 0 ||
        !json_i64(json_member(j, "created"), &b->b.created) ||
        !json_bool(json_member(j, "allow_unknown"), &b->b.allow_unknown))
        return false;
    memcpy(b->b.id, id, sizeof b->b.id);
    b->b.of = of;
    while (json_next(&held))
        if (!read_hold(r, held.value, b))
            return false;
    return true;
}

static bool each(void *user, const struct record_row *row)
{
    struct reading *r = user;
    struct bough_str copy = arena_str(r->a, row->body);
    struct budget b = { .ord = row->ord, .ver = row->ver };
    struct state_body body;
    struct json j;

    if (body_read(state_fields, copy, &body, NULL) || strcmp(body.name, NAME) != 0)
        return true;
    if (row->deleted) {
        r->out->free_ord = row->ord;
        r->out->free_ver = row->ver;
        return true;
    }
    b.b.updated = body.time;
    b.b.by = body.by;
    if (json_parse(r->a, body.data, &j, NULL) || !read_data(r, j, &b)) {
        r->rc = bough_fail(r->err, BOUGH_CORRUPT, "a budget cannot be read (record %lld)",
                           (long long)row->ord);
        return false;
    }
    r->out->at = arena_room(r->a, r->out->at, r->out->n, sizeof *r->out->at);
    r->out->at[r->out->n++] = b;
    return true;
}

static int by_name(const void *x, const void *y)
{
    const struct bough_budget *a = &((const struct budget *)x)->b,
                              *b = &((const struct budget *)y)->b;
    int c = strcmp(a->of, b->of);

    if (a->scope != b->scope)
        return a->scope < b->scope ? -1 : 1;
    return c ? c : a->window < b->window ? -1 : a->window > b->window;
}

enum bough_rc budgets_read(struct snap *snap, struct bough_arena *a, int64_t now,
                           struct budgets *out, struct bough_error *err)
{
    struct reading r = { .a = a, .out = out, .now = now, .err = err };
    enum bough_rc rc;

    *out = (struct budgets){ 0 };
    process_self(r.self);
    rc = snap->ops->record_scan(snap->v, 0, RECORD_STATE, 1, false, each, &r, err);
    if (!rc && !r.rc && out->n)
        qsort(out->at, out->n, sizeof *out->at, by_name);
    return rc ? rc : r.rc;
}

struct budget *budgets_find(struct budgets *all, const char *id)
{
    for (size_t i = 0; i < all->n; i++)
        if (strcmp(all->at[i].b.id, id) == 0)
            return &all->at[i];
    return NULL;
}

/* ---- writing ---- */

static void write_hold(struct json_writer *w, const struct hold *h)
{
    jw_arr(w);
    jw_cstr(w, h->id);
    jw_i64(w, h->cost);
    jw_i64(w, h->expires);
    jw_cstr(w, h->process);
    jw_end_arr(w);
}

void budget_put(struct prep *p, const struct budget *b)
{
    struct state_body body = { .name = NAME, .by = b->b.by, .time = b->b.updated };
    struct record_row row = {
        .kind = RECORD_STATE, .ord = b->ord, .ver = b->ver, .deleted = b->deleted
    };
    struct json_writer w;
    struct buf data;

    buf_init(&data, LIMIT_DATA);
    jw_init(&w, &data);
    jw_obj(&w);
    jw_kv_cstr(&w, "id", b->b.id);
    jw_kv_cstr(&w, "scope", scopes[b->b.scope]);
    jw_kv_cstr(&w, "of", b->b.of);
    jw_kv_cstr(&w, "window", windows[b->b.window]);
    jw_kv_i64(&w, "cap", b->b.cap);
    jw_kv_bool(&w, "allow_unknown", b->b.allow_unknown);
    jw_kv_i64(&w, "created", b->b.created);
    jw_key(&w, "held");
    jw_arr(&w);
    for (size_t i = 0; i < b->nholds; i++)
        write_hold(&w, &b->holds[i]);
    jw_end_arr(&w);
    jw_end_obj(&w);
    body.data = buf_str(&data);
    row.body = body_pack(p->a, state_fields, &body);
    buf_finish(&data);
    txn_change(p, CHANGE_RECORD_PUT)->u.record = row;
}
