/* Random operations: everything a store holds, as text that does not depend on the backend. */
#include <stdio.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "store/random.h"

const char *name_of(struct world *w, const char *id)
{
    uint64_t rank;

    if (cstr_empty(id))
        return "-";
    if (!smap_get(&w->names, str_of(id), &rank)) {
        rank = smap_count(&w->names) + 1;
        smap_put(&w->names, str_of(id), rank);
    }
    return arena_printf(w->arena, "x%llu", (unsigned long long)rank);
}

const char *place_of(struct world *w, struct bough_head at)
{
    uint64_t rank = 0;

    if (at.branch && !map_get(&w->branches, (uint64_t)at.branch, &rank)) {
        rank = map_count(&w->branches) + 1;
        map_put(&w->branches, (uint64_t)at.branch, rank);
    }
    return arena_printf(w->arena, "b%llu.%lld", (unsigned long long)rank, (long long)at.depth);
}

static void put_text(struct world *w, const char *what, const char *text)
{
    if (!text)
        buf_printf(&w->out, " %s=NULL", what);
    else if (*text)
        buf_printf(&w->out, " %s=<%s>", what, text);
}

static void put_raw(struct world *w, const char *what, struct bough_str raw)
{
    if (!raw.n)
        return;
    buf_printf(&w->out, " %s=", what);
    buf_put_str(&w->out, raw);
}

static void put_number(struct world *w, const char *what, int64_t n)
{
    if (n)
        buf_printf(&w->out, " %s=%lld", what, (long long)n);
}

void put_totals(struct world *w, const struct bough_totals *t)
{
    buf_printf(&w->out, " {%lld %lld %lld %lld %lld %lld}", (long long)t->input,
               (long long)t->output, (long long)t->reasoning, (long long)t->cache_read,
               (long long)t->cache_write, (long long)t->cost);
}

void put_entry(struct world *w, const struct bough_entry *e)
{
    buf_printf(&w->out, "  entry %s %s of %s mno=%lld kind=%d role=%d time=%lld", name_of(w, e->id),
               place_of(w, e->at), name_of(w, e->session), (long long)e->mno, (int)e->kind,
               (int)e->role, (long long)e->time);
    put_text(w, "kind", e->kind_name);
    put_number(w, "deleted", e->deleted);
    buf_printf(&w->out, " origin=%s", name_of(w, e->origin));
    put_text(w, "finish", e->finish);
    put_raw(w, "error", e->error);
    buf_printf(&w->out, " call=%s", name_of(w, e->call));
    if (e->usage)
        put_totals(w, e->usage);
    put_number(w, "duration", e->duration);
    put_number(w, "keep_from", e->keep_from);
    /* Data of these kinds contains ids, which differ between the worlds. */
    buf_printf(&w->out, " data=%zu", e->data.n);
    if (e->kind != BOUGH_ENTRY_BRANCH_SUMMARY && e->kind != BOUGH_ENTRY_COMPACTION &&
        e->kind != BOUGH_ENTRY_LABEL)
        put_raw(w, "data", e->data);
    put_raw(w, "metadata", e->metadata);
    for (size_t i = 0; i < e->nparts; i++) {
        buf_printf(&w->out, " %d:", (int)e->parts[i].type);
        buf_put_str(&w->out, e->parts[i].json);
    }
    buf_putc(&w->out, '\n');
}

void put_entries(struct world *w, const struct bough_entries *e)
{
    for (size_t i = 0; i < e->n; i++)
        put_entry(w, &e->at[i]);
}

static void put_names(struct world *w, const char *what, const struct bough_entries *e)
{
    buf_printf(&w->out, "  %s:", what);
    for (size_t i = 0; i < e->n; i++)
        buf_printf(&w->out, " %s", name_of(w, e->at[i].id));
    buf_putc(&w->out, '\n');
}

void put_session(struct world *w, const struct bough_session *s)
{
    buf_printf(&w->out, "session %s origin=%s kind=%d parent=%s fork=%s status=%d head=%s",
               name_of(w, s->id), name_of(w, s->origin), (int)s->kind, name_of(w, s->parent),
               name_of(w, s->fork_entry), (int)s->status, place_of(w, s->head));
    put_number(w, "number", s->number);
    put_text(w, "tool", s->parent_tool_use_id);
    put_text(w, "slug", s->slug);
    put_text(w, "title", s->title);
    put_text(w, "project", s->project);
    put_text(w, "workspace", s->workspace);
    put_text(w, "account", s->account);
    if (s->lease) {
        put_text(w, "owner", s->lease->owner);
        buf_printf(&w->out, " lease=%lld/%lld/%lld", (long long)s->lease->epoch,
                   (long long)s->lease->since, (long long)s->lease->expires);
    }
    put_text(w, "path", s->provider_path);
    put_text(w, "role", s->role_name);
    put_text(w, "provider", s->model_provider);
    put_text(w, "model", s->model_name);
    put_text(w, "prompt", s->system_prompt);
    put_text(w, "user", s->user_name);
    put_text(w, "version", s->version);
    put_raw(w, "data", s->data);
    put_raw(w, "metadata", s->metadata);
    put_number(w, "mode", s->totals_mode);
    put_totals(w, &s->own);
    put_totals(w, &s->rolled);
    buf_printf(&w->out, " messages=%lld calls=%lld", (long long)s->messages, (long long)s->calls);
    put_text(w, "last_model", s->last_model);
    put_text(w, "last_provider", s->last_provider);
    put_text(w, "last_request", s->last_request_id);
    put_number(w, "last_cost", s->last_cost);
    put_text(w, "first_user", s->first_user);
    put_text(w, "last_user", s->last_user);
    put_text(w, "last_agent", s->last_agent);
    buf_printf(&w->out, " created=%lld updated=%lld modified=%lld deleted=%lld\n",
               (long long)s->created, (long long)s->updated, (long long)s->modified,
               (long long)s->deleted);
}

void put_call(struct world *w, const struct bough_call *c)
{
    buf_printf(&w->out, "  call %s of %s time=%lld total=%lld took=%lld", name_of(w, c->id),
               name_of(w, c->session), (long long)c->time, (long long)c->total_tokens,
               (long long)c->duration);
    put_totals(w, &c->used);
    put_text(w, "request", c->request_id);
    put_text(w, "want_provider", c->want_provider);
    put_text(w, "want_model", c->want_model);
    put_text(w, "want_kind", c->want_kind);
    put_text(w, "provider", c->provider);
    put_text(w, "model", c->model);
    put_text(w, "kind", c->kind);
    put_text(w, "status", c->status);
    put_raw(w, "error", c->error);
    put_raw(w, "usage", c->usage);
    buf_putc(&w->out, '\n');
}

void put_memory(struct world *w, const struct bough_memory *m)
{
    buf_printf(&w->out, "  memory %s scope=%d created=%lld updated=%lld deleted=%lld",
               name_of(w, m->id), (int)m->scope, (long long)m->created, (long long)m->updated,
               (long long)m->deleted);
    if (m->scope == BOUGH_MEMORY_OF_SESSION)
        buf_printf(&w->out, " of %s", name_of(w, m->of));
    else
        put_text(w, "of", m->of);
    put_text(w, "title", m->title);
    put_text(w, "body", m->body);
    put_text(w, "content", m->content);
    put_text(w, "source", m->source);
    put_text(w, "path", m->path);
    buf_putc(&w->out, '\n');
}

void put_todos(struct world *w, const struct bough_todos *t)
{
    buf_printf(&w->out, "  todos %lld %lld %lld %lld %lld at %lld:", (long long)t->total,
               (long long)t->incomplete, (long long)t->in_progress, (long long)t->completed,
               (long long)t->cancelled, (long long)t->updated);
    for (size_t i = 0; i < t->n; i++)
        buf_printf(&w->out, " [%s %s %s]", t->at[i].content, t->at[i].status,
                   t->at[i].priority ? t->at[i].priority : "NULL");
    buf_putc(&w->out, '\n');
}

static void put_rc(struct world *w, const char *what, enum bough_rc rc)
{
    if (rc)
        buf_printf(&w->out, "  %s: %s\n", what, bough_rc_name(rc));
}

/* --- one session --- */

static void dump_tree(struct world *w, const char *session)
{
    struct bough_branches branches;
    struct bough_tree_entries_options how = { .limit = 9 };
    struct bough_entries page;

    put_rc(w, "branches", bough_tree_branches(w->store, w->arena, session, &branches, &w->err));
    for (size_t i = 0; i < branches.n; i++)
        buf_printf(&w->out, "  branch %s of %s on %s tip=%lld\n",
                   place_of(w, (struct bough_head){ branches.at[i].number, 0 }),
                   name_of(w, branches.at[i].session), place_of(w, branches.at[i].base),
                   (long long)branches.at[i].tip);
    do {
        enum bough_rc rc = bough_tree_entries(w->store, w->arena, session, &how, &page, &w->err);

        put_rc(w, "tree", rc);
        put_entries(w, &page);
        how.cursor = page.next;
    } while (*page.next);
    put_rc(w, "roots", bough_tree_children(w->store, w->arena, session, NULL, &page, &w->err));
    put_names(w, "roots", &page);
}

static void dump_reads(struct world *w, const char *session)
{
    static const struct {
        const char *name;
        struct bough_entries_read_options how;
    } reads[] = {
        { "path", { .deleted = true } },
        { "messages", { .messages = true } },
        { "tools", { .tool = true } },
        { "direct", { .what = BOUGH_ENTRIES_OWN } },
        { "since", { .what = BOUGH_ENTRIES_SINCE_MARKER } },
        { "inherit", { .what = BOUGH_ENTRIES_SINCE_MARKER, .inherit = true } },
        { "newest", { .newest = true, .limit = 4 } },
    };
    struct bough_entries_read_result path;
    char id[BOUGH_ID_LEN + 1], hash[65];
    enum bough_rc rc;

    for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) {
        rc = bough_entries_read(w->store, w->arena, session, &reads[i].how, &path, &w->err);
        put_rc(w, reads[i].name, rc);
        put_names(w, reads[i].name, &path.entries);
        if (path.marker)
            buf_printf(&w->out, "  marker %s\n", name_of(w, path.marker->id));
    }
    rc = bough_latest_user_entry(w->store, session, id, &w->err);
    put_rc(w, "latest", rc);
    buf_printf(&w->out, "  latest user %s\n", name_of(w, id));
    rc = bough_path_hash(w->store, session, NULL, hash, &w->err);
    buf_printf(&w->out, "  hash %s\n", rc ? bough_rc_name(rc) : hash);
}

static void dump_records(struct world *w, const char *session)
{
    struct bough_labels labels;
    struct bough_memories memories;
    struct bough_calls calls;
    struct bough_todos todos;
    struct bough_entries marks;

    put_rc(w, "labels", bough_label_list(w->store, w->arena, session, &labels, &w->err));
    for (size_t i = 0; i < labels.n; i++)
        buf_printf(&w->out, "  label %s <%s> %lld\n", name_of(w, labels.at[i].entry),
                   labels.at[i].text, (long long)labels.at[i].time);
    put_rc(w, "memories",
           bough_memory_list(w->store, w->arena, BOUGH_MEMORY_OF_SESSION, session, &memories,
                             &w->err));
    for (size_t i = 0; i < memories.n; i++)
        put_memory(w, &memories.at[i]);
    put_rc(w, "calls", bough_call_list(w->store, w->arena, session, &calls, &w->err));
    for (size_t i = 0; i < calls.n; i++)
        put_call(w, &calls.at[i]);
    put_rc(w, "todos", bough_todo_get(w->store, w->arena, session, &todos, &w->err));
    put_todos(w, &todos);
    put_rc(w, "markers", bough_marker_list(w->store, w->arena, session, &marks, &w->err));
    put_names(w, "markers", &marks);
}

void dump_session(struct world *w, const char *session)
{
    struct bough_session *s;
    struct bough_sessions line;
    char root[BOUGH_ID_LEN + 1];
    enum bough_rc rc = bough_session_get(w->store, w->arena, session, &s, &w->err);

    if (rc) {
        buf_printf(&w->out, "session %s: %s\n", name_of(w, session), bough_rc_name(rc));
        return;
    }
    put_session(w, s);
    dump_tree(w, session);
    dump_reads(w, session);
    dump_records(w, session);
    put_rc(w, "lineage", bough_tree_lineage(w->store, w->arena, session, &line, &w->err));
    rc = bough_session_root(w->store, session, root, &w->err);
    put_rc(w, "root", rc);
    buf_printf(&w->out, "  lineage to %s:", rc ? "-" : name_of(w, root));
    for (size_t i = 0; i < line.n; i++)
        buf_printf(&w->out, " %s", name_of(w, line.at[i].id));
    buf_putc(&w->out, '\n');
}

/* --- the whole store --- */

/* All pages of a list: ids, and whole sessions if `full`. Puts at most `most` ids into `ids`. */
static size_t dump_list(struct world *w, const char *what, struct bough_session_list_options f,
                        bool full, const char **ids, size_t most)
{
    struct bough_sessions page;
    size_t n = 0;
    enum bough_rc rc;

    buf_printf(&w->out, "list %s:", what);
    do {
        rc = bough_session_list(w->store, w->arena, &f, &page, &w->err);
        put_rc(w, what, rc);
        for (size_t i = 0; i < page.n; i++, n++) {
            buf_printf(&w->out, " %s", name_of(w, page.at[i].id));
            if (full)
                put_session(w, &page.at[i]);
            if (ids && n < most)
                ids[n] = arena_strdup(w->arena, page.at[i].id);
        }
        f.cursor = page.next;
    } while (!rc && *page.next);
    buf_putc(&w->out, '\n');
    return n < most ? n : most;
}

static void dump_lists(struct world *w)
{
    dump_list(w, "created", (struct bough_session_list_options){ .limit = 7 }, false, NULL, 0);
    dump_list(w, "updated",
              (struct bough_session_list_options){ .order = BOUGH_BY_UPDATED, .limit = 5 }, true,
              NULL, 0);
    dump_list(w, "modified",
              (struct bough_session_list_options){
                  .order = BOUGH_BY_MODIFIED, .limit = 9, .include_deleted = true },
              false, NULL, 0);
    dump_list(w, "deleted", (struct bough_session_list_options){ .only_deleted = true }, false,
              NULL, 0);
    dump_list(w, "roots",
              (struct bough_session_list_options){ .roots = true, .order = BOUGH_BY_UPDATED },
              false, NULL, 0);
    dump_list(w, "subagents", (struct bough_session_list_options){ .kinds = BOUGH_KINDS_SUBAGENT },
              false, NULL, 0);
    dump_list(w, "busy", (struct bough_session_list_options){ .status = "busy retry" }, false, NULL,
              0);
    dump_list(w, "archived", (struct bough_session_list_options){ .archived = true }, false, NULL,
              0);
    dump_list(w, "active",
              (struct bough_session_list_options){ .active = true, .order = BOUGH_BY_MODIFIED },
              false, NULL, 0);
    dump_list(w, "project", (struct bough_session_list_options){ .project = "/p/1" }, false, NULL,
              0);
    dump_list(w, "query", (struct bough_session_list_options){ .query = "ALPHA", .limit = 3 },
              false, NULL, 0);
}

static void dump_groups(struct world *w)
{
    static const char *const kinds[] = { "project", "workspace", "account" };
    struct bough_memories memories;
    struct bough_groups places;

    for (size_t k = 0; k < 3; k++) {
        put_rc(w, kinds[k], bough_group_list(w->store, w->arena, kinds[k], &places, &w->err));
        for (size_t i = 0; i < places.n; i++) {
            buf_printf(&w->out, "%s %s <%s> created=%lld sessions=%lld\n", kinds[k],
                       name_of(w, places.at[i].id), places.at[i].name,
                       (long long)places.at[i].created, (long long)places.at[i].sessions);
            if (k)
                continue;
            put_rc(w, "memories",
                   bough_memory_list(w->store, w->arena, BOUGH_MEMORY_OF_PROJECT, places.at[i].name,
                                     &memories, &w->err));
            for (size_t j = 0; j < memories.n; j++)
                put_memory(w, &memories.at[j]);
        }
    }
    put_rc(w, "memories",
           bough_memory_list(w->store, w->arena, BOUGH_MEMORY_OF_STORE, NULL, &memories, &w->err));
    for (size_t j = 0; j < memories.n; j++)
        put_memory(w, &memories.at[j]);
}

static void dump_log(struct world *w)
{
    struct bough_store_log_options how = { .limit = 50 };
    struct bough_changes page;
    struct bough_audits audits;

    do {
        put_rc(w, "log", bough_store_log(w->store, w->arena, &how, &page, &w->err));
        for (size_t i = 0; i < page.n; i++)
            buf_printf(&w->out, "log %s %lld at %lld %s %s\n", page.at[i].kind,
                       (long long)page.at[i].count, (long long)page.at[i].time,
                       name_of(w, page.at[i].session), name_of(w, page.at[i].entry));
        how.cursor = page.next;
    } while (*page.next);
    put_rc(w, "audit", bough_audit_list(w->store, w->arena, &audits, &w->err));
    for (size_t i = 0; i < audits.n; i++)
        buf_printf(&w->out, "audit %lld %s %s %s %s\n", (long long)audits.at[i].time,
                   audits.at[i].action, name_of(w, audits.at[i].target), audits.at[i].detail,
                   audits.at[i].principal);
}

static void dump_stats(struct world *w)
{
    struct bough_store_stats_result s;

    put_rc(w, "stats", bough_store_stats(w->store, &s, &w->err));
    buf_printf(&w->out,
               "stats sessions=%lld deleted=%lld branches=%lld entries=%lld messages=%lld "
               "calls=%lld records=%lld log=%lld",
               (long long)s.sessions, (long long)s.deleted_sessions, (long long)s.branches,
               (long long)s.entries, (long long)s.messages, (long long)s.calls,
               (long long)s.records, (long long)s.log_rows);
    put_totals(w, &s.spent);
    buf_putc(&w->out, '\n');
}

void dump_store(struct world *w)
{
    const char **ids = arena_array(w->arena, MOST_SESSIONS, sizeof *ids);
    size_t n = dump_list(
        w, "all", (struct bough_session_list_options){ .include_deleted = true, .limit = 50 },
        false, ids, MOST_SESSIONS);

    for (size_t i = 0; i < n; i++)
        dump_session(w, ids[i]);
    dump_lists(w);
    dump_groups(w);
    dump_log(w);
    dump_stats(w);
}
