/* A session at a glance: its branches as lanes with what stands on them, and the places on a path
 * to jump to. */
#include "api/kit/api.h"
#include "api/kit/forms.h"
#include "base/limits.h"
#include "base/text/str.h"

/* ---- lanes ---- */

enum { LANES = 1000 };

static void put_branch(struct json_writer *w, const struct bough_outline_branch *b)
{
    jw_obj(w);
    jw_kv_i64(w, "branch", b->number);
    jw_kv_cstr(w, "session", b->session);
    form_head(w, "base", b->base);
    jw_kv_i64(w, "first", b->first);
    jw_kv_i64(w, "tip", b->tip);
    jw_kv_i64(w, "entries", b->tip - b->first + 1);
    jw_kv_i64(w, "messages", b->messages);
    jw_kv_cstr(w, "role", b->role == BOUGH_ROLE_NONE ? NULL : bough_role_name(b->role));
    jw_kv_cstr(w, "preview", b->preview);
    form_time(w, "created", b->created);
    form_time(w, "updated", b->updated);
    jw_kv_bool(w, "head", b->head);
    jw_end_obj(w);
}

static void put_mark(struct json_writer *w, const struct bough_outline_mark *m)
{
    jw_obj(w);
    form_head(w, "at", m->at);
    jw_kv_cstr(w, "entry", *m->entry ? m->entry : NULL);
    jw_kv_cstr(w, "kind", bough_outline_kind_name(m->kind));
    jw_kv_cstr(w, "text", m->text);
    form_time(w, "time", m->time);
    if (m->child) {
        jw_kv_cstr(w, "session", m->child->id);
        jw_kv_cstr(w, "status", bough_status_name(m->child->status));
        jw_kv_i64(w, "messages", m->child->messages);
        jw_kv_i64(w, "cost_nano_usd", m->child->rolled.cost);
    }
    jw_end_obj(w);
}

/* D13: a fork in another project does not show. */
static bool sees(struct http_req *req, const struct bough_outline_mark *m)
{
    return !m->child || auth_sees(api_of(req)->who, m->child->project);
}

static void put_outline(struct http_req *req, struct http_res *res,
                        const struct bough_tree_outline_result *o)
{
    struct json_writer *w = http_json(res, 200);

    jw_obj(w);
    form_head(w, "head", o->head);
    jw_key(w, "branches");
    jw_arr(w);
    for (size_t i = 0; i < o->nbranches; i++) {
        put_branch(w, &o->branches[i]);
        http_spill(res);
    }
    jw_end_arr(w);
    jw_key(w, "marks");
    jw_arr(w);
    for (size_t i = 0; i < o->nmarks; i++) {
        if (sees(req, &o->marks[i]))
            put_mark(w, &o->marks[i]);
        http_spill(res);
    }
    api_items_end(w, o->next);
}

static enum bough_rc outline(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_tree_outline_options how = { .cursor = http_query(req, "cursor") };
    struct bough_tree_outline_result out;
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = http_query_i64(req, "limit", LANES, 1, LIMIT_PAGE, &how.limit, err);
    if (!rc)
        rc = bough_tree_outline(api_of(req)->store, req->arena, s->id, &how, &out, err);
    if (!rc)
        put_outline(req, res, &out);
    return rc;
}

/* ---- where to jump ---- */

static void put_prompt(struct json_writer *w, const struct bough_tree_prompt *p)
{
    jw_obj(w);
    jw_kv_cstr(w, "entry", p->entry);
    form_head(w, "at", p->at);
    jw_kv_cstr(w, "kind", bough_entry_kind_name(p->kind));
    form_time(w, "time", p->time);
    jw_kv_i64(w, "message_number", p->mno);
    jw_kv_cstr(w, "preview", p->preview);
    jw_end_obj(w);
}

static enum bough_rc prompts(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_tree_prompts_options how = { .at = http_query(req, "at") };
    struct bough_tree_prompts_result out;
    struct api_page page = { 0 };
    struct bough_session *s;
    struct json_writer *w;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = api_page(req, &page, err);
    if (!rc)
        rc = http_query_bool(req, "newest", &how.newest, err);
    if (!rc)
        rc = api_entry_id(req, s->id, &how.at, err);
    how.limit = page.limit;
    how.cursor = page.cursor;
    if (!rc)
        rc = bough_tree_prompts(api_of(req)->store, req->arena, s->id, &how, &out, err);
    if (rc)
        return rc;
    w = api_items(res);
    for (size_t i = 0; i < out.n; i++)
        put_prompt(w, &out.at[i]);
    api_items_end(w, out.next);
    return BOUGH_OK;
}

static const struct http_field outline_query[] = {
    { "limit", HTTP_INTEGER, "Branches in a page, 1 to 10000 (default 1000).", .least = 1,
      .most = LIMIT_PAGE },
    { "cursor", HTTP_STRING, "`next` of the previous page." },
    { 0 },
};

static const struct http_field prompts_query[] = {
    { "at", HTTP_STRING, "The path to this entry instead of the head." },
    { "newest", HTTP_BOOLEAN, "Page from the newest; within a page the oldest comes first." },
    API_PAGE_FIELDS,
    { 0 },
};

const struct http_route api_outline_routes[] = {
    { "GET", "/api/v1/sessions/{id}/outline", outline, AUTH_READ,
      "Get the branches of a session as lanes, and the labels, compactions, summaries, forks and "
      "subagents on them.",
      outline_query, .gives = "Outline" },
    { "GET", "/api/v1/sessions/{id}/prompts", prompts, AUTH_READ,
      "List the places on a path to jump to: the user's messages and the compactions.",
      prompts_query, .gives = "PathPrompts" },
    { 0 },
};
