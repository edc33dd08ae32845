/* Parts: checked when written, returned byte for byte (H16, H18, A3, A4, A9, A11, U10-U12). */
#include "lib/store_test.h"

#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"

static enum bough_rc try_parts(struct test *t, const char *s, enum bough_role role,
                               const struct bough_str *parts, size_t n,
                               struct bough_append_result *out)
{
    struct bough_entry_new e = { .role = role, .parts = parts, .nparts = n };
    struct bough_append_options in = { .entries = &e, .n = 1 };

    return bough_append(t->store, t->arena, s, &in, out, &t->err);
}

static const char *put(struct test *t, const char *s, const char *json)
{
    struct bough_str part = str_of(json);
    struct bough_append_result out;

    CHECK_OK(try_parts(t, s, BOUGH_ROLE_ASSISTANT, &part, 1, &out));
    return out.ids[0];
}

static struct bough_entry *entry(struct test *t, const char *id)
{
    struct bough_entry *e;

    CHECK_OK(bough_entry_get(t->store, t->arena, NULL, id, &e, &t->err));
    return e;
}

/* --- H16, H18: refused parts --- */

static const char *const bad_parts[] = {
    "",
    "{",
    "[]",
    "\"text\"",
    "null",
    "{}",
    "{\"type\":\"\"}",
    "{\"type\":7,\"text\":\"x\"}",
    "{\"text\":\"x\"}",
    "{\"type\":\"text\"}",
    "{\"type\":\"text\",\"text\":1}",
    "{\"type\":\"text\",\"text\":\"a\"} x",
    "{\"type\":\"text\",\"text\":\"\xff\"}",
    "{\"type\":\"text\",\"text\":\"\xed\xa0\x80\"}",
    "{\"type\":\"text\",\"text\":\"a\nb\"}",
    "{\"type\":\"text\",\"text\":\"a\",}",
    "{\"type\":\"text\",\"text\":\"a\",\"n\":01}",
    "{\"type\":\"text\",\"text\":\"a\",\"n\":NaN}",
    "{\"type\":\"tool_use\",\"id\":\"\",\"name\":\"n\"}",
    "{\"type\":\"tool_use\",\"id\":\"i\"}",
    "{\"type\":\"tool_result\"}",
    "{\"type\":\"image\",\"image_mime_type\":\"image/png\"}",
    "{\"type\":\"tool\",\"callID\":\"c\",\"tool\":\"t\"}",
    "{\"type\":\"tool\",\"callID\":\"c\",\"tool\":\"t\",\"state\":{\"status\":\"odd\"}}",
    "{\"type\":\"file\",\"mime\":\"a/b\"}",
    "{\"type\":\"file\",\"mime\":\"a/b\",\"url\":\"u\",\"source\":{\"type\":\"moon\"}}",
    "{\"type\":\"step-finish\",\"reason\":\"stop\"}",
    "{\"type\":\"step-finish\",\"reason\":\"stop\",\"tokens\":{\"input\":1}}",
    "{\"type\":\"patch\",\"hash\":\"h\"}",
    "{\"type\":\"patch\",\"hash\":\"h\",\"files\":[1]}",
    "{\"type\":\"snapshot\"}",
    "{\"type\":\"agent\"}",
    "{\"type\":\"compaction\",\"auto\":1}",
};

STORE_TEST(H16_an_invalid_part_is_refused_with_a_sentence_and_nothing_is_written)
{
    const char *s = new_session(t, "x");
    struct bough_session *before;
    struct bough_append_result out;

    user(t, s, "one");
    before = get(t, s);
    for (size_t i = 0; i < sizeof bad_parts / sizeof *bad_parts; i++) {
        struct bough_str two[] = { str_of("{\"type\":\"text\",\"text\":\"good\"}"),
                                   str_of(bad_parts[i]) };
        enum bough_rc rc = try_parts(t, s, BOUGH_ROLE_USER, two, 2, &out);

        if (rc != BOUGH_INVALID_PART)
            FAIL("%s: %s", bad_parts[i], bough_rc_name(rc));
        if (!strstr(t->err.msg, "part 2"))
            FAIL("%s: %s", bad_parts[i], t->err.msg);
    }
    CHECK_INT(before->rev, get(t, s)->rev);
    CHECK_STR("one", path_text(t, s));
}

STORE_TEST(H16_one_bad_entry_refuses_the_whole_append)
{
    const char *s = new_session(t, "x");
    struct bough_str bad = str_of("{\"type\":\"tool_result\"}");
    struct bough_entry_new e[] = { { .role = BOUGH_ROLE_USER, .text = "good" },
                                   { .role = BOUGH_ROLE_USER, .parts = &bad, .nparts = 1 } };
    struct bough_append_options in = { .entries = e, .n = 2 };
    struct bough_append_result out;

    CHECK_RC(BOUGH_INVALID_PART, bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK(strstr(t->err.msg, "entry 2"));
    CHECK_STR("", path_text(t, s));
}

STORE_TEST(H16_a_message_needs_a_role_and_a_known_session)
{
    const char *s = new_session(t, "x");
    struct bough_str part = str_of("{\"type\":\"text\",\"text\":\"x\"}");
    struct bough_append_result out;

    CHECK_RC(BOUGH_INVALID, try_parts(t, s, BOUGH_ROLE_NONE, &part, 1, &out));
    CHECK_RC(BOUGH_INVALID, try_parts(t, s, (enum bough_role)99, &part, 1, &out));
    CHECK_RC(BOUGH_NOT_FOUND, try_parts(t, "nobody", BOUGH_ROLE_USER, &part, 1, &out));
    CHECK_RC(BOUGH_INVALID, try_parts(t, "", BOUGH_ROLE_USER, &part, 1, &out));
}

STORE_TEST(H16_text_that_is_not_utf8_is_refused)
{
    const char *s = new_session(t, "x");
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = "a\x80" };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;

    CHECK_RC(BOUGH_INVALID, bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_STR("", path_text(t, s));
}

STORE_TEST(H16_an_append_bumps_updated_and_needs_something_to_append)
{
    const char *s = new_session(t, "x");
    int64_t before = get(t, s)->updated;
    struct bough_append_result out;

    CHECK_RC(BOUGH_INVALID, bough_append(t->store, t->arena, s, &(struct bough_append_options){ 0 },
                                         &out, &t->err));
    CHECK_INT(before, get(t, s)->updated);
    user(t, s, "x");
    CHECK(get(t, s)->updated > before);
}

/* --- A9, A11, H18: accepted parts and their canonical type --- */

static const struct {
    enum bough_part_type type;
    const char *json;
} good_parts[] = {
    { BOUGH_PART_TEXT, "{\"type\":\"text\",\"text\":\"\"}" },
    { BOUGH_PART_TEXT, "{\"type\":\"text\",\"text\":\"x\",\"synthetic\":true,\"ignored\":false,"
                       "\"time\":{\"start\":1},\"metadata\":{\"a\":[]}}" },
    { BOUGH_PART_REASONING, "{\"type\":\"reasoning\",\"text\":\"r\",\"time\":{\"start\":1}}" },
    { BOUGH_PART_REASONING, "{\"type\":\"thinking\",\"text\":\"\"}" },
    { BOUGH_PART_STEP_START, "{\"type\":\"step-start\"}" },
    { BOUGH_PART_STEP_FINISH,
      "{\"type\":\"step-finish\",\"reason\":\"stop\",\"cost\":0.1,\"tokens\":{\"input\":1,"
      "\"output\":2,\"reasoning\":3,\"cache\":{\"read\":4,\"write\":5}}}" },
    { BOUGH_PART_FILE, "{\"type\":\"file\",\"mime\":\"a/b\",\"url\":\"data:,x\",\"source\":{"
                       "\"type\":\"file\",\"path\":\"p\",\"text\":{\"value\":\"v\",\"start\":0,"
                       "\"end\":1}}}" },
    { BOUGH_PART_PATCH, "{\"type\":\"patch\",\"hash\":\"h\",\"files\":[\"a\",\"b\"]}" },
    { BOUGH_PART_SNAPSHOT, "{\"type\":\"snapshot\",\"snapshot\":\"tree\"}" },
    { BOUGH_PART_AGENT, "{\"type\":\"agent\",\"name\":\"reviewer\"}" },
    { BOUGH_PART_COMPACTION, "{\"type\":\"compaction\",\"auto\":true,\"overflow\":false}" },
    { BOUGH_PART_SUBTASK, "{\"type\":\"subtask\",\"prompt\":\"p\",\"description\":\"d\","
                          "\"agent\":\"a\"}" },
    { BOUGH_PART_RETRY, "{\"type\":\"retry\",\"attempt\":1,\"error\":{\"name\":\"E\"}}" },
    { BOUGH_PART_TOOL, "{\"type\":\"tool\",\"callID\":\"c\",\"tool\":\"t\",\"state\":{"
                       "\"status\":\"pending\",\"input\":{},\"raw\":\"\"}}" },
    { BOUGH_PART_TOOL, "{\"type\":\"tool\",\"callID\":\"c\",\"tool\":\"t\",\"state\":{"
                       "\"status\":\"running\",\"input\":{},\"time\":{\"start\":1}}}" },
    { BOUGH_PART_TOOL, "{\"type\":\"tool\",\"callID\":\"c\",\"tool\":\"t\",\"state\":{"
                       "\"status\":\"completed\",\"input\":{},\"output\":\"o\",\"title\":\"t\","
                       "\"metadata\":{},\"time\":{\"start\":1,\"end\":2,\"compacted\":3}}}" },
    { BOUGH_PART_TOOL, "{\"type\":\"tool\",\"callID\":\"c\",\"tool\":\"t\",\"state\":{"
                       "\"status\":\"error\",\"input\":{},\"error\":\"e\",\"time\":{\"start\":1,"
                       "\"end\":2}}}" },
    { BOUGH_PART_TOOL, "{\"type\":\"tool_use\",\"id\":\"i\",\"name\":\"n\",\"input\":[1]}" },
    { BOUGH_PART_TOOL, "{\"type\":\"tool_result\",\"tool_use_id\":\"i\",\"content\":\"c\","
                       "\"is_error\":true}" },
    { BOUGH_PART_FILE, "{\"type\":\"image\",\"image_mime_type\":\"image/png\","
                       "\"image_base64\":\"AA==\"}" },
    { BOUGH_PART_OTHER, "{\"type\":\"hologram\",\"beam\":{\"type\":\"text\"}}" },
};

STORE_TEST(A9_every_shape_of_part_is_accepted_with_its_type_and_comes_back)
{
    enum { N = sizeof good_parts / sizeof *good_parts };
    const char *s = new_session(t, "x");
    struct bough_str parts[N];
    struct bough_append_result out;
    struct bough_entry *e;

    for (size_t i = 0; i < N; i++)
        parts[i] = str_of(good_parts[i].json);
    CHECK_OK(try_parts(t, s, BOUGH_ROLE_ASSISTANT, parts, N, &out));
    e = entry(t, out.ids[0]);
    CHECK_INT(N, e->nparts);
    for (size_t i = 0; i < N; i++) {
        CHECK_INT(good_parts[i].type, e->parts[i].type);
        CHECK_SPAN(good_parts[i].json, e->parts[i].json);
    }
}

STORE_TEST(A4_parts_keep_their_order_and_are_found_by_id)
{
    const char *s = new_session(t, "x"), *id;
    struct bough_str parts[300];
    struct bough_append_result out;
    struct bough_part one;

    for (int i = 0; i < 300; i++)
        parts[i] = str_of(arena_printf(t->arena, "{\"type\":\"text\",\"text\":\"%d\"}", 299 - i));
    CHECK_OK(try_parts(t, s, BOUGH_ROLE_USER, parts, 300, &out));
    id = out.ids[0];
    for (int i = 0; i < 300; i += 37) {
        CHECK_OK(bough_part_get(t->store, t->arena, arena_printf(t->arena, "%s.%04x", id, i), &one,
                                &t->err));
        CHECK_INT(BOUGH_PART_TEXT, one.type);
        CHECK_SPAN(parts[i].p, one.json);
    }
    CHECK_RC(BOUGH_NOT_FOUND, bough_part_get(t->store, t->arena,
                                             arena_printf(t->arena, "%s.012c", id), &one, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_part_get(t->store, t->arena, id, &one, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_part_get(t->store, t->arena,
                                           arena_printf(t->arena, "%s.zzzz", id), &one, &t->err));
    CHECK_RC(BOUGH_NOT_FOUND,
             bough_part_get(t->store, t->arena, "01ARZ3NDEKTSV4RRFFQ69G5FAV.0000", &one, &t->err));
}

STORE_TEST(A4_a_part_number_is_four_hex_digits_and_nothing_else)
{
    const char *s = new_session(t, "x"), *id = user(t, s, "one");
    const char *bad[] = { "-000", "+000", " 000", "0x00", "000", "00000", "" };
    struct bough_part one;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_RC(BOUGH_INVALID,
                 bough_part_get(t->store, t->arena, arena_printf(t->arena, "%s.%s", id, bad[i]),
                                &one, &t->err));
}

STORE_TEST(A4_an_entry_is_found_by_the_id_of_one_of_its_parts)
{
    const char *s = new_session(t, "x"), *id = user(t, s, "one");
    struct bough_entry *e;

    CHECK_OK(
        bough_entry_get(t->store, t->arena, s, arena_printf(t->arena, "%s.0000", id), &e, &t->err));
    CHECK_STR(id, e->id);
}

STORE_TEST(A3_messages_of_one_append_and_one_moment_keep_their_order)
{
    const char *s = new_session(t, "x"), *want = "0";
    struct bough_entry_new e[50];
    struct bough_append_options in = { .entries = e, .n = 50 };
    struct bough_append_result out;

    t->env.step = 0;
    for (int i = 0; i < 50; i++) {
        e[i] = (struct bough_entry_new){ .role = BOUGH_ROLE_USER,
                                         .text = arena_printf(t->arena, "%d", i),
                                         .time = 1000 };
        want = i ? arena_printf(t->arena, "%s %d", want, i) : want;
    }
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_INT(50, out.n);
    CHECK_STR(want, path_text(t, s));
    CHECK_STR(want,
              read_text(t, s, &(struct bough_entries_read_options){ .what = BOUGH_ENTRIES_OWN }));
}

/* --- U11, U10: roles and kinds --- */

STORE_TEST(U11_every_role_comes_back_and_another_word_is_kept_in_data)
{
    const char *s = new_session(t, "x");
    struct bough_entry_new e = { .text = "x" };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;

    for (int role = BOUGH_ROLE_SYSTEM; role <= BOUGH_ROLE_OTHER; role++) {
        e.role = (enum bough_role)role;
        e.data = role == BOUGH_ROLE_OTHER ? str_of("{\"role\":\"moderator\"}") : str_of("");
        CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
        CHECK_INT(role, entry(t, out.ids[0])->role);
    }
    CHECK_SPAN("{\"role\":\"moderator\"}", entry(t, out.ids[0])->data);
}

STORE_TEST(U10_an_unknown_kind_is_kept_untouched_with_its_name)
{
    const char *s = new_session(t, "x");
    struct bough_entry_new e = { .kind = BOUGH_ENTRY_OTHER,
                                 .kind_name = "active_tools_change",
                                 .data =
                                     str_of("{ \"tools\":[1e400,\"\\ud800\"] , \"a\":1,\"a\":2}"),
                                 .metadata = str_of("{\"m\":null}"),
                                 .time = 42 };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;
    struct bough_entry *got;

    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    if (store_lasts(t))
        store_reopen(t);
    got = entry(t, out.ids[0]);
    CHECK_INT(BOUGH_ENTRY_OTHER, got->kind);
    CHECK_STR("active_tools_change", got->kind_name);
    CHECK_SPAN(e.data.p, got->data);
    CHECK_SPAN("{\"m\":null}", got->metadata);
    CHECK_INT(42, got->time);
    CHECK_INT(0, got->mno);
    CHECK_INT(0, get(t, s)->messages);
    e.kind_name = "";
    CHECK_RC(BOUGH_INVALID, bough_append(t->store, t->arena, s, &in, &out, &t->err));
    e.kind = (enum bough_entry_kind)99;
    CHECK_RC(BOUGH_INVALID, bough_append(t->store, t->arena, s, &in, &out, &t->err));
}

STORE_TEST(U10_known_kinds_without_messages_come_back_as_what_they_are)
{
    const enum bough_entry_kind kinds[] = { BOUGH_ENTRY_MODEL_CHANGE,
                                            BOUGH_ENTRY_THINKING_LEVEL_CHANGE,
                                            BOUGH_ENTRY_BRANCH_SUMMARY, BOUGH_ENTRY_CUSTOM,
                                            BOUGH_ENTRY_CUSTOM_MESSAGE };
    const char *s = new_session(t, "x");

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct bough_entry_new e = { .kind = kinds[i], .data = str_of("{\"x\":1}") };
        struct bough_append_options in = { .entries = &e, .n = 1 };
        struct bough_append_result out;

        CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
        CHECK_INT(kinds[i], entry(t, out.ids[0])->kind);
        CHECK_SPAN("{\"x\":1}", entry(t, out.ids[0])->data);
    }
    CHECK_INT(0, get(t, s)->messages);
}

STORE_TEST(A3_every_column_of_a_message_comes_back)
{
    const char *s = new_session(t, "x");
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT,
                                 .text = "t",
                                 .time = 77,
                                 .id = "msg_1",
                                 .finish = "tool-calls",
                                 .error = str_of("{\"name\":\"E\"}"),
                                 .data = str_of("{\"path\":{\"cwd\":\"/\"}}"),
                                 .metadata = str_of("{\"k\":1}"),
                                 .usage = &(struct bough_totals){ .input = 1,
                                                                  .output = 2,
                                                                  .reasoning = 3,
                                                                  .cache_read = 4,
                                                                  .cache_write = 5,
                                                                  .cost = 6 },
                                 .duration = 99 };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;
    struct bough_entry *got;

    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    got = entry(t, out.ids[0]);
    CHECK_STR(s, got->session);
    CHECK_INT(77, got->time);
    CHECK_STR("msg_1", got->origin);
    CHECK_STR("tool-calls", got->finish);
    CHECK_SPAN("{\"name\":\"E\"}", got->error);
    CHECK_SPAN("{\"path\":{\"cwd\":\"/\"}}", got->data);
    CHECK_SPAN("{\"k\":1}", got->metadata);
    CHECK(got->usage);
    for (int i = 0; i < 6; i++)
        CHECK_INT(i + 1, ((const int64_t *)got->usage)[i]);
    CHECK_INT(99, got->duration);
    CHECK_INT(1, got->mno);
    CHECK_INT(0, got->deleted);
}

/* --- U12: byte for byte --- */

static const char *const odd_parts[] = {
    "{\"type\":\"text\",\"text\":\"a\",\"n\":[1e400,-0,0.1e-7,123456789012345678901234567890,1.0]}",
    "{\"type\":\"text\",\"text\":\"first\",\"text\":\"second\",\"type\":\"text\"}",
    "{\"type\":\"text\",\"text\":\"\\ud800 \\udc00 \\uDFFF\"}",
    "{\"type\":\"text\",\"text\":\"\\u0000\\u001f\\/\\u0041\"}",
    "{\"z\":1,\"text\":\"x\",\"a\":2,\"type\":\"text\"}",
    "{ \"type\" :\t\"text\" ,\r\n \"text\":\"x\" }",
    "{\"type\":\"text\",\"text\":\"\\u00fc ü \xf0\x9f\x8c\xb3 \xef\xbf\xbf\"}",
    "{\"\\u0074ype\":\"text\",\"text\":\"escaped key\"}",
    "{\"type\":\"\\u0074ext\",\"text\":\"escaped type\"}",
    "{\"type\":\"tool_use\",\"id\":\"i\",\"name\":\"n\",\"input\":{\"b\":1,\"a\":{\"b\":1e400}}}",
    "{\"type\":\"hologram\",\"\":{},\"\\u0000\":[[[]]]}",
};

static void check_odd(struct test *t, const char *ids[], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct bough_entry *e = entry(t, ids[i]);

        CHECK_INT(1, e->nparts);
        CHECK_INT(strlen(odd_parts[i]), e->parts[0].json.n);
        CHECK_SPAN(odd_parts[i], e->parts[0].json);
    }
}

STORE_TEST(U12_raw_parts_come_back_byte_for_byte_also_after_reopening)
{
    enum { N = sizeof odd_parts / sizeof *odd_parts };
    const char *s = new_session(t, "x"), *ids[N];

    for (size_t i = 0; i < N; i++)
        ids[i] = put(t, s, odd_parts[i]);
    check_odd(t, ids, N);
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    check_odd(t, ids, N);
    if (!store_lasts(t))
        return;
    store_reopen(t);
    check_odd(t, ids, N);
}

/* A message large enough to be compressed: every odd part 200 times. */
static size_t large(struct test *t, struct bough_str **out)
{
    enum { N = sizeof odd_parts / sizeof *odd_parts };
    struct bough_str *parts = bough_arena_alloc(t->arena, 200 * N * sizeof *parts);

    for (size_t i = 0; i < 200 * N; i++)
        parts[i] = str_of(odd_parts[i % N]);
    *out = parts;
    return 200 * N;
}

static void check_large(struct test *t, const char *id, const struct bough_str *parts, size_t n)
{
    struct bough_entry *e = entry(t, id);

    CHECK_INT(n, e->nparts);
    for (size_t i = 0; i < n; i++) {
        CHECK_INT(parts[i].n, e->parts[i].json.n);
        CHECK_MEM(parts[i].p, e->parts[i].json.p, parts[i].n);
    }
}

STORE_TEST(U12_large_messages_come_back_byte_for_byte_with_and_without_compression)
{
    const char *s = new_session(t, "x"), *ids[2];
    struct bough_env env = { .now = t->env.env.now,
                             .random = t->env.env.random,
                             .user = t->env.env.user };
    struct bough_store_open_options plain = { .compression = BOUGH_COMPRESS_NEVER, .env = &env };
    struct bough_append_result out;
    struct bough_str *parts;
    size_t n = large(t, &parts);

    CHECK_OK(try_parts(t, s, BOUGH_ROLE_USER, parts, n, &out));
    ids[0] = arena_strdup(t->arena, out.ids[0]);
    check_large(t, ids[0], parts, n);
    if (!store_lasts(t))
        return;
    bough_store_close(&t->store);
    CHECK_OK(bough_store_open(&t->store, t->url, &plain, &t->err));
    check_large(t, ids[0], parts, n);
    CHECK_OK(try_parts(t, s, BOUGH_ROLE_USER, parts, n, &out));
    ids[1] = arena_strdup(t->arena, out.ids[0]);
    store_reopen(t);
    for (int i = 0; i < 2; i++)
        check_large(t, ids[i], parts, n);
}

STORE_TEST(U12_a_string_of_content_becomes_one_text_part_with_its_own_escapes)
{
    struct bough_str *parts;
    size_t n;

    CHECK_OK(bough_parts_split(t->arena, str_of(" \"a\\u0041\\ud800\" "), &parts, &n, &t->err));
    CHECK_INT(1, n);
    CHECK_SPAN("{\"type\":\"text\",\"text\":\"a\\u0041\\ud800\"}", parts[0]);
    CHECK_RC(BOUGH_INVALID_PART,
             bough_parts_split(t->arena, str_of("[{\"type\":\"text\"},1]"), &parts, &n, &t->err));
}

STORE_TEST(H18_a_message_without_parts_is_kept)
{
    const char *s = new_session(t, "x");
    struct bough_append_result out;

    CHECK_OK(try_parts(t, s, BOUGH_ROLE_ASSISTANT, NULL, 0, &out));
    CHECK_INT(0, entry(t, out.ids[0])->nparts);
    CHECK_INT(1, get(t, s)->messages);
}
