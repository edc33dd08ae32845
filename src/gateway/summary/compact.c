/* Compaction by a model: where to cut, what to ask, and the marker. */
#include "gateway/summary/compact.h"

#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/str.h"
#include "gateway/summary/transcript.h"

enum { KEEP_TOKENS = 20000, SUMMARY_TOKENS = 8192 };

static const char system_text[] = "You summarise a conversation between a person and an AI agent, "
                                  "so that another agent can go on "
                                  "with it and knows nothing else. Answer with the summary only.";

static const char task_text[] =
    "Write a summary of the conversation above, under these headings: Goal; Constraints and "
    "preferences; Done; In progress; Decisions, with their reasons; Next steps; Facts, paths, "
    "names and commands that are needed to go on. Keep exact names, paths, numbers and error "
    "messages. Leave out what is no longer needed.";

/* ---- the cut point (P29) ---- */

/* May the part that is kept begin with it? */
static bool is_candidate(const struct bough_entry *e)
{
    if (e->kind == BOUGH_ENTRY_BRANCH_SUMMARY || e->kind == BOUGH_ENTRY_CUSTOM_MESSAGE)
        return true;
    return e->kind == BOUGH_ENTRY_MESSAGE && e->role != BOUGH_ROLE_TOOL && !transcript_results(e);
}

/* The first entry that is kept: the first candidate at or behind the entry with which the newest
 * messages fill the budget; entries between messages in front of it are kept with it. */
static size_t cut_point(struct bough_arena *a, const struct bough_entries *path, size_t begin,
                        int64_t keep, int64_t *kept)
{
    size_t i = path->n, cut;

    *kept = 0;
    while (i > begin && *kept < keep)
        if (path->at[--i].kind == BOUGH_ENTRY_MESSAGE)
            *kept += transcript_tokens(a, &path->at[i]);
    for (cut = i; cut < path->n && !is_candidate(&path->at[cut]); cut++)
        ;
    if (*kept < keep)
        return begin;
    while (cut > begin && path->at[cut - 1].kind != BOUGH_ENTRY_MESSAGE &&
           path->at[cut - 1].kind != BOUGH_ENTRY_COMPACTION)
        cut--;
    return cut;
}

/* ---- the question ---- */

static const char *question(struct bough_arena *a, const struct bough_entries *path, size_t n,
                            const char *before, const char *instructions)
{
    struct buf b;

    buf_init(&b, TRANSCRIPT_MOST * 2);
    if (before && *before)
        buf_printf(&b, "<previous-summary>\n%s\n</previous-summary>\n\n", before);
    buf_puts(&b, "<conversation>\n");
    for (size_t i = 0; i < n; i++)
        transcript_put(&b, a, &path->at[i]);
    buf_printf(&b, "</conversation>\n\n%s", task_text);
    if (before && *before)
        buf_puts(&b, " The previous summary is older than the conversation: bring it up to date.");
    if (instructions && *instructions)
        buf_printf(&b, "\n\nThe person asks in addition: %s", instructions);
    return buf_give(&b, a).p; /* a C string: a buffer ends with a NUL */
}

/* ---- all of it ---- */

struct plan {
    struct bough_entries_read_result read;
    struct bough_marker marker; /* the one before */
    size_t begin, cut;
    int64_t kept, before;
};

static enum bough_rc make_plan(struct bough_arena *a, const struct compact_options *in,
                               struct plan *p, struct bough_error *err)
{
    struct bough_entries_read_options how = { .what = BOUGH_ENTRIES_SINCE_MARKER, .inherit = true };
    enum bough_rc rc = bough_entries_read(in->store, a, in->session, &how, &p->read, err);
    const struct bough_entries *path = &p->read.entries;

    if (!rc && p->read.marker)
        rc = bough_marker_read(a, p->read.marker, &p->marker, err);
    if (rc)
        return rc;
    for (size_t i = 0; i < path->n; i++)
        if (path->at[i].kind == BOUGH_ENTRY_COMPACTION)
            p->begin = i + 1;
        else if (path->at[i].kind == BOUGH_ENTRY_MESSAGE)
            p->before += transcript_tokens(a, &path->at[i]);
    p->cut =
        cut_point(a, path, p->begin, in->keep_tokens ? in->keep_tokens : KEEP_TOKENS, &p->kept);
    if (p->cut <= p->begin || p->cut >= path->n)
        return bough_fail(err, BOUGH_CONFLICT,
                          "there is nothing to summarise: the messages since the last summary have "
                          "about %lld tokens",
                          (long long)p->before);
    return BOUGH_OK;
}

static void choose_model(const struct bough_session *s, const struct compact_options *in,
                         struct complete_options *out)
{
    out->model = cstr_empty(in->model) ? s->model_name : in->model;
    out->provider = cstr_empty(in->provider) ? NULL : in->provider;
    if (cstr_empty(out->model))
        out->model = s->last_model;
}

enum bough_rc compact_session(struct gateway *g, struct bough_arena *a,
                              const struct compact_options *in, struct compact_result *out,
                              struct bough_error *err)
{
    struct complete_options ask = { .store = in->store,
                                    .session = in->session,
                                    .purpose = "compaction",
                                    .system = system_text,
                                    .max_output = SUMMARY_TOKENS };
    struct plan p = { 0 };
    struct bough_session *s;
    const char *text;
    enum bough_rc rc = bough_session_get(in->store, a, in->session, &s, err);

    if (!rc)
        rc = make_plan(a, in, &p, err);
    if (rc)
        return rc;
    choose_model(s, in, &ask);
    if (cstr_empty(ask.model))
        return bough_fail(err, BOUGH_INVALID, "name a model: the session has none yet");
    ask.prompt = question(a, &p.read.entries, p.cut, p.marker.summary, in->instructions);
    rc = complete(g, a, &ask, &text, err);
    if (rc)
        return rc;
    out->summary = text;
    out->first_kept = p.read.entries.at[p.cut].id;
    out->tokens_before = p.before;
    out->tokens_kept = p.kept;
    return bough_compact(in->store, in->session,
                         &(struct bough_compact_options){ .summary = text,
                                                          .first_kept = out->first_kept,
                                                          .tokens_before = p.before,
                                                          .tokens_saved = p.before - p.kept },
                         out->marker, err);
}
