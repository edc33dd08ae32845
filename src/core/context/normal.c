/* The normal form of a conversation and its hash. Pure. */
#include "core/context/normal.h"

#include <bough/part.h>

#include "base/json/json.h"
#include "base/limits.h"
#include "base/text/str.h"
#include "core/model/names.h"
#include "core/part/part.h"
#include "core/part/view.h"

static const char version[] = "bough normal form 1\n";

static void put_canon(struct json_writer *w, struct bough_arena *a, struct bough_str raw)
{
    struct json j = { 0 };
    struct buf b;

    buf_init(&b, LIMIT_APPEND_BYTES);
    if (!raw.n || json_parse(a, raw, &j, NULL) != BOUGH_OK)
        buf_puts(&b, "{}"); /* missing or invalid arguments */
    else
        json_canon(&b, j);
    jw_raw(w, buf_str(&b));
    buf_finish(&b);
}

static void put_pair(struct json_writer *w, const char *what, struct bough_str text)
{
    jw_arr(w);
    jw_cstr(w, what);
    jw_str(w, text);
    jw_end_arr(w);
}

static void put_file(struct json_writer *w, const struct part_view *v)
{
    unsigned char sum[SHA256_LEN];
    char hex[sizeof "sha256:" + 2 * SHA256_LEN];

    jw_arr(w);
    jw_cstr(w, "file");
    jw_cstr(w, v->mime);
    if (v->base64.n) {
        sha256(v->base64.p, v->base64.n, sum);
        memcpy(hex, "sha256:", 7);
        sha256_hex(sum, hex + 7);
        jw_cstr(w, hex);
    } else {
        jw_str(w, v->url);
    }
    jw_end_arr(w);
}

static void put_view(struct json_writer *w, struct bough_arena *a, const struct part_view *v)
{
    switch (v->kind) {
    case VIEW_TEXT:
        if (v->text.n)
            put_pair(w, "text", v->text);
        break;
    case VIEW_REASONING:
        if (v->text.n)
            put_pair(w, "reasoning", v->text);
        break;
    case VIEW_CALL:
    case VIEW_TOOL:
        jw_arr(w);
        jw_cstr(w, "call");
        jw_cstr(w, v->tool);
        put_canon(w, a, v->input);
        jw_end_arr(w);
        break;
    case VIEW_FILE:
        put_file(w, v);
        break;
    case VIEW_RESULT: /* put_result() writes its line */
        break;
    case VIEW_OTHER:
        if (!part_is_bookkeeping(v->type)) {
            jw_arr(w);
            jw_cstr(w, "other");
            put_canon(w, a, v->raw);
            jw_end_arr(w);
        }
        break;
    }
}

static void put_result(struct buf *out, struct bough_arena *a, const struct part_view *v)
{
    struct json_writer w;

    jw_init(&w, out);
    jw_arr(&w);
    jw_cstr(&w, "tool");
    jw_str(&w, view_output_text(a, v->output));
    jw_bool(&w, v->failed);
    jw_end_arr(&w);
    buf_putc(out, '\n');
}

static bool says_nothing(const struct view_run *run)
{
    size_t i;

    for (i = 0; i < run->n; i++) {
        if (run->at[i].kind != VIEW_OTHER || !part_is_bookkeeping(run->at[i].type))
            return false;
    }
    return true;
}

static void put_run(struct buf *out, struct bough_arena *a, const char *role,
                    const struct view_run *run)
{
    struct json_writer w;
    size_t i;

    if (run->results) {
        for (i = 0; i < run->n; i++)
            put_result(out, a, &run->at[i]);
        return;
    }
    jw_init(&w, out);
    jw_arr(&w);
    jw_cstr(&w, role);
    jw_arr(&w);
    for (i = 0; i < run->n; i++)
        put_view(&w, a, &run->at[i]);
    jw_end_arr(&w);
    jw_end_arr(&w);
    buf_putc(out, '\n');
}

static void put_bash(struct buf *out, struct bough_arena *a, struct json data)
{
    struct bough_str command = str_make(NULL, 0), output = str_make(NULL, 0);
    struct json_writer w;

    json_str(a, json_member(data, "command"), &command);
    json_str(a, json_member(data, "output"), &output);
    jw_init(&w, out);
    jw_arr(&w);
    jw_cstr(&w, "bash");
    jw_str(&w, command);
    jw_str(&w, output);
    jw_end_arr(&w);
    buf_putc(out, '\n');
}

/* A custom message without parts has its content in data: a string or blocks. */
static void put_custom(struct buf *out, struct bough_arena *a, const struct bough_entry *e)
{
    struct json content = json_member(view_data(a, e), "content");
    struct json_writer w;

    jw_init(&w, out);
    jw_arr(&w);
    jw_cstr(&w, "custom");
    jw_arr(&w);
    put_pair(&w, "text", view_output_text(a, json_raw(content)));
    jw_end_arr(&w);
    jw_end_arr(&w);
    buf_putc(out, '\n');
}

static const char *role_of(struct bough_arena *a, const struct bough_entry *e)
{
    if (e->kind == BOUGH_ENTRY_CUSTOM_MESSAGE)
        return bough_role_name(BOUGH_ROLE_CUSTOM);
    return e->role == BOUGH_ROLE_OTHER ? view_role(a, e) : bough_role_name(e->role);
}

static void put_entry(struct buf *out, struct bough_arena *a, const struct bough_entry *e)
{
    struct view_run *runs;
    size_t i, n;

    if (e->role == BOUGH_ROLE_BASH && !e->nparts) {
        put_bash(out, a, view_data(a, e));
        return;
    }
    if (e->kind == BOUGH_ENTRY_CUSTOM_MESSAGE && !e->nparts) {
        put_custom(out, a, e);
        return;
    }
    runs = view_runs(a, e, &n);
    for (i = 0; i < n; i++) {
        if (i == 0 || runs[i].results || !says_nothing(&runs[i]))
            put_run(out, a, role_of(a, e), &runs[i]);
    }
}

void normal_message(struct buf *out, const struct bough_entry *e)
{
    struct bough_arena *a;

    if ((e->kind != BOUGH_ENTRY_MESSAGE && e->kind != BOUGH_ENTRY_CUSTOM_MESSAGE) || e->deleted)
        return;
    a = bough_arena_create();
    put_entry(out, a, e);
    bough_arena_destroy(a);
}

void normal_message_hash(const struct bough_entry *e, unsigned char out[SHA256_LEN])
{
    struct buf b;

    buf_init(&b, LIMIT_APPEND_BYTES);
    buf_puts(&b, version);
    normal_message(&b, e);
    sha256(b.p, b.n, out);
    buf_finish(&b);
}

void normal_hash_init(struct normal_hash *h)
{
    sha256_init(&h->sha);
    sha256_update(&h->sha, version, sizeof version - 1);
}

void normal_hash_add(struct normal_hash *h, const struct bough_entry *e)
{
    struct buf b;

    buf_init(&b, LIMIT_APPEND_BYTES);
    normal_message(&b, e);
    sha256_update(&h->sha, b.p, b.n);
    buf_finish(&b);
}

void normal_hash_final(struct normal_hash *h, char out[2 * SHA256_LEN + 1])
{
    unsigned char sum[SHA256_LEN];

    sha256_final(&h->sha, sum);
    sha256_hex(sum, out);
}

void normal_hash_finish(struct normal_hash *h)
{
    sha256_finish(&h->sha);
}
