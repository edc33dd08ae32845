/* Finds and starts runs. */
#include "cli/runs/find.h"

#include <unistd.h>

#include "base/memory/arena.h"
#include "base/text/str.h"

int find_run(struct cli *c, const char *text, struct bough_run **out)
{
    struct bough_run_list_options latest = { .limit = 1 };
    struct bough_session *s;
    struct bough_runs runs;
    int rc;

    if (bough_run_get(c->s, c->a, text, out, &c->err) == BOUGH_OK)
        return CLI_DONE;
    rc = cli_session(c, text, &s);
    if (rc)
        return rc;
    latest.session = s->id;
    if (bough_run_list(c->s, c->a, &latest, &runs, &c->err))
        return cli_failed(c);
    if (!runs.n) {
        (void)bough_fail(&c->err, BOUGH_NOT_FOUND, "session %s has no run", s->slug);
        return cli_failed(c);
    }
    *out = &runs.at[0];
    return CLI_DONE;
}

const char *run_host(struct cli *c)
{
    char name[256] = "";

    (void)!gethostname(name, sizeof name - 1);
    return arena_printf(c->a, "cli@%s", name);
}

int start_and_follow(struct cli *c, const struct run_begin_options *in, enum follow_approve approve)
{
    struct cli_runner_options how = { .store = c->s,
                                      .host = run_host(c),
                                      .workspace = in->workspace };
    struct cli_runner work;
    struct run_begun begun;
    int rc = CLI_FAILED;

    if (cli_runner_create(c, &how, &work, &c->err) ||
        run_begin(work.runner, c->a, in, &begun, &c->err))
        rc = cli_failed(c);
    else
        rc = follow_run(c, begun.run->id,
                        &(struct follow_options){ .runner = work.runner, .approve = approve });
    cli_runner_destroy(&work);
    return rc;
}
