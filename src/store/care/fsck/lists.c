/* fsck, lists: compare list rows and spend rows with values computed again from the rows they are
 * derived from. */
#include <inttypes.h>
#include <stdio.h>

#include "base/text/str.h"
#include "core/model/text.h"
#include "core/model/totals.h"
#include "store/care/fsck/fsck.h"

struct check {
    struct fsck *f;
    const struct fsck_session *s;
    enum fsck_rule rule;
};

static void same_number(const struct check *c, const char *what, int64_t stored, int64_t want)
{
    if (stored != want)
        fsck_report(c->f, c->rule, at_session(c->s->sid),
                    "the list says %s is %" PRId64 ", it is %" PRId64, what, stored, want);
}

static void same_totals(const struct check *c, const char *what, const struct bough_totals *stored,
                        const struct bough_totals *want)
{
    char name[64];
    const struct {
        const char *what;
        int64_t stored, want;
    } numbers[] = {
        { "input", stored->input, want->input },
        { "output", stored->output, want->output },
        { "reasoning", stored->reasoning, want->reasoning },
        { "cache read", stored->cache_read, want->cache_read },
        { "cache write", stored->cache_write, want->cache_write },
        { "cost", stored->cost, want->cost },
    };

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        snprintf(name, sizeof name, "%s %s", what, numbers[i].what);
        same_number(c, name, numbers[i].stored, numbers[i].want);
    }
}

static void same_preview(const struct check *c, const char *what, const char *text, int64_t no,
                         const struct fsck_preview *want)
{
    same_number(c, what, no, want->no);
    if (no == want->no && (want->no ? hash_bytes(text, strlen(text)) != want->text : *text != '\0'))
        fsck_report(c->f, c->rule, at_session(c->s->sid), "the text of %s is not that of its entry",
                    what);
}

/* ---- totals ---- */

/*
 * Children have larger numbers than their parents, so going backwards each session is complete when
 * its turn comes. The usage of a purged session is an adjustment of its heir; the usage below it
 * still counts.
 */
static void roll_up(struct fsck *f)
{
    for (size_t i = f->nsessions; i-- > 0;) {
        const struct fsck_session *s = &f->sessions[i];
        struct fsck_session *up = s->kind == BOUGH_SUBAGENT ? fsck_session_of(f, s->parent) : NULL;

        if (!up)
            continue;
        if (up >= s || s->totals_unknown || !totals_add(&up->below, &s->below) ||
            !totals_add(&up->below, &s->own) || !totals_add(&up->below, &s->rolls))
            up->totals_unknown = true;
    }
}

static void check_totals(const struct check *c, const struct list_body *b)
{
    const struct fsck_session *s = c->s;

    same_totals(c, "own", &b->own, &s->own);
    same_totals(c, "below", &b->below, &s->below);
    same_totals(c, "adjusted", &b->adjust, &s->adjust);
    same_totals(c, "rolling", &b->rolls, &s->rolls);
    same_number(c, "the number of calls", b->calls, s->calls);
    same_number(c, "the last call", b->last_call_ord, s->call_ord);
    same_number(c, "the time of the last call", b->last_call_time, s->call_time);
    same_number(c, "the cost of the last call", b->last_cost, s->call_cost);
    if (s->call_ord && b->last_call_ord == s->call_ord &&
        s->call_names != fsck_mix(fsck_mix(hash_bytes(b->last_model, strlen(b->last_model)),
                                           hash_bytes(b->last_provider, strlen(b->last_provider))),
                                  hash_bytes(b->last_request_id, strlen(b->last_request_id))))
        fsck_report(c->f, c->rule, at_session(s->sid),
                    "the list names another model for the last call");
}

/* ---- columns ---- */

static void check_hay(const struct check *c, const struct list_row *row, const struct list_body *b)
{
    const struct fsck_group *place = fsck_group_of(c->f, RECORD_PROJECT, c->s->project);
    struct bough_str project = text_fold(c->f->tmp, str_of(place ? place->name : ""));
    struct bough_str first = text_fold(c->f->tmp, str_of(b->first_user));
    const char *rest = arena_printf(c->f->tmp, "%s\n%s", project.p, first.p);
    struct bough_str hay = str_of(row->hay);

    if (c->s->project && !place)
        return; /* already reported */
    if (hay.n < c->s->title_n || hash_bytes(hay.p, c->s->title_n) != c->s->title ||
        strcmp(hay.p + c->s->title_n, rest) != 0)
        fsck_report(c->f, c->rule, at_session(c->s->sid),
                    "what searches look through is not its own text");
}

static void check_columns(const struct check *c, const struct list_row *row)
{
    const struct fsck_session *s = c->s, *up = fsck_session_of(c->f, s->parent);

    same_number(c, "its kind", row->kind, s->kind);
    same_number(c, "its status", row->status, s->status);
    same_number(c, "its project", row->project, s->project);
    same_number(c, "its workspace", row->workspace, s->workspace);
    same_number(c, "its account", row->account, s->account);
    if (up || !s->parent) /* a missing parent is already reported */
        same_number(c, "its parent", row->parent, up && !up->purged ? s->parent : 0);
    same_number(c, "its creation time", row->created, s->created);
    same_number(c, "its deletion time", row->deleted, s->deleted);
    if (!c->f->log_damaged)
        same_number(c, "its last change", row->updated, s->updated);
    if (s->names != fsck_mix(hash_bytes(row->role_name, strlen(row->role_name)),
                             hash_bytes(row->provider_path, strlen(row->provider_path))) +
                        fsck_mix(hash_bytes(row->model_name, strlen(row->model_name)),
                                 hash_bytes(row->model_provider, strlen(row->model_provider))))
        fsck_report(c->f, c->rule, at_session(s->sid),
                    "the list has another role, provider path or model");
}

/* Own, below and adjusted; with manual totals adjusted alone. Sums end at the largest number. */
static int64_t rolled_cost(const struct fsck_session *s)
{
    struct bough_totals t = s->adjust;

    if (s->totals_mode == BOUGH_TOTALS_AUTO &&
        (!totals_add(&t, &s->own) || !totals_add(&t, &s->below)))
        return INT64_MAX;
    return t.cost;
}

static void check_derived(struct check *c, const struct list_row *row, const struct list_body *b)
{
    const struct fsck_session *s = c->s;

    c->rule = RULE_TOTALS;
    if (!s->totals_unknown)
        check_totals(c, b);
    same_number(c, "the number of messages", b->messages, s->messages);
    c->rule = RULE_LIST;
    check_columns(c, row);
    same_number(c, "its totals mode", b->totals_mode, s->totals_mode);
    same_number(c, "its last message", row->modified, s->modified ? s->modified : s->created);
    if (!c->f->log_damaged)
        same_number(c, "its last number", b->rev, s->rev);
    same_preview(c, "the first user message", b->first_user, b->first_user_no, &s->first_user);
    same_preview(c, "the last user message", b->last_user, b->last_user_no, &s->last_user);
    same_preview(c, "the last answer", b->last_agent, b->last_agent_no, &s->last_agent);
    check_hay(c, row, b);
    same_number(c, "the number of errors", b->errors, s->errors);
    same_number(c, "the last message", b->last_no, s->last_no);
    same_number(c, "the state of the last message", b->last_state, s->last_state);
    same_number(c, "its column of errors", row->errors, s->errors);
    same_number(c, "its column of the last state", row->last_state, s->last_state);
    if (!s->totals_unknown)
        same_number(c, "its column of cost", row->cost, rolled_cost(s));
    if (strcmp(row->last_model, b->last_model) != 0)
        fsck_report(c->f, c->rule, at_session(s->sid), "its column of the last model is another");
}

/* ---- the pass ---- */

static bool each_list(void *user, const struct raw_row *raw)
{
    const struct list_row *row = &raw->u.list;
    struct fsck *f = user;
    struct fsck_session *s = fsck_session_of(f, row->sid);
    struct check c = { f, s, RULE_LIST };
    struct list_body b;
    struct bough_error why;

    bough_arena_reset(f->tmp);
    if (!s || (s->purged && !s->pending)) {
        fsck_report(f, RULE_ORPHAN, at_session(row->sid), "it is in the lists, but %s",
                    s ? "was purged" : "does not exist");
        return true;
    }
    s->has_list = true;
    if (body_read(list_fields, row->body, &b, &why))
        fsck_report(f, RULE_VALUE, at_session(row->sid), "its list row: %.150s", why.msg);
    else if (b.rev > f->watermark) /* its changes would be counted twice */
        fsck_report(f, RULE_LIST, at_session(row->sid),
                    "the list has applied number %" PRId64 ", but the lists' watermark is %" PRId64,
                    b.rev, f->watermark);
    else if (f->level >= BOUGH_FSCK_FULL && !s->pending && !s->damaged)
        check_derived(&c, row, &b);
    return true;
}

/* ---- what was spent ---- */

/* Linear in the numbers: adding up calls and adding up rows gives the same sum. */
bool fsck_spend(void *user, const struct spend_row *row)
{
    const int64_t key[] = { row->day, row->sid, row->project, row->account };
    const int64_t *numbers = &row->calls;
    uint64_t *sum = user, at = fsck_mix(hash_bytes(row->provider, strlen(row->provider)),
                                        hash_bytes(row->model, strlen(row->model)));

    if (*row->principal)
        at = fsck_mix(at, hash_bytes(row->principal, strlen(row->principal)));
    for (int i = 0; i < 4; i++)
        at = fsck_mix(at, (uint64_t)key[i]);
    for (int i = 0; i < SPEND_NUMBERS; i++)
        *sum += fsck_mix(at, (uint64_t)i) * (uint64_t)numbers[i];
    return true;
}

static bool each_spend(void *user, const struct raw_row *raw)
{
    const struct spend_row *row = &raw->u.spend;
    const int64_t *numbers = &row->calls;
    struct fsck *f = user;
    struct fsck_session *s = row->sid ? fsck_session_of(f, row->sid) : &f->store;
    struct fsck_where at = at_session(row->sid);

    if (!s || (s->purged && !s->pending)) {
        fsck_report(f, RULE_ORPHAN, at, "it spends, but %s", s ? "was purged" : "does not exist");
        return true;
    }
    for (int i = 0; i < SPEND_NUMBERS; i++) {
        if (!fsck_range(f, at, "a number of its spend row", numbers[i], 0, INT64_MAX))
            return true;
        if (numbers[i] == INT64_MAX) /* a sum ended there */
            s->spend_unknown = true;
    }
    if (!fsck_text(f, at, "the provider of its spend row", str_of(row->provider)) ||
        !fsck_text(f, at, "the model of its spend row", str_of(row->model)) ||
        !fsck_text(f, at, "the principal of its spend row", str_of(row->principal)))
        return true;
    return fsck_spend(&s->spend_stored, row);
}

static void check_spend(struct fsck *f, const struct fsck_session *s)
{
    if (s->spend == s->spend_stored || s->pending || s->spend_unknown || s->purged || s->damaged)
        return;
    fsck_report(f, RULE_SPEND, s->sid ? at_session(s->sid) : at_text("purged sessions", ""),
                "what it spent by day and model is not what its calls add up to");
}

enum bough_rc fsck_lists(struct fsck *f)
{
    enum bough_rc rc;

    roll_up(f);
    rc = f->ops->raw_scan(f->v, RAW_LIST, each_list, f, f->err);
    if (!rc && f->level >= BOUGH_FSCK_FULL) {
        rc = f->ops->raw_scan(f->v, RAW_SPEND, each_spend, f, f->err);
        check_spend(f, &f->store);
        for (size_t i = 0; i < f->nsessions && !rc; i++)
            check_spend(f, &f->sessions[i]);
    }
    for (size_t i = 0; i < f->nsessions && !rc; i++) {
        const struct fsck_session *s = &f->sessions[i];

        if (!s->purged && !s->has_list && !s->pending)
            fsck_report(f, RULE_ORPHAN, at_session(s->sid), "it is in no list");
    }
    return rc;
}
