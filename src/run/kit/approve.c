/* Approvals: may a tool call be made? Rules, grants, and a person. */
#include <string.h>

#include "base/text/str.h"
#include "run/runner.h"

/* ---- the policy ---- */

static enum bough_rc find_grant(struct run_work *w, const char *tool, bool *found,
                                struct bough_error *err)
{
    struct bough_grant_list_options which = { .session = w->run->session,
                                              .whole_store = true,
                                              .workspace = w->run->workspace,
                                              .tool = tool };
    struct bough_grants got;
    enum bough_rc rc = bough_grant_list(w->store, w->a, &which, &got, err);

    *found = !rc && got.n > 0;
    return rc;
}

static enum rule_says default_of(const struct work_ask *in)
{
    if (in->otherwise)
        return strcmp(in->otherwise, "allow") == 0  ? RULE_ALLOW
               : strcmp(in->otherwise, "deny") == 0 ? RULE_DENY
                                                    : RULE_ASK;
    return in->reads_only ? RULE_ALLOW : RULE_ASK;
}

/* Deny rules, grants, rules, the default. */
static enum bough_rc decide(struct run_work *w, const struct work_ask *in, enum rule_says *says,
                            bool *granted, struct bough_error *err)
{
    const struct run_settings *s = &w->all->settings;
    enum bough_rc rc;

    *granted = false;
    if (rules_find(s, in->tool, w->run->workspace, true, says))
        return BOUGH_OK;
    rc = find_grant(w, in->tool, granted, err);
    if (rc)
        return rc;
    if (*granted)
        *says = RULE_ALLOW;
    else if (!rules_find(s, in->tool, w->run->workspace, false, says))
        *says = default_of(in);
    return BOUGH_OK;
}

enum bough_rc work_ask(struct run_work *w, const struct work_ask *in, enum work_answer *answer,
                       struct bough_approval **out, struct bough_error *err)
{
    struct bough_approval_add_options add = { .entry = in->entry,
                                              .part = in->part,
                                              .tool = in->tool,
                                              .kind = in->kind,
                                              .title = in->title,
                                              .options = in->options,
                                              .expires = in->expires };
    enum rule_says says = RULE_ASK;
    bool granted;
    enum bough_rc rc = decide(w, in, &says, &granted, err);

    *out = NULL;
    if (rc)
        return rc;
    *answer = says == RULE_ALLOW ? WORK_ALLOWED : says == RULE_DENY ? WORK_DENIED : WORK_PENDING;
    if (says == RULE_ALLOW && !granted)
        return BOUGH_OK;
    if (says == RULE_ALLOW) {
        add.status = BOUGH_APPROVAL_APPROVED;
        add.path = BOUGH_PATH_GRANT;
    } else if (says == RULE_DENY) {
        add.status = BOUGH_APPROVAL_REJECTED;
        add.path = BOUGH_PATH_POLICY;
    }
    if (says != RULE_ASK)
        add.expires = 0;
    return bough_approval_add(w->store, w->a, w->run->id, w->epoch, &add, out, err);
}
