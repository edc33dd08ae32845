/* Missing pointers in calls about runs, approvals and grants: refused, never followed. */
#include <string.h>

#include "base/text/str.h"
#include "lib/store_test.h"

/* The check comes before any argument is used, so the others may point anywhere. */
static char any[128];

static void refused(const char *call, enum bough_rc rc, const struct bough_error *err)
{
    if (rc != BOUGH_INVALID || !strstr(err->msg, "NULL"))
        FAIL("%s gives %s", call, bough_rc_name(rc));
}

#define REFUSED(call) refused(#call, call, &err)

TEST(no_call_about_runs_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_run_start(NULL, (void *)any, "x", (void *)any, (void *)any, &err));
    REFUSED(bough_run_start((void *)any, NULL, "x", (void *)any, (void *)any, &err));
    REFUSED(bough_run_start((void *)any, (void *)any, "x", NULL, (void *)any, &err));
    REFUSED(bough_run_start((void *)any, (void *)any, "x", (void *)any, NULL, &err));
    REFUSED(bough_run_get(NULL, (void *)any, "x", (void *)any, &err));
    REFUSED(bough_run_get((void *)any, NULL, "x", (void *)any, &err));
    REFUSED(bough_run_get((void *)any, (void *)any, "x", NULL, &err));
    REFUSED(bough_run_list(NULL, (void *)any, NULL, (void *)any, &err));
    REFUSED(bough_run_list((void *)any, NULL, NULL, (void *)any, &err));
    REFUSED(bough_run_list((void *)any, (void *)any, NULL, NULL, &err));
    REFUSED(bough_run_claim(NULL, (void *)any, "x", (void *)any, (void *)any, &err));
    REFUSED(bough_run_claim((void *)any, NULL, "x", (void *)any, (void *)any, &err));
    REFUSED(bough_run_claim((void *)any, (void *)any, "x", NULL, (void *)any, &err));
    REFUSED(bough_run_claim((void *)any, (void *)any, "x", (void *)any, NULL, &err));
    REFUSED(bough_run_renew(NULL, "x", 1, 0, NULL, &err));
    REFUSED(bough_run_set(NULL, (void *)any, "x", 1, (void *)any, NULL, &err));
    REFUSED(bough_run_set((void *)any, NULL, "x", 1, (void *)any, NULL, &err));
    REFUSED(bough_run_set((void *)any, (void *)any, "x", 1, NULL, NULL, &err));
    REFUSED(bough_run_wait(NULL, "x", 1, 0, &err));
    REFUSED(bough_run_end(NULL, (void *)any, "x", 1, (void *)any, (void *)any, &err));
    REFUSED(bough_run_end((void *)any, NULL, "x", 1, (void *)any, (void *)any, &err));
    REFUSED(bough_run_end((void *)any, (void *)any, "x", 1, NULL, (void *)any, &err));
    REFUSED(bough_run_end((void *)any, (void *)any, "x", 1, (void *)any, NULL, &err));
    REFUSED(bough_run_cancel(NULL, (void *)any, "x", NULL, NULL, &err));
    REFUSED(bough_run_cancel((void *)any, NULL, "x", NULL, NULL, &err));
    REFUSED(bough_run_recover(NULL, NULL, &err));
}

TEST(no_call_about_approvals_crashes_on_a_missing_pointer)
{
    struct bough_error err;

    (void)t;
    REFUSED(bough_approval_add(NULL, (void *)any, "x", 1, (void *)any, (void *)any, &err));
    REFUSED(bough_approval_add((void *)any, NULL, "x", 1, (void *)any, (void *)any, &err));
    REFUSED(bough_approval_add((void *)any, (void *)any, "x", 1, NULL, (void *)any, &err));
    REFUSED(bough_approval_add((void *)any, (void *)any, "x", 1, (void *)any, NULL, &err));
    REFUSED(bough_approval_resolve(NULL, (void *)any, "x", (void *)any, NULL, &err));
    REFUSED(bough_approval_resolve((void *)any, NULL, "x", (void *)any, NULL, &err));
    REFUSED(bough_approval_resolve((void *)any, (void *)any, "x", NULL, NULL, &err));
    REFUSED(bough_approval_get(NULL, (void *)any, "x", (void *)any, &err));
    REFUSED(bough_approval_get((void *)any, NULL, "x", (void *)any, &err));
    REFUSED(bough_approval_get((void *)any, (void *)any, "x", NULL, &err));
    REFUSED(bough_approval_list(NULL, (void *)any, NULL, (void *)any, &err));
    REFUSED(bough_approval_list((void *)any, NULL, NULL, (void *)any, &err));
    REFUSED(bough_approval_list((void *)any, (void *)any, NULL, NULL, &err));
    REFUSED(bough_grant_add(NULL, (void *)any, (void *)any, (void *)any, &err));
    REFUSED(bough_grant_add((void *)any, NULL, (void *)any, (void *)any, &err));
    REFUSED(bough_grant_add((void *)any, (void *)any, NULL, (void *)any, &err));
    REFUSED(bough_grant_add((void *)any, (void *)any, (void *)any, NULL, &err));
    REFUSED(bough_grant_list(NULL, (void *)any, (void *)any, (void *)any, &err));
    REFUSED(bough_grant_list((void *)any, NULL, (void *)any, (void *)any, &err));
    REFUSED(bough_grant_list((void *)any, (void *)any, NULL, (void *)any, &err));
    REFUSED(bough_grant_list((void *)any, (void *)any, (void *)any, NULL, &err));
    REFUSED(bough_grant_get(NULL, (void *)any, "x", (void *)any, &err));
    REFUSED(bough_grant_get((void *)any, NULL, "x", (void *)any, &err));
    REFUSED(bough_grant_get((void *)any, (void *)any, "x", NULL, &err));
    REFUSED(bough_grant_remove(NULL, "x", &err));
}
