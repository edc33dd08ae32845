/* Changes of a run that has ended: listed, shown and taken back. */
#include <bough/bough.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/activity/activity.h"
#include "run/external/git.h"

enum { NOTE_MOST = 64 << 10 };

/* ---- listing ---- */

/* One record of `git diff-tree --numstat -z`: "1\t2\tpath". */
static void take_count(struct bough_arena *a, const char *record, struct diff_file *f)
{
    const char *second = strchr(record, '\t'), *path = second ? strchr(second + 1, '\t') : NULL;

    *f = (struct diff_file){ .path = "", .status = "modified" };
    if (!path)
        return;
    if (*record == '-')
        f->status = "binary";
    f->additions = *record == '-' ? 0 : strtoll(record, NULL, 10);
    f->deletions = second[1] == '-' ? 0 : strtoll(second + 1, NULL, 10);
    f->path = arena_strdup(a, path + 1);
}

static int by_path(const void *one, const void *other)
{
    const struct diff_file *x = one, *y = other;

    return strcmp(x->path, y->path);
}

static struct diff_file *find(const struct diff_files *all, const char *path)
{
    struct diff_file key = { .path = path };

    return all->n ? bsearch(&key, all->at, all->n, sizeof *all->at, by_path) : NULL;
}

/* "A\0path\0M\0path\0": what became of each file. */
static void take_states(struct bough_str out, struct diff_files *files)
{
    const char *p = out.p, *end = out.p + out.n;

    while (p < end) {
        const char *path = p + strlen(p) + 1;
        struct diff_file *f = path < end ? find(files, path) : NULL;

        if (f && strcmp(f->status, "binary") != 0)
            f->status = *p == 'A' ? "added" : *p == 'D' ? "deleted" : "modified";
        if (path >= end)
            return;
        p = path + strlen(path) + 1;
    }
}

static bool diff_tree(struct bough_arena *a, const struct diff_state *s, const char *what,
                      struct bough_str *out)
{
    const char *const argv[] = { "diff-tree", "-r",      "-z",     "--no-renames",
                                 what,        s->before, s->after, NULL };
    struct git_call call = { .dir = s->root, .argv = argv };

    return git_run(a, &call, out);
}

enum bough_rc diff_between(struct bough_arena *a, const struct diff_state *s,
                           struct diff_files *out, struct bough_error *err)
{
    struct bough_str counts, states;

    *out = (struct diff_files){ 0 };
    if (!diff_tree(a, s, "--numstat", &counts) || !diff_tree(a, s, "--name-status", &states))
        return bough_fail(err, BOUGH_NOT_READY,
                          "the repository %.150s does not have the run's trees", s->root);
    for (const char *p = counts.p; p < counts.p + counts.n; p += strlen(p) + 1) {
        if (out->n == DIFF_FILES_MOST)
            return bough_fail(err, BOUGH_TOO_LARGE, "the run has changed more than %d files",
                              DIFF_FILES_MOST);
        out->at = arena_room(a, out->at, out->n, sizeof *out->at);
        take_count(a, p, &out->at[out->n++]);
    }
    if (out->n)
        qsort(out->at, out->n, sizeof *out->at, by_path);
    take_states(states, out);
    return BOUGH_OK;
}

/* False: the run has no two trees. */
static bool state_of(struct bough_arena *a, const struct bough_run *run, struct diff_state *s)
{
    return diff_state_read(a, run->git, s) && s->after;
}

enum bough_rc diff_list(struct bough_arena *a, const struct bough_run *run, struct diff_files *out,
                        struct bough_error *err)
{
    struct diff_state s;

    *out = (struct diff_files){ 0 };
    return state_of(a, run, &s) ? diff_between(a, &s, out, err) : BOUGH_OK;
}

/* ---- text ---- */

enum bough_rc diff_text_of(struct bough_arena *a, const struct diff_state *s,
                           const char *const *paths, size_t n, struct bough_str *out,
                           struct bough_error *err)
{
    static const char *const first[] = { "diff-tree", "-r",           "-p",
                                         "--binary",  "--no-renames", "--full-index" };
    const size_t k = sizeof first / sizeof *first;
    const char **argv = arena_array(a, k + n + 4, sizeof *argv);
    struct git_call call = { .dir = s->root, .argv = argv, .most = DIFF_BYTES_MOST };

    memcpy(argv, first, sizeof first);
    argv[k] = s->before;
    argv[k + 1] = s->after;
    argv[k + 2] = "--";
    for (size_t i = 0; i < n; i++)
        argv[k + 3 + i] = arena_printf(a, ":(top,literal)%s", paths[i]);
    if (git_run(a, &call, out))
        return BOUGH_OK;
    return bough_fail(err, BOUGH_NOT_READY, "git cannot show the changes of this run: %.150s",
                      out->p);
}

static enum bough_rc check_paths(struct bough_arena *a, const struct diff_state *s,
                                 const char *const *paths, size_t n, struct bough_error *err)
{
    struct diff_files files;
    enum bough_rc rc = diff_between(a, s, &files, err);

    for (size_t i = 0; i < n && !rc; i++)
        if (!find(&files, paths[i]))
            rc = bough_fail(err, BOUGH_NOT_FOUND, "the run has not changed %.150s", paths[i]);
    return rc;
}

enum bough_rc diff_text(struct bough_arena *a, const struct bough_run *run, const char *path,
                        struct bough_str *out, struct bough_error *err)
{
    struct diff_state s;
    enum bough_rc rc;

    *out = str_of("");
    if (!state_of(a, run, &s))
        return path ? bough_fail(err, BOUGH_NOT_FOUND, "the run has not changed %.150s", path)
                    : BOUGH_OK;
    rc = path ? check_paths(a, &s, &path, 1, err) : BOUGH_OK;
    return rc ? rc : diff_text_of(a, &s, &path, path ? 1 : 0, out, err);
}

/* ---- taking back ---- */

static bool apply_back(struct bough_arena *a, const char *root, bool check, struct bough_str diff,
                       struct bough_str *said)
{
    const char *const argv[] = {
        "apply", "--reverse", "--whitespace=nowarn", check ? "--check" : "--verbose", "-", NULL
    };
    struct git_call call = { .dir = root, .argv = argv, .in = diff };

    return git_run(a, &call, said);
}

enum bough_rc diff_revert(struct bough_arena *a, const struct bough_run *run,
                          const char *const *paths, size_t n, struct bough_error *err)
{
    struct bough_str diff = { "", 0 }, said;
    struct diff_state s;
    enum bough_rc rc;

    if (!state_of(a, run, &s))
        return bough_fail(err, BOUGH_NOT_FOUND, "the run has changed nothing that is known");
    rc = check_paths(a, &s, paths, n, err);
    if (!rc)
        rc = diff_text_of(a, &s, paths, n, &diff, err);
    if (rc || !diff.n)
        return rc;
    if (!apply_back(a, s.root, true, diff, &said))
        return bough_fail(err, BOUGH_CONFLICT, "a file has changed since: %.180s", said.p);
    if (!apply_back(a, s.root, false, diff, &said))
        return bough_fail(err, BOUGH_IO, "git could not take the changes back: %.150s", said.p);
    return BOUGH_OK;
}

enum bough_rc run_tell_reverted(struct bough_store *s, struct bough_arena *a,
                                const struct bough_run *run, size_t n, struct bough_error *err)
{
    struct bough_entry_new e = { .kind = BOUGH_ENTRY_CUSTOM };
    struct bough_append_options how = { .entries = &e, .n = 1 };
    struct bough_append_result out;
    const char *title =
        n ? arena_printf(a, "%zu files were taken back", n) : "All changes were taken back";
    struct json_writer w;
    struct buf b;

    buf_init(&b, NOTE_MOST);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_cstr(&w, "customType", ACTIVITY_NOTE);
    jw_key(&w, "data");
    jw_obj(&w);
    jw_kv_cstr(&w, "type", "files_reverted");
    jw_kv_cstr(&w, "status", "completed");
    jw_kv_cstr(&w, "title", title);
    jw_kv_cstr(&w, "kind", run->id);
    jw_end_obj(&w);
    jw_end_obj(&w);
    e.data = buf_give(&b, a);
    return bough_append(s, a, run->session, &how, &out, err);
}
