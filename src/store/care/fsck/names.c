/* fsck, names: aliases, idempotency keys, and the rows they name. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/text/str.h"
#include "store/care/fsck/fsck.h"

/* ---- aliases ---- */

/* The id is "session:ID". */
static void check_session_alias(struct fsck *f, const struct alias_row *row)
{
    static const char prefix[] = "session:";
    struct fsck_session *s = fsck_session_of(f, row->a);
    struct bough_str id = str_of(row->id);

    if (!s) {
        fsck_report(f, RULE_ALIAS, at_text("alias ", row->id),
                    "it names session #%" PRId64 ", which does not exist", row->a);
        return;
    }
    if (s->purged) {
        fsck_leftover(f, s);
        return;
    }
    if (s->damaged)
        s->aliased = true;
    else if (!str_starts(id, prefix) ||
             hash_bytes(id.p + sizeof prefix - 1, id.n - (sizeof prefix - 1)) != s->origin)
        fsck_report(f, RULE_ALIAS, at_text("alias ", row->id),
                    "session #%" PRId64 " did not come with it", row->a);
    else
        s->aliased = true;
}

/* The entry's origin is compared later, as a sum over its branch. */
static void check_entry_alias(struct fsck *f, const struct alias_row *row)
{
    struct fsck_branch *b = fsck_branch_of(f, row->a);
    struct fsck_session *scope = fsck_session_of(f, row->scope);

    if (scope && scope->purged) {
        fsck_leftover(f, scope);
        return;
    }
    if (!fsck_entry_there(f, row->a, row->b))
        fsck_report(f, RULE_ALIAS, at_text("alias ", row->id),
                    "it names #%" PRId64 ".%" PRId64 ", which does not exist", row->a, row->b);
    else if (b->row.sid != row->scope)
        fsck_report(f, RULE_ALIAS, at_text("alias ", row->id),
                    "it is of session #%" PRId64 ", but names #%" PRId64 ".%" PRId64
                    " of another one",
                    row->scope, row->a, row->b);
    /* Aliases for the id of a copy's source are not in the sum. */
    else if (row->what == ALIAS_ENTRY)
        b->alias_sum += fsck_mix((uint64_t)row->b, hash_bytes(row->id, strlen(row->id)));
}

/* The id is "project:NAME", "source:PATH", or the id a call came with. */
static void check_record_alias(struct fsck *f, const struct alias_row *row)
{
    int64_t kind = row->what >> 8, ord = row->b & LIMIT_RECORD;
    struct fsck_session *s = fsck_session_of(f, row->a);
    const struct fsck_group *place = fsck_group_of(f, kind, ord);
    const char *name = strchr(row->id, ':');
    bool named = kind == RECORD_SOURCE || (kind >= RECORD_PROJECT && kind <= RECORD_ACCOUNT);

    if (s && s->purged) {
        fsck_leftover(f, s);
        return;
    }
    if (row->b >> 28 != kind || (kind == RECORD_CALL && !fsck_call_of(f, row->a, ord)) ||
        (named && (!place || row->a)))
        fsck_report(f, RULE_ALIAS, at_text("alias ", row->id),
                    "it names record %" PRId64 ".%" PRId64 ".%" PRId64 ", which does not exist",
                    row->a, kind, ord);
    else if (place && (!name || strcmp(name + 1, place->name) != 0))
        fsck_report(f, RULE_ALIAS, at_text("alias ", row->id), "it names what is called %.80s",
                    place->name);
}

static bool each_alias(void *user, const struct raw_row *raw)
{
    const struct alias_row *row = &raw->u.alias;
    struct fsck *f = user;

    fsck_text(f, at_text("alias ", row->id), "it", str_of(row->id));
    switch ((enum alias_what)(row->what & 0xff)) {
    case ALIAS_SESSION:
        check_session_alias(f, row);
        return true;
    case ALIAS_ENTRY:
        check_entry_alias(f, row);
        return true;
    case ALIAS_RECORD:
        check_record_alias(f, row);
        return true;
    }
    fsck_report(f, RULE_VALUE, at_text("alias ", row->id), "it names something of kind %" PRId64,
                row->what);
    return true;
}

/* ---- keys ---- */

/* The session number, the second of three fields; -1: malformed. */
static int64_t session_in(const char *key)
{
    const char *p = strchr(key, 0x1f);
    int64_t sid = 0;

    if (!p || p[1] == 0x1f)
        return -1;
    for (p++; *p >= '0' && *p <= '9' && sid <= LIMIT_SESSION; p++)
        sid = 10 * sid + (*p - '0');
    return *p == 0x1f && sid <= LIMIT_SESSION ? sid : -1;
}

static bool each_key(void *user, const struct raw_row *raw)
{
    const struct key_row *row = &raw->u.key;
    struct fsck *f = user;
    int64_t sid = session_in(row->key);
    struct fsck_session *s = fsck_session_of(f, sid);

    if (s && s->purged) {
        fsck_leftover(f, s);
        return true;
    }
    if (sid < 0 || (sid && !s)) {
        fsck_report(f, RULE_KEY, at_number("key of log ", row->no), "it is of no session");
        return true;
    }
    f->keys = fsck_push(f->keys, &f->nkeys, &f->keys_cap, sizeof *f->keys);
    f->keys[f->nkeys - 1] = (struct fsck_key){ row->no, sid };
    return true;
}

static int by_no(const void *a, const void *b)
{
    const struct fsck_key *x = a, *y = b;

    return (x->no > y->no) - (x->no < y->no);
}

enum bough_rc fsck_names(struct fsck *f)
{
    enum bough_rc rc = f->ops->raw_scan(f->v, RAW_ALIAS, each_alias, f, f->err);

    if (!rc)
        rc = f->ops->raw_scan(f->v, RAW_KEY, each_key, f, f->err);
    if (rc)
        return rc;
    for (size_t i = 0; i < f->nsessions; i++)
        if (f->sessions[i].origin && !f->sessions[i].aliased)
            fsck_report(f, RULE_ALIAS, at_session(f->sessions[i].sid),
                        "the id it came with has no alias");
    if (f->nkeys)
        qsort(f->keys, f->nkeys, sizeof *f->keys, by_no);
    return BOUGH_OK;
}
