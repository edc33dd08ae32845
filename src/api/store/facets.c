/* Facets: the values that sessions can be filtered by. */
#include "api/kit/api.h"
#include "api/kit/forms.h"
#include "base/text/str.h"

static void put_facets(struct json_writer *w, const char *key, const struct bough_facets *f)
{
    jw_key(w, key);
    jw_arr(w);
    for (size_t i = 0; i < f->n; i++) {
        jw_obj(w);
        jw_opt_cstr(w, "provider", f->at[i].provider);
        jw_kv_cstr(w, "name", f->at[i].name);
        jw_kv_i64(w, "sessions", f->at[i].sessions);
        jw_kv_i64(w, "cost_nano_usd", f->at[i].cost);
        form_time(w, "last", f->at[i].last);
        jw_end_obj(w);
    }
    jw_end_arr(w);
}

static enum bough_rc facets(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const char *project = http_query(req, "project");
    struct bough_session_facets_result r;
    struct json_writer *w;
    enum bough_rc rc = api_own_project(req, res, &project);

    if (!rc)
        rc = bough_session_facets(api_of(req)->store, req->arena, project, &r, err);
    if (rc)
        return rc;
    w = http_json(res, 200);
    jw_obj(w);
    put_facets(w, "projects", &r.projects);
    put_facets(w, "accounts", &r.accounts);
    put_facets(w, "models", &r.models);
    put_facets(w, "statuses", &r.statuses);
    put_facets(w, "kinds", &r.kinds);
    put_facets(w, "last_states", &r.last_states);
    put_facets(w, "roles", &r.roles);
    put_facets(w, "tools", &r.tools);
    jw_kv_i64(w, "sessions", r.sessions);
    jw_kv_bool(w, "complete", r.complete);
    jw_kv_bool(w, "cut", r.projects.cut || r.accounts.cut || r.models.cut || r.roles.cut);
    jw_end_obj(w);
    return BOUGH_OK;
}

static const struct http_field facets_query[] = {
    { "project", HTTP_STRING, "Only sessions of this project." },
    { 0 },
};

const struct http_route api_facet_routes[] = {
    { "GET", "/api/v1/facets", facets, AUTH_READ,
      "Get the values that the last updated sessions have, for menus of filters.", facets_query,
      .gives = "Facets" },
    { 0 },
};
