/* What the routes of runs share. */
#include "run/api/kit.h"

#include <string.h>

#include "api/kit/body.h"
#include "api/kit/forms.h"
#include "base/memory/buf.h"

enum { DETAIL_MOST = 4096 };

enum bough_rc run_api_runner(struct http_req *req, struct runner **out, struct bough_error *err)
{
    *out = api_runner(req);
    return *out ? BOUGH_OK
                : bough_fail(err, BOUGH_NOT_READY,
                             "prompts are answered by a server: start `bough serve`");
}

enum bough_rc run_api_run(struct http_req *req, struct bough_run **out, struct bough_error *err)
{
    const char *id = http_param(req, "run");
    struct bough_session *s;
    enum bough_rc rc = bough_run_get(api_of(req)->store, req->arena, id, out, err);

    if (!rc && api_session_named(req, (*out)->session, &s, err))
        rc = bough_fail(err, BOUGH_NOT_FOUND, "there is no run %.60s", id);
    return rc;
}

const char *run_api_principal(struct http_req *req)
{
    const char *name = api_of(req)->who->name;

    return strncmp(name, "token:", 6) == 0 ? name : NULL;
}

void run_api_busy(struct http_req *req, struct http_res *res, const char *session)
{
    struct bough_run_list_options live = { .session = session,
                                           .status = "queued running awaiting_approval",
                                           .limit = 1 };
    struct bough_runs runs;
    struct json_writer w;
    struct buf b;

    if (bough_run_list(api_of(req)->store, req->arena, &live, &runs, NULL) || !runs.n) {
        api_busy(req, res, session);
        return;
    }
    buf_init(&b, DETAIL_MOST);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_cstr(&w, "run", runs.at[0].id);
    jw_kv_cstr(&w, "status", bough_run_status_name(runs.at[0].status));
    jw_kv_cstr(&w, "owner", runs.at[0].lease ? runs.at[0].lease->owner : NULL);
    form_time(&w, "since", runs.at[0].started ? runs.at[0].started : runs.at[0].created);
    jw_end_obj(&w);
    http_detail(res, buf_str(&b));
    buf_finish(&b);
}

enum bough_rc run_api_limits(struct http_req *req, struct json object, struct bough_run_limits *out,
                             struct bough_error *err)
{
    static const struct api_member members[] = {
        { "turns", API_INT, offsetof(struct bough_run_limits, turns) },
        { "time_ms", API_INT, offsetof(struct bough_run_limits, time_ms) },
        { "cost_usd", API_USD, offsetof(struct bough_run_limits, cost) },
        { 0 },
    };

    if (json_type(object) != JSON_OBJECT)
        return BOUGH_OK;
    return api_read(req, object, "limits", members, out, err);
}
