/* The audit log: deletions, restorations, purges and token changes, with the principal that made
 * them. */
#include "store/write/audit.h"
#include "base/required.h"
#include "base/text/str.h"

void audit_put(struct prep *p, const char *principal, const char *action, const char *target,
               const char *detail)
{
    struct audit_body body = {
        .time = p->now, .action = action, .target = target, .detail = detail, .principal = principal
    };

    txn_change(p, CHANGE_RECORD_PUT)->u.record =
        (struct record_row){ .kind = RECORD_AUDIT, .body = body_pack(p->a, audit_fields, &body) };
}

struct listing {
    struct bough_arena *a;
    struct bough_audits *out;
    enum bough_rc rc;
    struct bough_error *err;
};

static bool list_one(void *user, const struct record_row *row)
{
    struct listing *l = user;
    struct bough_audits *out = l->out;
    struct audit_body b;

    l->rc = body_read(audit_fields, arena_str(l->a, row->body), &b, l->err);
    if (l->rc)
        return false;
    out->at = arena_room(l->a, out->at, out->n, sizeof *out->at);
    out->at[out->n++] = (struct bough_audit){ .no = row->ord,
                                              .time = b.time,
                                              .action = b.action,
                                              .target = b.target,
                                              .detail = b.detail,
                                              .principal = b.principal };
    return true;
}

enum bough_rc bough_audit_list(struct bough_store *s, struct bough_arena *a,
                               struct bough_audits *out, struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    struct listing l = { .a = a, .out = out, .err = err };
    struct snap snap;
    enum bough_rc rc = snap_begin(s, &snap, err);

    *out = (struct bough_audits){ 0 };
    if (rc)
        return rc;
    rc = snap.ops->record_scan(snap.v, 0, RECORD_AUDIT, 1, false, list_one, &l, err);
    snap_end(&snap);
    return rc ? rc : l.rc;
}
