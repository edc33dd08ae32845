/* What was spent: calls, tokens and money by day, model, project, session or account. */
#ifndef BOUGH_SPEND_H
#define BOUGH_SPEND_H

#include <bough/session.h>

#ifdef __cplusplus
extern "C" {
#endif

enum bough_spend_step {
    BOUGH_SPEND_WHOLE, /* no series */
    BOUGH_SPEND_DAILY,
    BOUGH_SPEND_WEEKLY, /* from Monday on */
    BOUGH_SPEND_MONTHLY,
};

enum bough_spend_by {
    BOUGH_SPEND_TOGETHER, /* one group */
    BOUGH_SPEND_BY_MODEL, /* provider and model that answered */
    BOUGH_SPEND_BY_PROVIDER,
    BOUGH_SPEND_BY_PROJECT,
    BOUGH_SPEND_BY_SESSION,
    BOUGH_SPEND_BY_ACCOUNT,
    BOUGH_SPEND_BY_ROLE, /* role_name of the session */
};

struct bough_spend_options {
    int64_t since, until; /* times. Days are whole, in UTC: from the day of `since` to the last day
                             that begins before `until`. 0: from the first, to the last call */
    enum bough_spend_step step;
    enum bough_spend_by by;
    const char *project, *account; /* only calls stored while the session belonged to it; NULL or
                                      "": any */
    const char *session;  /* only this session and its subagents at any depth; NULL or "": any */
    int64_t limit;        /* groups; the rest is added up in one more. 0: all */
    bool previous;        /* the equally long period before, too; needs `since` */
    bool adjusted;        /* and what was adjusted by hand */
    bool sparse;          /* leave empty steps out of the series */
    uint64_t reserved[6]; /* room to grow: must be 0 */
};

/* The sum of some calls. Deleted calls count: money stays spent. So do purged sessions, but not as
 * sessions. */
struct bough_spent {
    int64_t calls;
    int64_t unknown;  /* calls that used tokens, but whose cost is not known */
    int64_t sessions; /* that made them */
    struct bough_totals used;
    int64_t duration;     /* ms */
    uint64_t reserved[4]; /* room to grow */
};

struct bough_spend_group {
    const char *key;  /* "provider/model", a name, a session's id. "": calls without one, those of
                         purged sessions, and with `project` of sessions that have left it. NULL:
                         the rest beyond `limit` */
    const char *name; /* for people: a session's title, or the beginning of its first message */
    const struct bough_session *session; /* BY_SESSION; else NULL */
    struct bough_spent spent;
    uint64_t reserved[4]; /* room to grow */
};

/* What one group spent in one step. */
struct bough_spend_part {
    size_t group; /* index in `groups` */
    struct bough_spent spent;
    uint64_t reserved[2]; /* room to grow */
};

struct bough_spend_bucket {
    int64_t from;                      /* when it begins */
    const struct bough_spend_part *at; /* groups that spent something, in their order */
    size_t n;
    uint64_t reserved[4]; /* room to grow */
};

struct bough_spend_result {
    int64_t since, until; /* the whole days that were looked at; 0: no end */
    struct bough_spent total;
    struct bough_spent previous;      /* of the equally long period before, if asked for */
    struct bough_spend_group *groups; /* by cost, then by calls, then by key; the rest is last */
    size_t ngroups;
    struct bough_spend_bucket *series; /* every step from the first to the last; with `sparse` only
                                          those in which something was spent */
    size_t nseries;
    int64_t session_median, session_p90; /* nano-USD: what a session spent in this time */
    struct bough_totals adjusted; /* by hand, with bough_totals_add() or _propagate(), in sessions
                                     that are no subagents */
    uint64_t reserved[8];         /* room to grow */
};

/* Add up what was spent. BOUGH_NOT_FOUND: there is no such session. A project or account that does
 * not exist has spent nothing. BOUGH_TOO_LARGE: more than 4,000 steps, unless `sparse`. */
BOUGH_MUST_CHECK enum bough_rc bough_spend(struct bough_store *s, struct bough_arena *a,
                                           const struct bough_spend_options *how,
                                           struct bough_spend_result *out, struct bough_error *err);

#ifdef __cplusplus
}
#endif
#endif
