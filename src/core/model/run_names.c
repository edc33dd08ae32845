/* Names of the enums of bough/run.h and bough/approval.h. Pure. */
#include <bough/approval.h>

#include <string.h>

static const char *const statuses[] = {
    [BOUGH_RUN_QUEUED] = "queued",
    [BOUGH_RUN_RUNNING] = "running",
    [BOUGH_RUN_AWAITING_APPROVAL] = "awaiting_approval",
    [BOUGH_RUN_COMPLETED] = "completed",
    [BOUGH_RUN_FAILED] = "failed",
    [BOUGH_RUN_CANCELLED] = "cancelled",
};
static const char *const runtimes[] = {
    [BOUGH_RUNTIME_MODEL] = "model",
    [BOUGH_RUNTIME_AGENT] = "agent",
    [BOUGH_RUNTIME_EXTERNAL] = "external",
};
static const char *const whys[] = {
    [BOUGH_RUN_START] = "start",
    [BOUGH_RUN_CONTINUE] = "continue",
    [BOUGH_RUN_RESUME] = "resume",
    [BOUGH_RUN_RETRY] = "retry",
};
static const char *const approvals[] = {
    [BOUGH_APPROVAL_PENDING] = "pending",     [BOUGH_APPROVAL_APPROVED] = "approved",
    [BOUGH_APPROVAL_REJECTED] = "rejected",   [BOUGH_APPROVAL_CANCELLED] = "cancelled",
    [BOUGH_APPROVAL_TIMED_OUT] = "timed_out",
};
static const char *const scopes[] = {
    [BOUGH_SCOPE_ONCE] = "once",
    [BOUGH_SCOPE_SESSION] = "session",
    [BOUGH_SCOPE_WORKSPACE] = "workspace",
    [BOUGH_SCOPE_ALWAYS] = "always",
};
static const char *const paths[] = {
    [BOUGH_PATH_NONE] = "",           [BOUGH_PATH_PERSON] = "person",
    [BOUGH_PATH_GRANT] = "grant",     [BOUGH_PATH_POLICY] = "policy",
    [BOUGH_PATH_TIMEOUT] = "timeout", [BOUGH_PATH_RUN_ENDED] = "run_ended",
};

#define COUNT(words) (sizeof(words) / sizeof *(words))
#define NAME(words, i) ((size_t)(i) < COUNT(words) ? (words)[i] : "unknown")

const char *bough_run_status_name(enum bough_run_status status)
{
    return NAME(statuses, status);
}

const char *bough_run_runtime_name(enum bough_run_runtime runtime)
{
    return NAME(runtimes, runtime);
}

const char *bough_run_why_name(enum bough_run_why why)
{
    return NAME(whys, why);
}

const char *bough_approval_status_name(enum bough_approval_status status)
{
    return NAME(approvals, status);
}

const char *bough_approval_scope_name(enum bough_approval_scope scope)
{
    return NAME(scopes, scope);
}

const char *bough_approval_path_name(enum bough_approval_path path)
{
    return NAME(paths, path);
}

static bool word(const char *const *words, size_t n, const char *text, int *out)
{
    for (size_t i = 0; text && i < n; i++)
        if (strcmp(words[i], text) == 0) {
            *out = (int)i;
            return true;
        }
    return false;
}

bool bough_run_status_parse(const char *name, enum bough_run_status *out)
{
    int i;
    bool known = word(statuses, COUNT(statuses), name, &i);

    if (known)
        *out = (enum bough_run_status)i;
    return known;
}

bool bough_run_runtime_parse(const char *name, enum bough_run_runtime *out)
{
    int i;
    bool known = word(runtimes, COUNT(runtimes), name, &i);

    if (known)
        *out = (enum bough_run_runtime)i;
    return known;
}

bool bough_approval_status_parse(const char *name, enum bough_approval_status *out)
{
    int i;
    bool known = word(approvals, COUNT(approvals), name, &i);

    if (known)
        *out = (enum bough_approval_status)i;
    return known;
}

bool bough_approval_scope_parse(const char *name, enum bough_approval_scope *out)
{
    int i;
    bool known = word(scopes, COUNT(scopes), name, &i);

    if (known)
        *out = (enum bough_approval_scope)i;
    return known;
}

bool bough_run_ended(enum bough_run_status status)
{
    return status != BOUGH_RUN_QUEUED && status != BOUGH_RUN_RUNNING &&
           status != BOUGH_RUN_AWAITING_APPROVAL;
}
