/* The world of fsck's tests: built through the API, broken through raw rows. */
#include "store/fsck_world.h"

#include <stdio.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/search/search.h"

/* Rows as they were before put() and drop(). */
static struct raw_row undo[16];
static bool undo_remove[16];
static size_t nundo;
static const char *undo_of; /* the name of the test that changed them */

/* ---- running fsck ---- */

static void note(void *user, const struct bough_finding *f)
{
    struct seen *s = user;
    const char **codes = f->error ? &s->errors : &s->warnings;

    if (s->print)
        printf("# %s %s: %s\n", f->code, f->where, f->text);
    if (!*s->where || (f->error && !*s->errors))
        s->where = arena_strdup(s->t->arena, f->where);
    if (!strstr(*codes, f->code))
        *codes = arena_printf(s->t->arena, "%s%s%s", *codes, **codes ? " " : "", f->code);
}

struct seen look(struct test *t, enum bough_fsck_level level, bool print)
{
    struct seen s = { .t = t, .errors = "", .warnings = "", .where = "", .print = print };

    CHECK_OK(bough_store_fsck(t->store, level, note, &s, NULL, &t->err));
    return s;
}

void check_clean(struct test *t)
{
    struct seen quick = look(t, BOUGH_FSCK_QUICK, true), full = look(t, BOUGH_FSCK_FULL, true);

    CHECK_STR("", quick.errors);
    CHECK_STR("", quick.warnings);
    CHECK_STR("", full.errors);
    CHECK_STR("", full.warnings);
}

/* ---- a store with everything in it ---- */

static const char *child(struct test *t, const char *parent, enum bough_session_kind kind,
                         const char *title)
{
    struct bough_session_create_options in = { .kind = kind, .parent = parent, .title = title };
    struct bough_session *s;

    CHECK_OK(bough_session_create(t->store, t->arena, &in, &s, &t->err));
    return s->id;
}

/* Append a reply with a call. Returns the call's id. */
static const char *spend(struct test *t, const char *session, int64_t cost)
{
    struct bough_call_new call = { .model = "m",
                                   .provider = "p",
                                   .used = { 10, 5, 0, 0, 0, cost } };
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT, .text = "paid", .by_call = true };
    struct bough_append_options in = { .entries = &e, .n = 1, .call = &call };
    struct bough_append_result *out = arena_alloc(t->arena, sizeof *out);

    CHECK_OK(bough_append(t->store, t->arena, session, &in, out, &t->err));
    return out->call;
}

/* Session ROOT: branch 1 with depths 1 to 8, branch 2 after 1.1; labels, todos, memories, keys,
 * aliases. */
static const char *build_root(struct test *t)
{
    struct bough_session_create_options in = { .id = "root-id", .title = "Root", .project = "/p" };
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = "two", .id = "m-2" };
    struct bough_append_options two = { .entries = &e, .n = 1, .key = "k" }, side = two;
    struct bough_compact_options mark = { .summary = "so far", .first_kept = "m-2" };
    struct bough_memory memory = { .scope = BOUGH_MEMORY_OF_PROJECT,
                                   .of = "/p",
                                   .content = "it is so" };
    struct bough_todo todo = { .content = "do it", .status = "pending", .priority = "" };
    struct bough_totals more = { .input = 7, .cost = 70 };
    struct bough_memory *kept;
    struct bough_append_result out;
    struct bough_session *s;
    char id[BOUGH_ID_LEN + 1];
    const char *first, *last;

    CHECK_OK(bough_session_create(t->store, t->arena, &in, &s, &t->err));
    first = user(t, s->id, "one");
    CHECK_OK(bough_append(t->store, t->arena, s->id, &two, &out, &t->err));
    spend(t, s->id, 100); /* 1.3 */
    user(t, s->id, "four");
    last = agent(t, s->id, "five");
    CHECK_OK(bough_compact(t->store, s->id, &mark, id, &t->err)); /* 1.6 */
    CHECK_OK(bough_call_delete(t->store, spend(t, s->id, 1000), &t->err));
    CHECK_OK(bough_entry_delete(t->store, s->id, user(t, s->id, "eight"), &t->err));
    e = (struct bough_entry_new){ .role = BOUGH_ROLE_USER, .text = "aside" };
    side.at = first;
    side.key = NULL;
    side.keep_head = true;
    CHECK_OK(bough_append(t->store, t->arena, s->id, &side, &out, &t->err));
    CHECK_OK(bough_label_set(t->store, s->id, last, "here", &t->err));
    CHECK_OK(bough_todo_replace(t->store, t->arena, s->id, &todo, 1, NULL, &t->err));
    CHECK_OK(bough_memory_add(t->store, t->arena, &memory, &kept, &t->err));
    CHECK_OK(bough_totals_add(t->store, s->id, &more, &t->err));
    return s->id;
}

/* BARE is a fork without messages, TWIG one of a side branch; FORK has own entries and labels. */
static void build_forks(struct test *t, const char *root)
{
    const char *f;

    fork_at(t, root, "#1.4");
    user(t, fork_at(t, root, "#2.2"), "a twig");
    f = fork_at(t, root, "#1.3");
    user(t, f, "a fork");
    agent(t, f, "indeed");
    CHECK_OK(bough_label_set(t->store, f, "#1.2", "inherited", &t->err));
    CHECK_OK(bough_head_move(t->store, f, "#1.3", &t->err));
}

/* AGENT under ROOT, DEEP under AGENT. GONE is purged; ORPHAN is its subagent. */
static void build_agents(struct test *t, const char *root)
{
    const char *a = child(t, root, BOUGH_SUBAGENT, "agent"), *gone, *deep;
    struct bough_totals delta = { .output = 3, .cost = -5 };
    struct bough_totals_propagate_result chain;

    deep = child(t, a, BOUGH_SUBAGENT, "deep");
    gone = child(t, a, BOUGH_SUBAGENT, "gone");
    user(t, a, "work");
    spend(t, a, 20);
    spend(t, deep, 3);
    spend(t, gone, 40);
    spend(t, child(t, gone, BOUGH_SUBAGENT, "orphan"), 500);
    CHECK_OK(bough_totals_propagate(t->store, t->arena, deep, &delta, &chain, &t->err));
    CHECK_INT(3, chain.n);
    CHECK_OK(bough_session_purge(t->store, t->arena, gone, NULL, &t->err));
    CHECK_OK(bough_session_archive(t->store, deep, &t->err));
}

/* SOURCE is purged, but KEPT still shows its first two entries. COPY is independent. */
static void build_purged(struct test *t, const char *root)
{
    struct bough_session_fork_options copy = { .entry = "#1.5", .copy = true };
    const char *source = new_session(t, "source"), *kept;
    struct bough_session *s;

    user(t, source, "old one");
    kept = fork_at(t, source, agent(t, source, "old two"));
    user(t, source, "old three");
    user(t, kept, "new");
    CHECK_OK(bough_session_purge(t->store, t->arena, source, NULL, &t->err));
    CHECK_OK(bough_session_fork(t->store, t->arena, root, &copy, &s, &t->err));
    CHECK_OK(bough_session_delete(t->store, kept, &t->err));
}

void build_open(struct test *t)
{
    const char *session = new_session(t, "writing");
    struct bough_entry_new entry = { .role = BOUGH_ROLE_ASSISTANT };
    struct bough_message_open_options in = { .entry = &entry, .owner = "world" };
    struct bough_step steps[] = {
        { .kind = BOUGH_STEP_PART, .bytes = str_of("{\"type\":\"text\",\"text\":\"\"}") },
        { .kind = BOUGH_STEP_TEXT, .bytes = str_of("Once upon a time") },
    };
    struct bough_message_open_result open;
    struct bough_message_step_result done;

    user(t, session, "tell me a story");
    CHECK_OK(bough_message_open(t->store, t->arena, session, &in, &open, &t->err));
    CHECK_OK(bough_message_step(t->store, &open.writing, 1, steps, 2, &done, &t->err));
    CHECK_OK(bough_message_flush(t->store, &open.writing, &done, &t->err));
    CHECK_INT(2, done.saved);
}

/* AGENT's last entry shows two attachments: an image moved out of its part, and a file. */
static void build_attachments(struct test *t)
{
    char *text = arena_alloc(t->arena, 3 * 32768 + 1);
    struct bough_attachment_writer *w;
    struct bough_attachment file;
    struct bough_str parts[2];
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .parts = parts, .nparts = 2 };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;

    memset(text, 'Q', 3 * 32768);
    text[3 * 32768] = '\0';
    CHECK_OK(bough_attachment_begin(t->store, &w, &t->err));
    CHECK_OK(bough_attachment_write(w, "a plain file", 12, &t->err));
    CHECK_OK(bough_attachment_finish(&w, &file, &t->err));
    parts[0] = str_of(arena_printf(
        t->arena, "{\"type\":\"image\",\"data\":\"%s\",\"mimeType\":\"image/png\"}", text));
    parts[1] = str_of(arena_printf(
        t->arena, "{\"type\":\"file\",\"mime\":\"text/plain\",\"url\":\"%s\"}", file.url));
    CHECK_OK(bough_append(t->store, t->arena, "#5", &in, &out, &t->err));
}

void build_world(struct test *t)
{
    const char *root = build_root(t);

    nundo = 0; /* a failed test may have left some */
    build_forks(t, root);
    build_agents(t, root);
    build_attachments(t);
    build_purged(t, root);
}

/* ---- breaking rows ---- */

struct pick {
    struct test *t;
    struct raw_row want, *got;
};

static const char *keep_text(struct test *t, const char *s)
{
    return arena_strdup(t->arena, s);
}

static struct bough_str keep_bytes(struct test *t, struct bough_str s)
{
    return str_make(arena_dup(t->arena, s.p, s.n), s.n);
}

/* Copy the row's texts, which are valid only during the scan. */
static void keep_row(struct test *t, struct raw_row *r)
{
    if (r->table == RAW_SESSION) {
        r->u.session.slug = keep_text(t, r->u.session.slug);
        r->u.session.body = keep_bytes(t, r->u.session.body);
    } else if (r->table == RAW_HEAD) {
        r->u.head.lease_owner = keep_text(t, r->u.head.lease_owner);
    } else if (r->table == RAW_ENTRY) {
        r->u.entry.body = keep_bytes(t, r->u.entry.body);
    } else if (r->table == RAW_RECORD) {
        r->u.record.body = keep_bytes(t, r->u.record.body);
    } else if (r->table == RAW_ALIAS) {
        r->u.alias.id = keep_text(t, r->u.alias.id);
    } else if (r->table == RAW_KEY) {
        r->u.key.key = keep_text(t, r->u.key.key);
    } else if (r->table == RAW_OPEN) {
        r->u.open.owner = keep_text(t, r->u.open.owner);
        r->u.open.process = keep_text(t, r->u.open.process);
        r->u.open.wanted = keep_text(t, r->u.open.wanted);
    } else if (r->table == RAW_DRAFT) {
        r->u.draft.body = keep_bytes(t, r->u.draft.body);
    } else if (r->table == RAW_LIST) {
        r->u.list.role_name = keep_text(t, r->u.list.role_name);
        r->u.list.provider_path = keep_text(t, r->u.list.provider_path);
        r->u.list.model_provider = keep_text(t, r->u.list.model_provider);
        r->u.list.model_name = keep_text(t, r->u.list.model_name);
        r->u.list.hay = keep_text(t, r->u.list.hay);
        r->u.list.last_model = keep_text(t, r->u.list.last_model);
        r->u.list.body = keep_bytes(t, r->u.list.body);
    } else if (r->table == RAW_SPEND) {
        r->u.spend.provider = keep_text(t, r->u.spend.provider);
        r->u.spend.model = keep_text(t, r->u.spend.model);
        r->u.spend.principal = keep_text(t, r->u.spend.principal);
    } else if (r->table == RAW_CHUNK) {
        r->u.chunk.body = keep_bytes(t, r->u.chunk.body);
    } else if (r->table == RAW_FULLTEXT && r->u.text.words) {
        struct search_words *w = arena_dup(t->arena, r->u.text.words, sizeof *w);

        w->field[SEARCH_TITLE] = keep_bytes(t, w->field[SEARCH_TITLE]);
        r->u.text.words = w;
    }
}

static bool same_key(const struct raw_row *a, const struct raw_row *b)
{
    switch (a->table) {
    case RAW_ENTRY:
        return a->u.entry.bid == b->u.entry.bid && a->u.entry.depth == b->u.entry.depth;
    case RAW_RECORD:
        return a->u.record.sid == b->u.record.sid && a->u.record.kind == b->u.record.kind &&
               a->u.record.ord == b->u.record.ord;
    case RAW_ALIAS:
        return strcmp(a->u.alias.id, b->u.alias.id) == 0 && a->u.alias.scope == b->u.alias.scope;
    case RAW_CHUNK:
        return a->u.chunk.bno == b->u.chunk.bno && a->u.chunk.index == b->u.chunk.index;
    case RAW_LINK:
        return a->u.link.bid == b->u.link.bid && a->u.link.depth == b->u.link.depth &&
               (!b->u.link.bno || a->u.link.bno == b->u.link.bno);
    case RAW_KEY:
        return !b->u.key.key || strcmp(a->u.key.key, b->u.key.key) == 0;
    case RAW_OPEN:
        return a->u.open.bid == b->u.open.bid && a->u.open.depth == b->u.open.depth;
    case RAW_DRAFT:
        return a->u.draft.bid == b->u.draft.bid && a->u.draft.depth == b->u.draft.depth &&
               (!b->u.draft.end || a->u.draft.end == b->u.draft.end);
    case RAW_FULLTEXT:
        return a->u.text.no == b->u.text.no && !a->u.text.bid == !b->u.text.bid;
    case RAW_SEEN: /* without a number: the first row of the entry, or of the session */
        if (!b->u.seen.no)
            return a->u.seen.bid == b->u.seen.bid && a->u.seen.depth == b->u.seen.depth;
        return a->u.seen.no == b->u.seen.no &&
               memcmp(a->u.seen.key, b->u.seen.key, sizeof a->u.seen.key) == 0;
    case RAW_SPEND: /* without a model: the first row of the session */
        return a->u.spend.sid == b->u.spend.sid &&
               (!b->u.spend.model ||
                (a->u.spend.day == b->u.spend.day && a->u.spend.project == b->u.spend.project &&
                 a->u.spend.account == b->u.spend.account &&
                 strcmp(a->u.spend.provider, b->u.spend.provider) == 0 &&
                 strcmp(a->u.spend.model, b->u.spend.model) == 0 &&
                 strcmp(a->u.spend.principal, b->u.spend.principal) == 0));
    default: /* all other rows start with their number */
        return a->u.log.no == b->u.log.no;
    }
}

static bool pick(void *user, const struct raw_row *row)
{
    struct pick *p = user;

    if (!same_key(row, &p->want))
        return true;
    p->got = arena_dup(p->t->arena, row, sizeof *row);
    keep_row(p->t, p->got);
    return false;
}

struct raw_row *row_like(struct test *t, const struct raw_row *want)
{
    struct engine *e = t->store->e;
    struct pick p = { t, *want, NULL };
    struct snapshot *v;

    CHECK_OK(
        e->ops->snapshot_begin(e->backend, &v, &(struct deadline){ INT64_MAX, NULL }, &t->err));
    CHECK_OK(e->ops->raw_scan(v, want->table, pick, &p, &t->err));
    e->ops->snapshot_end(v);
    return p.got;
}

struct raw_row *row_of(struct test *t, enum raw_table table, int64_t a, int64_t b, int64_t c)
{
    struct raw_row want = { .table = table }, *got;

    if (table == RAW_ENTRY)
        want.u.entry = (struct entry_row){ .bid = a, .depth = b };
    else if (table == RAW_RECORD)
        want.u.record = (struct record_row){ .sid = a, .kind = b, .ord = c };
    else if (table == RAW_OPEN)
        want.u.open = (struct open_row){ .bid = a, .depth = b };
    else if (table == RAW_DRAFT)
        want.u.draft = (struct draft_row){ .bid = a, .depth = b, .end = c };
    else if (table == RAW_CHUNK)
        want.u.chunk = (struct chunk_row){ .bno = a, .index = b };
    else if (table == RAW_LINK)
        want.u.link = (struct link_row){ a, b, c };
    else if (table == RAW_SPEND)
        want.u.spend = (struct spend_row){ .sid = a };
    else if (table == RAW_SEEN)
        want.u.seen = (struct seen_row){ .bid = a, .depth = b };
    else if (table != RAW_KEY)
        want.u.log.no = a;
    got = row_like(t, &want);
    CHECK(got);
    return got;
}

/* Write or remove a row, and record the old one for put_back(). */
static void fix(struct test *t, const struct raw_row *r, bool remove)
{
    struct raw_row *old = row_like(t, r);

    if (undo_of != t->name) /* left by an earlier test, whose store is gone */
        nundo = 0;
    undo_of = t->name;
    CHECK(nundo < sizeof undo / sizeof *undo);
    undo_remove[nundo] = !old;
    undo[nundo++] = old ? *old : *r;
    CHECK_OK(t->store->e->ops->raw_fix(t->store->e->backend, r, remove, &t->err));
}

void put(struct test *t, const struct raw_row *r)
{
    fix(t, r, false);
}

void drop(struct test *t, const struct raw_row *r)
{
    fix(t, r, true);
}

void put_back(struct test *t)
{
    while (nundo && undo_of == t->name) {
        nundo--;
        CHECK_OK(t->store->e->ops->raw_fix(t->store->e->backend, &undo[nundo], undo_remove[nundo],
                                           &t->err));
    }
}

void expect(struct test *t, const char *errors, const char *warnings, const char *where)
{
    struct seen full = look(t, BOUGH_FSCK_FULL, false);

    if (strcmp(errors, full.errors) != 0 || strcmp(warnings, full.warnings) != 0)
        look(t, BOUGH_FSCK_FULL, true);
    CHECK_STR(errors, full.errors);
    CHECK_STR(warnings, full.warnings);
    CHECK_STR(where, full.where);
    look(t, BOUGH_FSCK_QUICK, false);
    put_back(t);
    check_clean(t);
}

/* ---- bodies ---- */

struct edit entry_of(struct test *t, int64_t bid, int64_t depth)
{
    struct edit ed = { .r = row_of(t, RAW_ENTRY, bid, depth, 0) };

    CHECK_OK(pack_entry_read(t->arena, ed.r->u.entry.body, &ed.e, &ed.x, &t->err));
    return ed;
}

void entry_put(struct test *t, const struct edit *ed)
{
    struct raw_row r = *ed->r;
    struct squeezed tail;

    pack_tail(t->arena, &ed->e, 0, &tail);
    r.u.entry.body = pack_entry(t->arena, &ed->e, &ed->x, &tail);
    pack_entry_patch((char *)(uintptr_t)r.u.entry.body.p, ed->e.no, 0);
    put(t, &r);
}

static struct bough_str *body_in(struct raw_row *r, const struct body_field **table)
{
    static const struct body_field *const records[] = {
        [RECORD_CALL] = call_fields,     [RECORD_ADJUST] = adjust_fields,
        [RECORD_MEMORY] = memory_fields, [RECORD_LABEL] = label_fields,
        [RECORD_TODO] = todo_fields,     [RECORD_QUEUE] = queue_fields,
        [RECORD_SOURCE] = source_fields, [RECORD_STATE] = state_fields,
    };

    if (r->table == RAW_RECORD) {
        *table = records[r->u.record.kind];
        return &r->u.record.body;
    }
    *table = r->table == RAW_LIST ? list_fields : session_fields;
    return r->table == RAW_LIST ? &r->u.list.body : &r->u.session.body;
}

void body_of_row(struct test *t, const struct raw_row *r, void *to)
{
    struct raw_row copy = *r;
    const struct body_field *table;
    struct bough_str *body = body_in(&copy, &table);

    CHECK_OK(body_read(table, *body, to, &t->err));
}

void body_put(struct test *t, struct raw_row *r, const void *from)
{
    const struct body_field *table;
    struct bough_str *body = body_in(r, &table);

    *body = body_pack(t->arena, table, from);
    put(t, r);
}

/* ---- random damage ---- */

struct nth {
    struct test *t;
    uint64_t n, at;
    struct raw_row *got;
};

static bool count_to(void *user, const struct raw_row *row)
{
    struct nth *n = user;

    if (n->n++ != n->at)
        return true;
    n->got = arena_dup(n->t->arena, row, sizeof *row);
    keep_row(n->t, n->got);
    return false;
}

static uint64_t rolled(struct test *t, uint64_t sides)
{
    return env_u64(&t->env.env) % sides;
}

/* A random row of the table; NULL if it is empty. */
static struct raw_row *any_row(struct test *t, enum raw_table table)
{
    struct engine *e = t->store->e;
    struct nth n = { .t = t, .at = UINT64_MAX };
    struct snapshot *v;

    CHECK_OK(
        e->ops->snapshot_begin(e->backend, &v, &(struct deadline){ INT64_MAX, NULL }, &t->err));
    CHECK_OK(e->ops->raw_scan(v, table, count_to, &n, &t->err));
    n.at = n.n ? rolled(t, n.n) : 0;
    n.n = 0;
    CHECK_OK(e->ops->raw_scan(v, table, count_to, &n, &t->err));
    e->ops->snapshot_end(v);
    return n.got;
}

/* Change one number that is not part of the row's key: members from..to, counted in int64_t. */
static void damage_number(struct test *t, struct raw_row *r)
{
    static const struct {
        uint8_t from, to;
    } numbers[RAW_TABLES] = {
        [RAW_SESSION] = { 2, 5 }, [RAW_HEAD] = { 2, 8 },      [RAW_BRANCH] = { 1, 4 },
        [RAW_ENTRY] = { 2, 4 },   [RAW_RECORD] = { 4, 4 },    [RAW_ALIAS] = { 2, 4 },
        [RAW_KEY] = { 5, 5 },     [RAW_CHANGELOG] = { 1, 8 }, [RAW_LIST] = { 1, 10 },
        [RAW_OPEN] = { 2, 7 },    [RAW_DRAFT] = { 3, 3 },     [RAW_BLOB] = { 1, 2 },
        [RAW_CHUNK] = { 2, 2 },   [RAW_FULLTEXT] = { 2, 3 },  [RAW_SPEND] = { 7, 15 },
        [RAW_SEEN] = { 3, 4 },
    };
    const int64_t values[] = { 0, -1, 1, 2, 70, INT64_C(1) << 20, INT64_C(1) << 40 };
    int64_t *at = (int64_t *)(void *)&r->u + numbers[r->table].from +
                  rolled(t, numbers[r->table].to - numbers[r->table].from + 1u);
    int64_t old = *at;

    while (*at == old)
        *at = rolled(t, 2) ? values[rolled(t, sizeof values / sizeof *values)]
                           : old ^ INT64_C(1) << rolled(t, 8);
}

/* The row's body; NULL if its table has none. */
static struct bough_str *bytes_of(struct raw_row *r)
{
    switch (r->table) {
    case RAW_ENTRY:
        return &r->u.entry.body;
    case RAW_RECORD:
        return &r->u.record.body;
    case RAW_SESSION:
        return &r->u.session.body;
    case RAW_LIST:
        return &r->u.list.body;
    case RAW_DRAFT:
        return &r->u.draft.body;
    case RAW_CHUNK:
        return &r->u.chunk.body;
    default:
        return NULL;
    }
}

void damage_something(struct test *t)
{
    enum raw_table table;
    struct raw_row *r;
    struct bough_str *body;

    do { /* earlier damage may have emptied a table */
        table = (enum raw_table)rolled(t, RAW_TABLES);
        r = any_row(t, table);
    } while (!r);
    body = bytes_of(r);
    if (table == RAW_LINK ||
        (table != RAW_CHANGELOG && rolled(t, 4) == 0)) { /* a dropped one would return at the end */
        drop(t, r);
        return;
    }
    if (body && body->n && rolled(t, 2))
        ((char *)(uintptr_t)body->p)[rolled(t, body->n)] ^= (char)(1 << rolled(t, 8));
    else
        damage_number(t, r);
    put(t, r);
}
