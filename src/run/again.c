/* Doing again what a run did. */
#include <bough/bough.h>

#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "run/run.h"

static void read_servers(struct bough_arena *a, struct bough_str names,
                         struct run_begin_options *out)
{
    struct bough_str name;
    struct json_iter it;
    const char **list;
    struct json all;

    if (!names.n || json_parse(a, names, &all, NULL))
        return;
    list = arena_array(a, json_count(all) + 1, sizeof *list);
    it = json_iter(all);
    while (json_next(&it))
        if (json_str(a, it.value, &name))
            list[out->nservers++] = arena_strndup(a, name.p, name.n);
    out->servers = list;
}

void run_like(struct bough_arena *a, const struct bough_run *run, struct run_begin_options *out)
{
    *out = (struct run_begin_options){ .session = run->session,
                                       .runtime = run->runtime,
                                       .after = run->id,
                                       .provider = run->provider,
                                       .model = run->model,
                                       .adapter = run->adapter,
                                       .workspace = run->workspace,
                                       .system_prompt = run->system_prompt,
                                       .limits = run->limits };
    read_servers(a, run->servers, out);
}

/* The path of the run, with the entry before it. */
static enum bough_rc read_path(struct bough_store *s, struct bough_arena *a,
                               const struct bough_run *run, struct bough_entries_read_result *out,
                               struct bough_error *err)
{
    struct bough_entries_read_options how = {
        .from_depth = run->first.depth > 1 ? run->first.depth - 1 : 1,
        .at = arena_printf(a, "#%lld.%lld", (long long)run->last.branch, (long long)run->last.depth)
    };

    return bough_entries_read(s, a, run->session, &how, out, err);
}

enum bough_rc run_turn_at(struct bough_store *s, struct bough_arena *a, const struct bough_run *run,
                          int64_t turn, const char **at, struct bough_error *err)
{
    struct bough_entries_read_result path;
    int64_t seen = 0;
    enum bough_rc rc;

    *at = turn == 1 && *run->prompt ? run->prompt : NULL;
    if (*at || (turn == 1 && !run->last.branch))
        return BOUGH_OK;
    if (!run->last.branch)
        return bough_fail(err, BOUGH_INVALID, "run %s has no turn", run->id);
    rc = read_path(s, a, run, &path, err);
    if (rc)
        return rc;
    for (size_t i = 1; i < path.entries.n; i++)
        if (path.entries.at[i].role == BOUGH_ROLE_ASSISTANT && ++seen == turn) {
            *at = path.entries.at[i - 1].id;
            return BOUGH_OK;
        }
    return bough_fail(err, BOUGH_INVALID, "run %s has %lld turns", run->id, (long long)seen);
}
