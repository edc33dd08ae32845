/* Our own format: an export and import restores everything, byte for byte, without doubles. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/str.h"
#include "corpus.h"

static const char *hash_of(struct test *t, const char *session)
{
    char *out = arena_alloc(t->arena, 65);

    CHECK_OK(bough_path_hash(t->store, session, NULL, out, &t->err));
    return out;
}

static const char *totals_text(struct test *t, const char *session)
{
    const struct bough_session *s = get(t, session);

    return arena_printf(t->arena, "%lld %lld %lld %lld, %lld %lld, %lld messages, %lld calls",
                        (long long)s->own.input, (long long)s->own.output,
                        (long long)s->own.cache_read, (long long)s->own.cost,
                        (long long)s->rolled.input, (long long)s->rolled.cost,
                        (long long)s->messages, (long long)s->calls);
}

static const char *append_one(struct test *t, const char *session, struct bough_entry_new e,
                              const struct bough_call_new *call, const char *at)
{
    struct bough_append_options in = { .entries = &e, .n = 1, .call = call, .at = at };
    struct bough_append_result out;

    CHECK_OK(bough_append(t->store, t->arena, session, &in, &out, &t->err));
    return arena_strdup(t->arena, out.ids[0]);
}

/* Create a session with one of everything. Returns the id of its subagent's fork. */
static const char *build(struct test *t)
{
    struct bough_session_create_options in = { .id = "outer",
                                               .title = "One of everything",
                                               .slug = "every-thing",
                                               .project = "/srv/p",
                                               .workspace = "w",
                                               .account = "acc",
                                               .provider_path = "direct",
                                               .role_name = "coder",
                                               .model_provider = "anthropic",
                                               .model_name = "m",
                                               .system_prompt = "Be brief.",
                                               .user_name = "u",
                                               .version = "7",
                                               .data = str_of("{\"a\":1.50,\"a\":\"\\ud800\"}"),
                                               .metadata = str_of("{\"k\":[1]}"),
                                               .created = 1700000000123 };
    struct bough_str parts[2] = { str_of("{\"type\":\"text\",\"text\":\"\\u00e4 <\\/b>\"}"),
                                  str_of("{\"type\":\"new-thing\", \"x\":1e400}") };
    struct bough_entry_new e = {
        .role = BOUGH_ROLE_USER, .parts = parts, .nparts = 2, .id = "e-1"
    };
    struct bough_call_new call = { .request_id = "r1",
                                   .want_model = "m?",
                                   .provider = "p",
                                   .status = "ok",
                                   .usage = str_of("{\"in\":3}"),
                                   .used = { .input = 3, .output = 4, .cost = 5000 },
                                   .total_tokens = 7,
                                   .time = 1700000001000 };
    struct bough_totals delta = { .input = 100, .cost = -5 };
    struct bough_memory memory = { .scope = BOUGH_MEMORY_OF_SESSION,
                                   .content = "likes tea",
                                   .title = "T" };
    struct bough_todo todos[2] = { { .content = "one", .status = "pending", .priority = "high" },
                                   { .content = "two", .status = "completed", .priority = "" } };
    struct bough_compact_options c = { .summary = "so far", .tokens_before = 10 };
    struct bough_memory *mem;
    struct bough_session *s, *sub;
    const char *a, *b, *side;
    char marker[BOUGH_ID_LEN + 1];

    CHECK_OK(bough_session_create(t->store, t->arena, &in, &s, &t->err));
    a = append_one(t, s->id, e, NULL, NULL);
    e = (struct bough_entry_new){ .role = BOUGH_ROLE_ASSISTANT,
                                  .text = "by a call",
                                  .by_call = true };
    e.finish = "stop";
    e.error = str_of("{\"name\":\"odd\"}");
    e.metadata = str_of("{\"z\":0}");
    b = append_one(t, s->id, e, &call, NULL);
    e = (struct bough_entry_new){ .role = BOUGH_ROLE_ASSISTANT, .text = "with usage" };
    e.usage = &(struct bough_totals){ .input = 1, .cache_read = 2, .cost = 3 };
    e.duration = 44;
    e.call_model = "auto";
    append_one(t, s->id, e, NULL, NULL);
    e = (struct bough_entry_new){ .kind = BOUGH_ENTRY_OTHER, .kind_name = "label", .time = 99 };
    append_one(t, s->id, e, NULL, NULL);
    c.before = a;
    CHECK_OK(bough_compact(t->store, s->id, &c, marker, &t->err));
    e = (struct bough_entry_new){ .role = BOUGH_ROLE_USER, .text = "aside" };
    side = append_one(t, s->id, e, NULL, b);
    CHECK_OK(bough_label_set(t->store, s->id, a, "start", &t->err));
    CHECK_OK(bough_label_set(t->store, s->id, side, "side", &t->err));
    CHECK_OK(bough_entry_delete(t->store, s->id, side, &t->err));
    CHECK_OK(bough_totals_add(t->store, s->id, &delta, &t->err));
    memory.of = s->id;
    CHECK_OK(bough_memory_add(t->store, t->arena, &memory, &mem, &t->err));
    CHECK_OK(bough_todo_replace(t->store, t->arena, s->id, todos, 2, NULL, &t->err));
    CHECK_OK(bough_head_move(t->store, s->id, marker, &t->err));
    in = (struct bough_session_create_options){ .kind = BOUGH_SUBAGENT, .parent = s->id };
    in.parent_tool_use_id = "toolu_1";
    in.totals_mode = BOUGH_TOTALS_MANUAL;
    CHECK_OK(bough_session_create(t->store, t->arena, &in, &sub, &t->err));
    a = user(t, sub->id, "sub task");
    agent(t, sub->id, "sub answer");
    b = fork_at(t, sub->id, a);
    agent(t, b, "another answer");
    CHECK_OK(bough_label_set(t->store, b, a, "forked here", &t->err));
    CHECK_OK(bough_session_archive(t->store, sub->id, &t->err));
    return b;
}

STORE_TEST(own_format_export_import_export_is_identical_and_nothing_is_lost)
{
    const char *names[3], *hashes[3], *totals[3];
    const char *fork = build(t);
    const struct bough_session *sub = get(t, get(t, fork)->parent);
    struct bough_str out = export_text(t, fork, "bough"), again;
    struct bough_import_file_result in;

    names[0] = "outer";
    names[1] = sub->id;
    names[2] = fork;
    for (int i = 0; i < 3; i++) {
        hashes[i] = hash_of(t, names[i]);
        totals[i] = totals_text(t, names[i]);
    }
    in = import_file(t, file_make(t, "b.jsonl", out.p, out.n)); /* everything is known already */
    CHECK_STR("", in.nproblems ? in.problems[0].text : "");
    CHECK_INT(BOUGH_IMPORT_UNCHANGED, in.status);
    CHECK_STR(out.p, export_text(t, fork, "bough").p);
    fresh_store(t);
    in = import_file(t, file_make(t, "b.jsonl", out.p, out.n));
    CHECK_STR("", in.nproblems ? in.problems[0].text : "");
    CHECK_INT(3, in.sessions);
    again = export_text(t, in.session, "bough");
    CHECK_STR(out.p, again.p);
    for (int i = 0; i < 3; i++) {
        CHECK_STR(hashes[i], hash_of(t, names[i]));
        CHECK_STR(totals[i], totals_text(t, names[i]));
    }
    CHECK_STR("every-thing", get(t, "outer")->slug);
    CHECK_INT(BOUGH_STATUS_ARCHIVED, get(t, names[1])->status);
    in = import_file(t, file_make(t, "copy.jsonl", out.p, out.n));
    CHECK_INT(BOUGH_IMPORT_UNCHANGED, in.status);
    CHECK_INT(0, in.added);
    CHECK_STR(out.p, export_text(t, in.session, "bough").p);
}

/* What our own format says of a session is the session, and gives the same file of its tool. */
static void kept_whole(struct test *t, const char *path)
{
    struct bough_import_file_result in = import_file(t, path);
    const char *format = in.format;
    struct bough_str theirs = export_text(t, in.session, format),
                     own = export_text(t, in.session, "bough");
    const char *hash = hash_of(t, in.session), *totals = totals_text(t, in.session);

    in = import_file(t, file_make(t, "same.jsonl", own.p, own.n));
    CHECK_INT(0, in.added);
    fresh_store(t);
    in = import_file(t, file_make(t, "own.jsonl", own.p, own.n));
    CHECK_INT(0, in.nproblems);
    CHECK_STR(own.p, export_text(t, in.session, "bough").p);
    CHECK_STR(theirs.p, export_text(t, in.session, format).p);
    CHECK_STR(hash, hash_of(t, in.session));
    CHECK_STR(totals, totals_text(t, in.session));
    next_store(t);
}

STORE_TEST(own_format_keeps_whatever_came_from_other_tools)
{
    each_file(t,
              FILES("pi/branched.jsonl", "pi/multiturn.jsonl", "pi/v1.jsonl", "pi/v2.jsonl",
                    "pi/duplicate-id.jsonl", "pi/unknown-type.jsonl", "pi/parent-later.jsonl",
                    "pi/two-compactions.jsonl", "claude-code/tools.jsonl",
                    "claude-code/content.jsonl", "claude-code/compacted.jsonl", "codex/tools.jsonl",
                    "codex/content.jsonl", "opencode/tools.json", "opencode/content.json",
                    "opencode/compacted.json", "ai-sdk/tools.json", "ai-sdk/data-parts.json",
                    "openai-chat/tools.json", "anthropic/tools.json"),
              FILES("pi-1.5.0/auto-compaction.jsonl", "pi-1.5.0/sdk-branched.jsonl",
                    "pi-1.5.0/rpc-content.jsonl", "pi-0.73.1/sdk-branched.jsonl",
                    "pi-0.30.2/rpc-fork.jsonl", "pi-damaged/duplicate-id.jsonl",
                    "pi-damaged/unknown-type.jsonl", "pi-damaged/parent-later.jsonl",
                    "pi-damaged/two-compactions.jsonl"),
              kept_whole);
}

STORE_TEST(own_format_a_grown_file_adds_only_what_is_new)
{
    const char *s = new_session(t, "grows");
    struct bough_str one, two;
    struct bough_import_file_result in;

    user(t, s, "one");
    agent(t, s, "two");
    one = export_text(t, s, "bough");
    user(t, s, "three");
    two = export_text(t, s, "bough");
    fresh_store(t);
    in = import_file(t, file_make(t, "g.jsonl", one.p, one.n));
    CHECK_INT(2, in.added);
    in = import_file(t, file_make(t, "g.jsonl", two.p, two.n));
    CHECK_INT(1, in.added);
    CHECK_INT(BOUGH_IMPORT_GREW, in.status);
    CHECK_STR("one two three", path_text(t, in.session));
    CHECK_STR(two.p, export_text(t, in.session, "bough").p);
}

STORE_TEST(own_format_a_bad_part_or_line_is_reported_and_kept_apart)
{
    const char *text =
        "{\"bough\":1,\"type\":\"session\",\"id\":\"s\",\"created\":5}\n"
        "{\"type\":\"entry\",\"id\":\"a\",\"parent\":null,\"kind\":\"message\",\"role\":"
        "\"user\",\"time\":9,\"parts\":[{\"type\":\"text\"},5]}\n"
        "{\"type\":\"wonder\"}\n{\"type\":\"entry\"}\n[]\n"
        "{\"type\":\"label\",\"entry\":\"nowhere\",\"text\":\"x\"}\n{\"type\":\"he";
    struct bough_import_file_result in =
        import_file(t, file_make(t, "bad.jsonl", text, strlen(text)));

    CHECK_INT(1, in.added);
    CHECK_INT(7, in.nproblems);
    CHECK_INT(2, in.problems[0].line);
    CHECK_INT(3, in.problems[2].line);
    CHECK_INT(6, in.problems[6].line);
}

static const char *entry_line(struct test *t, const char *id, const char *parent, const char *kind,
                              const char *name, const char *text)
{
    return arena_printf(
        t->arena,
        "{\"type\":\"entry\",\"id\":\"%s\",\"parent\":%s,\"kind\":\"%s\",\"role\":"
        "\"user\",\"time\":9,\"data\":{\"name\":\"%s\"},\"parts\":[{\"type\":\"text\","
        "\"text\":\"%s\"}]}\n",
        id, parent, kind, name, text);
}

STORE_TEST(own_format_what_the_store_refuses_is_told_and_the_rest_goes_on)
{
    char *name = arena_alloc(t->arena, 5001);
    const char *text;
    struct bough_import_file_result in;

    memset(name, 'x', 5000);
    name[5000] = '\0';
    text = arena_printf(t->arena, "%s%s%s%s%s",
                        "{\"bough\":1,\"type\":\"session\",\"id\":\"s\",\"created\":5}\n"
                        "{\"type\":\"call\",\"n\":1,\"used\":{\"input\":-5},\"time\":7}\n",
                        entry_line(t, "a", "null", "message", "", "one"),
                        entry_line(t, "b", "\"a\"", "session_info", name, ""),
                        entry_line(t, "c", "\"b\"", "message", "", "two"),
                        "{\"type\":\"head\",\"id\":\"c\"}\n");
    in = import_file(t, file_make(t, "r.jsonl", text, strlen(text)));
    CHECK_INT(3, in.added);
    CHECK_INT(2, in.nproblems);
    CHECK_INT(2, in.problems[0].line);
    CHECK_STR("one two", path_text(t, in.session));
}

STORE_TEST_SECONDS(own_format_cut_after_any_byte_gives_what_was_whole, 120)
{
    const char *fork = build(t);
    struct bough_str out = export_text(t, fork, "bough");

    check_cuts(t, "cut.jsonl", out, 8);
}

/* ---- backups are complete ---- */

static bool add_bytes(void *user, struct bough_str bytes)
{
    buf_put_str(user, bytes);
    return true;
}

static const char *backup_text(struct test *t, const char *const *sessions, size_t n)
{
    struct bough_export_options how = { .format = "bough", .write = add_bytes };
    const char *out;
    struct buf b;

    buf_init(&b, 1 << 20);
    how.user = &b;
    CHECK_OK(bough_export_notes(t->store, &how, &t->err));
    for (size_t i = 0; i < n; i++)
        CHECK_OK(bough_export_session(t->store, sessions[i], &how, &t->err));
    out = arena_strdup(t->arena, b.p);
    buf_finish(&b);
    return out;
}

STORE_TEST(a_backup_keeps_queues_memories_of_every_scope_and_when_things_were_deleted_or_labelled)
{
    struct bough_session *made;
    struct bough_memory *m, *gone;
    struct bough_prompts prompts;
    struct bough_labels labels;
    struct bough_memories list;
    struct bough_import_file_result in;
    const char *ids[2], *text, *path;
    int64_t labelled, deleted;

    CHECK_OK(bough_session_create(
        t->store, t->arena,
        &(struct bough_session_create_options){ .title = "one", .project = "/p" }, &made, &t->err));
    ids[0] = made->id;
    ids[1] = new_session(t, "two");
    user(t, ids[0], "hello");
    t->env.now = 1800000001000;
    CHECK_OK(bough_label_set(t->store, ids[0], agent(t, ids[0], "hi"), "start", &t->err));
    t->env.now = 1800000002000;
    CHECK_OK(bough_entry_delete(t->store, ids[0], user(t, ids[0], "no"), &t->err));
    CHECK_OK(bough_memory_add(
        t->store, t->arena,
        &(struct bough_memory){ .scope = BOUGH_MEMORY_OF_PROJECT, .of = "/p", .content = "of /p" },
        &m, &t->err));
    CHECK_OK(bough_memory_add(
        t->store, t->arena,
        &(struct bough_memory){ .scope = BOUGH_MEMORY_OF_STORE, .content = "of all" }, &m,
        &t->err));
    CHECK_OK(bough_memory_add(
        t->store, t->arena,
        &(struct bough_memory){ .scope = BOUGH_MEMORY_OF_SESSION, .of = ids[0], .content = "old" },
        &m, &t->err));
    t->env.now = 1800000003000;
    CHECK_OK(bough_memory_forget(t->store, t->arena, BOUGH_MEMORY_OF_SESSION, ids[0], m->id, &gone,
                                 &t->err));
    CHECK_OK(bough_queue_add(t->store, t->arena, ids[0],
                             &(struct bough_prompt){ .content = "next", .model = "m" }, NULL,
                             &t->err));
    t->env.now = 1800000004000;
    CHECK_OK(bough_session_delete(t->store, ids[1], &t->err));
    CHECK_OK(bough_label_list(t->store, t->arena, ids[0], &labels, &t->err));
    labelled = labels.at[0].time;
    deleted = get(t, ids[1])->deleted;
    text = backup_text(t, ids, 2);
    path = file_make(t, "backup.jsonl", text, strlen(text));
    CHECK_INT(0, import_file(t, path).added); /* everything is known already */
    CHECK_STR(text, backup_text(t, ids, 2));
    fresh_store(t);
    t->env.now = 1900000000000;
    in = import_file(t, path);
    CHECK_INT(0, in.nproblems);
    CHECK_STR(text, backup_text(t, ids, 2));
    CHECK_INT(deleted, get(t, ids[1])->deleted);
    CHECK_OK(bough_label_list(t->store, t->arena, ids[0], &labels, &t->err));
    CHECK_INT(labelled, labels.at[0].time);
    CHECK_OK(bough_queue_list(t->store, t->arena, ids[0], &prompts, &t->err));
    CHECK_INT(1, prompts.n);
    CHECK_STR("m", prompts.at[0].model);
    CHECK_OK(bough_memory_list(t->store, t->arena, BOUGH_MEMORY_OF_PROJECT, "/p", &list, &t->err));
    CHECK_INT(1, list.n);
    CHECK_OK(
        bough_memory_list(t->store, t->arena, BOUGH_MEMORY_OF_SESSION, ids[0], &list, &t->err));
    CHECK_INT(0, list.n);
}
