/* Going to another place of a session's tree. */
#include "gateway/summary/navigate.h"

#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/str.h"
#include "gateway/summary/transcript.h"

enum { SUMMARY_TOKENS = 4096, BRANCH_MOST = 400 << 10 /* bytes: about 100,000 tokens */ };

static const char system_text[] =
    "You summarise a branch of a conversation between a person and an AI agent. The person goes "
    "back to an earlier point and on from there; your summary tells the agent what was tried on "
    "this branch. Answer with the summary only.";

static const char task_text[] =
    "Write a summary of the branch above: what was asked for, what was tried and found out, which "
    "files were read or changed, what was decided and why, and what was left undone. Keep exact "
    "names, paths and error messages.";

/* ---- where to go ---- */

struct place {
    struct bough_entry *chosen;
    const char *target; /* id; NULL: nothing */
    struct bough_entry *from;
};

static const char *text_of(struct bough_arena *a, const struct bough_entry *e)
{
    struct buf b;

    buf_init(&b, 64 << 20);
    for (size_t i = 0; i < e->nparts; i++)
        if (e->parts[i].type == BOUGH_PART_TEXT)
            buf_put_str(&b, bough_part_plain(a, &e->parts[i]));
    return buf_give(&b, a).p; /* a C string: a buffer ends with a NUL */
}

static enum bough_rc find_place(struct bough_arena *a, const struct navigate_options *in,
                                struct place *p, struct navigate_result *out,
                                struct bough_error *err)
{
    struct bough_entries_read_options how = { .at = in->entry, .newest = true, .limit = 2 };
    struct bough_entries_read_result path;
    struct bough_head at;
    enum bough_rc rc = bough_entry_get(in->store, a, in->session, in->entry, &p->chosen, err);

    if (!rc)
        rc = bough_head_get(in->store, a, in->session, &at, &p->from, err);
    if (!rc)
        rc = bough_entries_read(in->store, a, in->session, &how, &path, err);
    if (rc)
        return rc;
    p->target = p->chosen->id;
    if ((p->chosen->kind == BOUGH_ENTRY_MESSAGE && p->chosen->role == BOUGH_ROLE_USER) ||
        p->chosen->kind == BOUGH_ENTRY_CUSTOM_MESSAGE) {
        p->target = path.entries.n == 2 ? path.entries.at[0].id : NULL;
        out->text = text_of(a, p->chosen);
    }
    out->head = p->target;
    return BOUGH_OK;
}

/* ---- the summary ---- */

/* The entries of the old path behind the deepest one that both share, newest first until the room
 * is used up, as text in order. Results of tools are left out (P31). */
static enum bough_rc branch_text(struct bough_arena *a, const struct navigate_options *in,
                                 const struct place *p, const char **out, struct bough_error *err)
{
    struct bough_entries_read_result path;
    struct bough_entry *common = NULL;
    enum bough_rc rc = BOUGH_OK;
    size_t first, room = BRANCH_MOST;
    struct buf b;

    if (p->target)
        rc = bough_tree_common(in->store, a, in->session, p->target, p->from->id, &common, err);
    if (rc == BOUGH_NOT_FOUND) /* they share nothing: all of the old path */
        rc = BOUGH_OK;
    if (!rc)
        rc = bough_entries_read(in->store, a, in->session, NULL, &path, err);
    if (rc)
        return rc;
    for (first = path.entries.n; first > 0; first--) {
        const struct bough_entry *e = &path.entries.at[first - 1];
        size_t size = (size_t)transcript_tokens(a, e) * 4;

        if ((common && strcmp(e->id, common->id) == 0) || size > room)
            break;
        room -= size;
    }
    buf_init(&b, TRANSCRIPT_MOST);
    for (size_t i = first; i < path.entries.n; i++)
        if (!transcript_results(&path.entries.at[i]))
            transcript_put(&b, a, &path.entries.at[i]);
    *out = arena_strndup(a, b.p, b.n);
    buf_finish(&b);
    return BOUGH_OK;
}

static enum bough_rc ask_summary(struct gateway *g, struct bough_arena *a,
                                 const struct navigate_options *in, const struct place *p,
                                 const char **out, struct bough_error *err)
{
    struct complete_options ask = { .store = in->store,
                                    .session = in->session,
                                    .purpose = "branch_summary",
                                    .provider = cstr_empty(in->provider) ? NULL : in->provider,
                                    .model = in->model,
                                    .system = system_text,
                                    .max_output = SUMMARY_TOKENS };
    struct bough_session *s;
    const char *text;
    enum bough_rc rc = bough_session_get(in->store, a, in->session, &s, err);

    if (!rc)
        rc = branch_text(a, in, p, &text, err);
    if (rc)
        return rc;
    if (!*text)
        return bough_fail(err, BOUGH_CONFLICT, "there is nothing to summarise on this branch");
    if (cstr_empty(ask.model))
        ask.model = *s->model_name ? s->model_name : s->last_model;
    if (cstr_empty(ask.model))
        return bough_fail(err, BOUGH_INVALID, "name a model: the session has none yet");
    ask.prompt =
        arena_printf(a, "<branch>\n%s</branch>\n\n%s%s%s", text, task_text,
                     cstr_empty(in->instructions) ? "" : "\n\nThe person asks in addition: ",
                     cstr_empty(in->instructions) ? "" : in->instructions);
    return complete(g, a, &ask, out, err);
}

/* ---- all of it ---- */

static enum bough_rc go(const struct navigate_options *in, const struct place *p,
                        struct bough_error *err)
{
    return p->target ? bough_head_move(in->store, in->session, p->target, err)
                     : bough_head_reset(in->store, in->session, err);
}

enum bough_rc navigate(struct gateway *g, struct bough_arena *a, const struct navigate_options *in,
                       struct navigate_result *out, struct bough_error *err)
{
    struct place p = { 0 };
    const char *text = NULL;
    enum bough_rc rc;

    *out = (struct navigate_result){ 0 };
    rc = find_place(a, in, &p, out, err);
    if (rc)
        return rc;
    if (!p.from || strcmp(p.from->id, p.chosen->id) == 0) {
        out->text = NULL;
        out->head = p.from ? p.from->id : NULL;
        return BOUGH_OK; /* it is there already */
    }
    if (in->summarize)
        rc = ask_summary(g, a, in, &p, &text, err);
    if (!rc && in->summarize)
        rc = bough_branch_with_summary(
            in->store, in->session,
            &(struct bough_branch_with_summary_options){ .target = p.target, .summary = text },
            out->summary, err);
    else if (!rc)
        rc = go(in, &p, err);
    if (rc)
        return rc;
    out->moved = true;
    if (*out->summary)
        out->head = out->summary;
    return cstr_empty(in->label)
               ? BOUGH_OK
               : bough_label_set(in->store, in->session,
                                 *out->summary ? out->summary : p.chosen->id, in->label, err);
}
