/* List rows: unpack one, and fill the columns that come from the session and head rows. */
#include "store/project/projector.h"

#include <string.h>

#include "base/text/str.h"
#include "core/model/text.h"
#include "core/model/totals.h"

/* Each summand was checked when it was stored, but a sum may still overflow. It then stays at the
 * limit instead of failing the query. */
void summary_add(struct bough_totals *sum, const struct bough_totals *t)
{
    if (!totals_add(sum, t))
        *sum = (struct bough_totals){ .input = INT64_MAX,
                                      .output = INT64_MAX,
                                      .reasoning = INT64_MAX,
                                      .cache_read = INT64_MAX,
                                      .cache_write = INT64_MAX,
                                      .cost = INT64_MAX };
}

void summary_sub(struct bough_totals *sum, const struct bough_totals *t)
{
    struct bough_totals neg;

    if (totals_neg(t, &neg))
        summary_add(sum, &neg);
}

struct bough_totals summary_rolled(const struct list_body *b)
{
    struct bough_totals t = b->adjust;

    if (b->totals_mode == BOUGH_TOTALS_AUTO) {
        summary_add(&t, &b->own);
        summary_add(&t, &b->below);
    }
    return t;
}

/* ---- loading ---- */

static enum bough_rc load_hay(struct snap *snap, struct bough_arena *a, const char *slug,
                              const char *title, struct summary *sh, struct bough_error *err)
{
    const char *project;
    enum bough_rc rc = snap_group(snap, a, RECORD_PROJECT, sh->row.project, &project, err);

    if (!rc)
        sh->row.hay = text_fold(a, str_of(arena_printf(a, "%s\n%s\n%s\n%s", slug, title, project,
                                                       sh->body.first_user)))
                          .p;
    return rc;
}

enum bough_rc summary_identity(struct snap *snap, struct bough_arena *a, struct summary *sh,
                               struct bough_error *err)
{
    struct session_row row;
    struct session_body body;
    struct head_now head;
    bool purged = false;
    enum bough_rc rc;

    rc = snap->ops->session_get(snap->v, a, sh->sid, &row, err);
    if (rc)
        return rc;
    sh->gone = row.purged;
    if (sh->gone)
        return BOUGH_OK;
    rc = body_read(session_fields, row.body, &body, err);
    if (!rc)
        rc = snap->ops->head_get(snap->v, a, sh->sid, &head, err);
    if (rc)
        return rc;
    sh->row.sid = sh->sid;
    sh->row.kind = row.kind;
    sh->row.parent = row.parent;
    if (row.parent)
        rc = snap_purged(snap, row.parent, &purged, err);
    if (rc)
        return rc;
    if (purged)
        sh->row.parent = 0;
    sh->row.status = head.row.status;
    sh->row.deleted = head.row.deleted;
    sh->row.project = body.project;
    sh->row.workspace = body.workspace;
    sh->row.account = body.account;
    sh->row.created = body.created;
    sh->row.role_name = body.role_name;
    sh->row.provider_path = body.provider_path;
    sh->row.model_provider = body.model_provider;
    sh->row.model_name = body.model_name;
    sh->body.totals_mode = body.totals_mode;
    sh->row.modified = sh->body.last_said ? sh->body.last_said : body.created;
    sh->row.errors = sh->body.errors;
    sh->row.last_state = sh->body.last_state;
    sh->row.last_model = sh->body.last_model;
    sh->row.cost = summary_rolled(&sh->body).cost;
    return load_hay(snap, a, row.slug, body.title, sh, err);
}

static void empty(struct summary *sh, int64_t sid)
{
    *sh = (struct summary){ .sid = sid };
    body_clear(list_fields, &sh->body);
    sh->row.role_name = sh->row.provider_path = sh->row.model_provider = sh->row.model_name = "";
    sh->row.hay = sh->row.last_model = "";
}

enum bough_rc summary_read(const struct list_row *row, struct summary *out, struct bough_error *err)
{
    *out = (struct summary){ .sid = row->sid, .row = *row };
    return body_read(list_fields, row->body, &out->body, err);
}

enum bough_rc summary_load(struct snap *snap, struct bough_arena *a, int64_t sid,
                           struct summary *sh, struct bough_error *err)
{
    struct list_row row;
    enum bough_rc rc = snap->ops->list_get(snap->v, a, sid, &row, NULL);

    if (rc == BOUGH_OK)
        return summary_read(&row, sh, err);
    empty(sh, sid);
    return summary_identity(snap, a, sh, err);
}
