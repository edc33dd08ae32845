/* Trees of a workspace before and after a run, and the patch part between them. */
#include "run/external/diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "base/text/str.h"
#include "run/external/git.h"

enum { INDEX_MOST = 256 << 20, STATE_MOST = 64 << 10, PATCH_MOST = 4 << 20 };

/* The first line of what git says; NULL: it failed. */
static const char *line_of(struct bough_arena *a, const char *dir, const char *const *argv,
                           const char *index)
{
    struct git_call call = { .dir = dir, .argv = argv, .index = index };
    struct bough_str out;

    if (!git_run(a, &call, &out))
        return NULL;
    return arena_strndup(a, out.p, strcspn(out.p, "\n"));
}

#define GIT_LINE(a, dir, ...) line_of(a, dir, (const char *const[]){ __VA_ARGS__, NULL }, NULL)

/* ---- trees ---- */

/* A copy of the repository's index: what has not changed need not be read again. */
static char *copy_index(struct bough_arena *a, const char *folder)
{
    const char *path =
        GIT_LINE(a, folder, "rev-parse", "--path-format=absolute", "--git-path", "index");
    const char *tmp = getenv("TMPDIR");
    char *copy = arena_printf(a, "%s/bough-index-%d-%016llx", tmp ? tmp : "/tmp", (int)getpid(),
                              (unsigned long long)env_u64(&env_system));
    struct bough_arena *own = bough_arena_create();
    struct bough_str bytes;

    if (path && fs_read(own, path, INDEX_MOST, &bytes, NULL) == BOUGH_OK &&
        fs_write_new(copy, bytes, 0600, NULL) != BOUGH_OK)
        copy = NULL;
    bough_arena_destroy(own);
    return copy;
}

/* The tree of a folder's repository as the files are now; NULL: it cannot be made. */
static const char *tree_of(struct bough_arena *a, const char *folder)
{
    char *index = copy_index(a, folder);
    const char *const add[] = { "add", "--all", "--", ".", NULL };
    const char *const write[] = { "write-tree", NULL };
    const char *tree = NULL;

    if (!index)
        return NULL;
    if (line_of(a, folder, add, index))
        tree = line_of(a, folder, write, index);
    unlink(index);
    unlink(arena_printf(a, "%s.lock", index));
    return tree;
}

static struct bough_str state_json(struct bough_arena *a, const struct diff_state *s)
{
    struct json_writer w;
    struct buf b;

    buf_init(&b, STATE_MOST);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_cstr(&w, "root", s->root);
    jw_opt_cstr(&w, "head", s->head);
    jw_opt_cstr(&w, "branch", s->branch);
    jw_kv_cstr(&w, "before", s->before);
    jw_opt_cstr(&w, "after", s->after);
    jw_end_obj(&w);
    return buf_give(&b, a);
}

bool diff_state_read(struct bough_arena *a, struct bough_str json, struct diff_state *out)
{
    struct json root;

    *out = (struct diff_state){ 0 };
    if (!json.n || json_parse(a, json, &root, NULL))
        return false;
    out->root = json_cstr(a, root, "root");
    out->head = json_cstr(a, root, "head");
    out->branch = json_cstr(a, root, "branch");
    out->before = json_cstr(a, root, "before");
    out->after = json_cstr(a, root, "after");
    return out->root && out->before;
}

struct bough_str diff_begin(struct bough_arena *a, const char *folder)
{
    struct diff_state s = { 0 };

    s.root = GIT_LINE(a, folder, "rev-parse", "--show-toplevel");
    if (cstr_empty(s.root))
        return str_of("");
    s.head = GIT_LINE(a, folder, "rev-parse", "--verify", "--quiet", "HEAD");
    s.branch = GIT_LINE(a, folder, "symbolic-ref", "--quiet", "--short", "HEAD");
    s.before = tree_of(a, folder);
    return s.before ? state_json(a, &s) : str_of("");
}

/* ---- the patch ---- */

static struct bough_str patch_part(struct bough_arena *a, const struct diff_state *s,
                                   const struct diff_files *files)
{
    int64_t additions = 0, deletions = 0;
    struct json_writer w;
    struct buf b;

    buf_init(&b, PATCH_MOST);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_cstr(&w, "type", "patch");
    jw_kv_cstr(&w, "hash", s->after);
    jw_key(&w, "files");
    jw_arr(&w);
    for (size_t i = 0; i < files->n; i++) {
        jw_cstr(&w, files->at[i].path);
        additions += files->at[i].additions;
        deletions += files->at[i].deletions;
    }
    jw_end_arr(&w);
    jw_kv_cstr(&w, "before", s->before);
    jw_kv_i64(&w, "additions", additions);
    jw_kv_i64(&w, "deletions", deletions);
    jw_end_obj(&w);
    return buf_give(&b, a);
}

bool diff_end(struct bough_arena *a, const char *folder, struct bough_str before,
              struct diff_turn *out)
{
    struct diff_files files;
    struct diff_state s;

    *out = (struct diff_turn){ 0 };
    if (!diff_state_read(a, before, &s))
        return false;
    s.after = tree_of(a, folder);
    if (!s.after || diff_between(a, &s, &files, NULL))
        return false;
    out->git = state_json(a, &s);
    if (!files.n)
        return true;
    out->patch = patch_part(a, &s, &files);
    if (diff_text_of(a, &s, NULL, 0, &out->text, NULL) || out->text.n > DIFF_KEPT_MOST)
        out->text = str_of("");
    return true;
}
