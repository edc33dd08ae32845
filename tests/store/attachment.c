/* Attachments: stored as a stream, linked by the entries that show them, read through those. */
#include <stdio.h>

#include "base/hash/crc32c.h"
#include "base/hash/sha256.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/base64.h"
#include "base/text/str.h"
#include "lib/store_test.h"
#include "store/lookup/blob.h"

#define DAY (INT64_C(24) * 3600 * 1000)

/* Pseudo-random bytes, the same for the same seed. */
static char *noise(struct test *t, size_t n, uint64_t seed)
{
    char *p = arena_alloc(t->arena, n + 1);

    for (size_t i = 0; i < n; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        p[i] = (char)(seed >> 56);
    }
    return p;
}

static struct bough_attachment store_bytes(struct test *t, const void *p, size_t n, size_t step)
{
    struct bough_attachment_writer *w = NULL;
    struct bough_attachment out;

    CHECK_OK(bough_attachment_begin(t->store, &w, &t->err));
    for (size_t i = 0; i < n; i += step)
        CHECK_OK(
            bough_attachment_write(w, (const char *)p + i, n - i < step ? n - i : step, &t->err));
    CHECK_OK(bough_attachment_finish(&w, &out, &t->err));
    CHECK(!w);
    return out;
}

static enum bough_rc append_part(struct test *t, const char *session, const char *part,
                                 const char **id)
{
    struct bough_str parts[1] = { str_of(part) };
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .parts = parts, .nparts = 1 };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;
    enum bough_rc rc = bough_append(t->store, t->arena, session, &in, &out, &t->err);

    if (id)
        *id = rc ? "" : out.ids[0];
    return rc;
}

static const char *file_part(struct test *t, const char *url)
{
    return arena_printf(
        t->arena,
        "{\"type\":\"file\",\"mime\":\"image/png\",\"filename\":\"a.png\",\"url\":\"%s\"}", url);
}

static const char *base64(struct test *t, const void *p, size_t n)
{
    char *text = arena_alloc(t->arena, base64_length(n) + 1);

    base64_encode(p, n, text);
    text[base64_length(n)] = '\0';
    return text;
}

/* An image part in pi's form. */
static const char *image(struct test *t, const void *p, size_t n)
{
    return arena_printf(
        t->arena, "{\"type\":\"image\", \"data\":\"%s\",\"mimeType\":\"image/jpeg\",\"x\":1.0}",
        base64(t, p, n));
}

struct got {
    struct test *t;
    char *p;
    size_t n, calls;
    size_t stop; /* stop the read at this call; 0: never */
};

static bool take(void *user, const void *p, size_t n)
{
    struct got *g = user;

    memcpy(g->p + g->n, p, n);
    g->n += n;
    return ++g->calls != g->stop;
}

static enum bough_rc read_range(struct test *t, const char *session, const char *entry, size_t n,
                                int64_t from, int64_t length, struct got *out)
{
    *out = (struct got){ .t = t, .p = arena_alloc(t->arena, 4 << 20), .stop = out->stop };
    return bough_attachment_read(
        t->store, session, entry,
        &(struct bough_attachment_read_options){
            .index = n, .from = from, .length = length, .write = take, .user = out },
        &t->err);
}

static struct bough_store_stats_result stats(struct test *t)
{
    struct bough_store_stats_result s;

    CHECK_OK(bough_store_stats(t->store, &s, &t->err));
    return s;
}

static const char *part_of(struct test *t, const char *session, const char *entry)
{
    struct bough_entry *e;

    CHECK_OK(bough_entry_get(t->store, t->arena, session, entry, &e, &t->err));
    return arena_strndup(t->arena, e->parts[0].json.p, e->parts[0].json.n);
}

STORE_TEST(an_attachment_is_read_through_the_message_that_shows_it)
{
    enum { SIZE = 3 * LIMIT_CHUNK + 1000 };
    const char *s = new_session(t, "files"), *id, *bytes = noise(t, SIZE, 1);
    struct bough_attachment a = store_bytes(t, bytes, SIZE, 1000);
    struct bough_attachments list;
    struct got got = { 0 };

    CHECK_INT(SIZE, a.size);
    CHECK_INT(BOUGH_ATTACHMENT_URL_LEN, strlen(a.url));
    CHECK_OK(append_part(t, s, file_part(t, a.url), &id));
    CHECK_STR(file_part(t, a.url), part_of(t, s, id));
    CHECK_OK(bough_attachment_list(t->store, t->arena, s, id, &list, &t->err));
    CHECK_INT(1, list.n);
    CHECK_INT(SIZE, list.at[0].size);
    CHECK_INT(0, list.at[0].part);
    CHECK_STR(a.url, list.at[0].url);
    CHECK_STR("image/png", list.at[0].mime);
    CHECK_STR("a.png", list.at[0].name);
    CHECK_OK(read_range(t, s, id, 0, 0, 0, &got));
    CHECK_INT(SIZE, got.n);
    CHECK_MEM(bytes, got.p, SIZE);
}

STORE_TEST(ranges_of_an_attachment_are_exact_at_every_edge)
{
    enum { SIZE = 2 * 16 * LIMIT_CHUNK + 77 }; /* more than two steps of a read */
    const int64_t edges[] = {
        0, 1, 1000, LIMIT_CHUNK - 1, LIMIT_CHUNK, LIMIT_CHUNK + 1, 16 * LIMIT_CHUNK, SIZE - 1, SIZE
    };
    const char *s = new_session(t, "files"), *id, *bytes = noise(t, SIZE, 2);
    struct got got = { 0 };

    CHECK_OK(append_part(t, s, file_part(t, store_bytes(t, bytes, SIZE, 99999).url), &id));
    for (size_t i = 0; i < 9; i++)
        for (size_t k = i + 1; k < 9; k += 3) {
            CHECK_OK(read_range(t, s, id, 0, edges[i], edges[k] - edges[i], &got));
            CHECK_INT(edges[k] - edges[i], got.n);
            CHECK_MEM(bytes + edges[i], got.p, got.n);
        }
    CHECK_OK(read_range(t, s, id, 0, SIZE - 5, 1000, &got));
    CHECK_INT(5, got.n);
    got.stop = 1;
    CHECK_OK(read_range(t, s, id, 0, 0, 0, &got));
    CHECK_INT(16 * LIMIT_CHUNK, got.n);
    got.stop = 0;
    CHECK_RC(BOUGH_INVALID, read_range(t, s, id, 0, SIZE + 1, 0, &got));
    CHECK_RC(BOUGH_INVALID, read_range(t, s, id, 0, -1, 0, &got));
    CHECK_RC(BOUGH_INVALID, read_range(t, s, id, 0, 0, -1, &got));
    CHECK_RC(BOUGH_NOT_FOUND, read_range(t, s, id, 1, 0, 0, &got));
}

STORE_TEST(an_attachment_is_never_read_by_its_hash_or_through_another_session)
{
    const char *s = new_session(t, "mine"), *other = new_session(t, "theirs"), *id;
    struct bough_attachment a = store_bytes(t, "secret", 6, 6);
    struct bough_attachments list;
    struct got got = { 0 };

    CHECK_OK(append_part(t, s, file_part(t, a.url), &id));
    user(t, other, "hello");
    CHECK_RC(BOUGH_INVALID, read_range(t, other, id, 0, 0, 0, &got));
    CHECK_RC(BOUGH_INVALID, read_range(t, "", id, 0, 0, 0, &got));
    CHECK_RC(BOUGH_NOT_FOUND, read_range(t, s, a.url, 0, 0, 0, &got));
    CHECK_RC(BOUGH_INVALID, bough_attachment_list(t->store, t->arena, other, id, &list, &t->err));
    /* A day after it was stored, its hash alone does not let another session show it. */
    test_later(t, DAY + 1);
    CHECK_RC(BOUGH_NOT_FOUND, append_part(t, other, file_part(t, a.url), NULL));
    CHECK_OK(append_part(t, s, file_part(t, a.url), NULL)); /* this session shows it already */
    store_bytes(t, "secret", 6, 6); /* a caller that stores the same bytes may show them */
    CHECK_OK(append_part(t, other, file_part(t, a.url), NULL));
}

STORE_TEST(a_part_that_names_no_attachment_is_refused_and_nothing_is_written)
{
    char url[ATTACH_NAME_LEN + 1];
    unsigned char hash[32] = { 1, 2, 3 };
    const char *s = new_session(t, "files");
    int64_t before = stats(t).log_rows;

    attach_name(hash, url);
    CHECK_RC(BOUGH_NOT_FOUND, append_part(t, s, file_part(t, url), NULL));
    CHECK_INT(before, stats(t).log_rows);
    CHECK_OK(append_part(t, s, file_part(t, "bough:sha256-12"), NULL)); /* not an attachment */
    CHECK_OK(append_part(t, s, file_part(t, "https://example.org/a.png"), NULL));
    url[20] = 'G';
    CHECK_OK(append_part(t, s, file_part(t, url), NULL));
}

STORE_TEST(base64_in_a_part_is_stored_once_and_comes_back_byte_for_byte)
{
    enum { SIZE = 200001 };
    const char *bytes = noise(t, SIZE, 3), *text = base64(t, bytes, SIZE), *id[6];
    const char *parts[6] = {
        image(t, bytes, SIZE),
        arena_printf(t->arena,
                     "{\"type\":\"file\",\"mime\":\"x\",\"url\":\"data:image/png;base64,%s\"}",
                     text),
        arena_printf(t->arena,
                     "{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/"
                     "gif\",\"data\":\"%s\"}}",
                     text),
        arena_printf(t->arena,
                     "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:;base64,%s\"}}", text),
        arena_printf(t->arena,
                     "{\"type\":\"tool_result\",\"tool_use_id\":\"u\",\"content\":[{\"a\":\"%s\"},"
                     "\"%s\", {\"b\":\"no\"}]}",
                     text, text),
        arena_printf(t->arena,
                     "{\"type\":\"image\",\"image_mime_type\":\"a/b\",\"image_base64\":\"%s\"}",
                     text),
    };
    const char *s = new_session(t, "images");
    struct bough_attachments list;
    struct got got = { 0 };

    for (int i = 0; i < 6; i++)
        CHECK_OK(append_part(t, s, parts[i], &id[i]));
    CHECK_INT(1, stats(t).attachments);
    CHECK_INT(SIZE, stats(t).attachment_bytes);
    CHECK(stats(t).content_bytes < 4000);
    for (int i = 0; i < 6; i++)
        CHECK_STR(parts[i], part_of(t, s, id[i]));
    CHECK_OK(bough_attachment_list(t->store, t->arena, s, id[4], &list, &t->err));
    CHECK_INT(2, list.n);
    CHECK_OK(bough_attachment_list(t->store, t->arena, s, id[1], &list, &t->err));
    CHECK_INT(1, list.n);
    CHECK_STR("image/png", list.at[0].mime);
    CHECK_OK(bough_attachment_list(t->store, t->arena, s, id[2], &list, &t->err));
    CHECK_STR("image/gif", list.at[0].mime);
    CHECK_OK(read_range(t, s, id[4], 1, 100000, 7, &got));
    CHECK_MEM(bytes + 100000, got.p, 7);
    if (store_lasts(t)) {
        store_reopen(t);
        for (int i = 0; i < 6; i++)
            CHECK_STR(parts[i], part_of(t, s, id[i]));
    }
}

STORE_TEST(every_part_of_a_message_with_several_images_comes_back_byte_for_byte)
{
    enum { N = 3, RUNS = ATTACH_RUNS + 2 };
    const char *s = new_session(t, "images"), *many = "";
    struct bough_str parts[N + 1];
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .parts = parts, .nparts = N + 1 };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;
    struct bough_attachments list;
    struct bough_entry *got;

    for (size_t i = 0; i < N; i++)
        parts[i] = str_of(image(t, noise(t, 20000 + i, 20 + i), 20000 + i));
    for (size_t i = 0; i < RUNS; i++) /* more than are looked for: the rest stays where it is */
        many = arena_printf(t->arena, "%s%s\"%s\"", many, i ? "," : "",
                            base64(t, noise(t, LIMIT_INLINE, 30 + i), LIMIT_INLINE));
    parts[N] = str_of(arena_printf(
        t->arena, "{\"type\":\"tool_result\",\"tool_use_id\":\"u\",\"content\":[%s]}", many));
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_INT(N + ATTACH_RUNS, stats(t).attachments);
    CHECK_OK(bough_entry_get(t->store, t->arena, s, out.ids[0], &got, &t->err));
    CHECK_INT(N + 1, got->nparts);
    for (size_t i = 0; i <= N; i++)
        CHECK_SPAN(parts[i].p, got->parts[i].json);
    CHECK_OK(bough_attachment_list(t->store, t->arena, s, out.ids[0], &list, &t->err));
    CHECK_INT(N + ATTACH_RUNS, list.n);
    CHECK_INT(1, list.at[1].part);
    CHECK_INT(20001, list.at[1].size);
}

STORE_TEST(base64_that_is_not_canonical_stays_in_its_part)
{
    enum { SIZE = 20000 };
    const char *bytes = noise(t, SIZE, 4), *id;
    char *text[5];
    const char *s = new_session(t, "images");
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER };

    for (int i = 0; i < 5; i++)
        text[i] = arena_strdup(t->arena, base64(t, bytes, SIZE));
    text[0][500] = '-';                  /* the URL-safe alphabet */
    text[1][strlen(text[1]) - 2]++;      /* unused bits set */
    text[2][strlen(text[2]) - 1] = 'A';  /* padding replaced */
    text[3][strlen(text[3]) - 1] = '\0'; /* truncated */
    memcpy(text[4] + 40, "ab==", 4);     /* padding in the middle */
    for (int i = 0; i < 5; i++) {
        const char *part = arena_printf(
            t->arena, "{\"type\":\"image\",\"data\":\"%s\",\"mimeType\":\"a/b\"}", text[i]);

        CHECK_OK(append_part(t, s, part, &id));
        CHECK_STR(part, part_of(t, s, id));
    }
    /* Base64 in a text stays text. A small image stays in its part. */
    e.text = base64(t, bytes, SIZE);
    CHECK_OK(bough_append(t->store, t->arena, s,
                          &(struct bough_append_options){ .entries = &e, .n = 1 },
                          &(struct bough_append_result){ 0 }, &t->err));
    CHECK_OK(append_part(t, s, image(t, bytes, 9000), NULL));
    CHECK_INT(1, stats(t).attachments); /* the third case is valid base64 of other bytes */
}

STORE_TEST(forks_see_what_they_inherit_and_copies_link_it_again)
{
    enum { SIZE = 30000 };
    const char *bytes = noise(t, SIZE, 5), *s = new_session(t, "images"), *id, *fork, *copy;
    struct bough_session_fork_options how = { .copy = true };
    struct bough_session *made;
    struct bough_entries_read_result path;
    struct got got = { 0 };

    CHECK_OK(append_part(t, s, image(t, bytes, SIZE), &id));
    fork = fork_at(t, s, id);
    CHECK_OK(bough_session_fork(t->store, t->arena, s, &how, &made, &t->err));
    copy = made->id;
    CHECK_OK(read_range(t, fork, id, 0, 0, 0, &got));
    CHECK_MEM(bytes, got.p, SIZE);
    CHECK_INT(1, stats(t).attachments);
    /* The first purge keeps it for the fork and the copy, the second one for the copy. */
    CHECK_OK(bough_session_purge(t->store, t->arena, s, NULL, &t->err));
    CHECK_OK(read_range(t, fork, id, 0, 0, 0, &got));
    CHECK_MEM(bytes, got.p, SIZE);
    CHECK_OK(bough_session_purge(t->store, t->arena, fork, NULL, &t->err));
    CHECK_INT(1, stats(t).attachments);
    CHECK_OK(bough_entries_read(t->store, t->arena, copy, NULL, &path, &t->err));
    CHECK_SPAN(image(t, bytes, SIZE), path.entries.at[0].parts[0].json);
    CHECK_OK(bough_session_purge(t->store, t->arena, copy, NULL, &t->err));
    CHECK_INT(0, stats(t).attachments);
    CHECK_INT(0, stats(t).attachment_bytes);
}

STORE_TEST(unlinked_attachments_are_deleted_after_a_day)
{
    const char *s = new_session(t, "files"), *id;
    struct bough_attachment shown = store_bytes(t, "shown", 5, 5);
    struct bough_attachment_writer *w;
    struct got got = { 0 };

    store_bytes(t, "not shown", 9, 9);
    CHECK_OK(bough_attachment_begin(t->store, &w, &t->err));
    CHECK_OK(bough_attachment_write(w, noise(t, 2 * LIMIT_CHUNK, 6), 2 * LIMIT_CHUNK, &t->err));
    CHECK_OK(append_part(t, s, file_part(t, shown.url), &id));
    CHECK_INT(2, stats(t).attachments);
    test_later(t, DAY - 1000);
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    CHECK_INT(2, stats(t).attachments);
    store_bytes(t, "not shown", 9, 9); /* stored again: kept for another day */
    test_later(t, 2000);
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    CHECK_INT(2, stats(t).attachments);
    CHECK_INT(5 + 9, stats(t).attachment_bytes); /* the unfinished one of a day ago is gone */
    CHECK_RC(BOUGH_GONE, bough_attachment_write(w, noise(t, LIMIT_CHUNK, 7), LIMIT_CHUNK, &t->err));
    bough_attachment_cancel(&w);
    test_later(t, DAY);
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    CHECK_INT(1, stats(t).attachments);
    CHECK_OK(read_range(t, s, id, 0, 0, 0, &got));
    CHECK_MEM("shown", got.p, 5);
    /* After the purge no entry shows it, and its day is over. */
    CHECK_OK(bough_session_purge(t->store, t->arena, s, NULL, &t->err));
    CHECK_INT(0, stats(t).attachments);
}

STORE_TEST(a_writer_that_is_cancelled_leaves_nothing)
{
    struct bough_attachment_writer *w;
    struct bough_attachment a;

    CHECK_OK(bough_attachment_begin(t->store, &w, &t->err));
    CHECK_OK(bough_attachment_write(w, noise(t, 300000, 8), 300000, &t->err));
    CHECK(stats(t).attachment_bytes > 0);
    CHECK_INT(0, stats(t).attachments);
    bough_attachment_cancel(&w);
    CHECK(!w);
    bough_attachment_cancel(&w);
    CHECK_INT(0, stats(t).attachment_bytes);
    CHECK_OK(bough_attachment_begin(t->store, &w, &t->err));
    CHECK_RC(BOUGH_TOO_LARGE,
             bough_attachment_write(w, "x", (size_t)LIMIT_ATTACHMENT_BYTES + 1, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_attachment_write(w, "x", 1, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_attachment_finish(&w, &a, &t->err));
    CHECK(!w);
}

static long short_reads(void *user, void *to, size_t n)
{
    struct bough_str *left = user;
    size_t k = left->n < 333 ? left->n : 333;

    CHECK(n >= k);
    if (k == 0 && left->p[0] == 'F')
        return -1;
    memcpy(to, left->p, k);
    *left = str_make(left->p + k, left->n - k);
    return (long)k;
}

STORE_TEST(an_attachment_may_come_from_a_reader_and_may_be_empty)
{
    struct bough_str text = str_make(noise(t, 100000, 9), 100000), bad = str_make("F", 0);
    struct bough_str empty = str_make("", 0);
    const char *s = new_session(t, "files"), *id;
    struct bough_attachment a;
    unsigned char hash[32];
    char name[ATTACH_NAME_LEN + 1];
    struct got got = { 0 };

    sha256(text.p, text.n, hash);
    attach_name(hash, name);
    CHECK_OK(bough_attachment_store(t->store, short_reads, &text, &a, &t->err));
    CHECK_INT(100000, a.size);
    CHECK_STR(name, a.url);
    CHECK_RC(BOUGH_IO, bough_attachment_store(t->store, short_reads, &bad, &a, &t->err));
    CHECK_OK(bough_attachment_store(t->store, short_reads, &empty, &a, &t->err));
    CHECK_INT(0, a.size);
    CHECK_OK(append_part(t, s, file_part(t, a.url), &id));
    CHECK_OK(read_range(t, s, id, 0, 0, 0, &got));
    CHECK_INT(0, got.n);
}

/* A history like a real one with many images: the same screenshots again and again. */
STORE_TEST_SECONDS(two_thousand_copies_of_22_images_take_a_tenth_of_their_bytes, 120)
{
    enum { IMAGES = 22, COPIES = 2331, SIZE = 24000, BATCH = 111 };
    const char *images[IMAGES], *s = new_session(t, "pictures");
    struct bough_str parts[BATCH];
    struct bough_entry_new e[BATCH];
    struct bough_append_options in = { .entries = e };
    struct bough_append_result out;
    struct bough_entries_read_result path;
    int64_t content = 0;

    for (int i = 0; i < IMAGES; i++)
        images[i] = image(t, noise(t, SIZE, 100 + (uint64_t)i), SIZE);
    for (int done = 0; done < COPIES; done += (int)in.n) {
        in.n = COPIES - done < BATCH ? (size_t)(COPIES - done) : BATCH;
        for (size_t k = 0; k < in.n; k++) {
            parts[k] = str_of(images[((size_t)done + k) * 7 % IMAGES]);
            e[k] = (struct bough_entry_new){ .role = BOUGH_ROLE_USER,
                                             .parts = &parts[k],
                                             .nparts = 1 };
            content += (int64_t)parts[k].n;
        }
        CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    }
    CHECK_INT(IMAGES, stats(t).attachments);
    CHECK(stats(t).content_bytes + stats(t).attachment_bytes < content / 10);
    CHECK_OK(bough_entries_read(t->store, t->arena, s,
                                &(struct bough_entries_read_options){ .limit = 100 }, &path,
                                &t->err));
    CHECK_INT(100, path.entries.n);
    for (size_t i = 0; i < path.entries.n; i++)
        CHECK_SPAN(images[i * 7 % IMAGES], path.entries.at[i].parts[0].json);
    if (store_lasts(t)) {
        store_reopen(t);
        CHECK(stats(t).file_bytes > 0 && stats(t).file_bytes < content / 10);
    }
}

STORE_TEST(appending_again_with_its_key_links_nothing_twice)
{
    const char *s = new_session(t, "keys");
    struct bough_str part = str_of(image(t, noise(t, 50000, 10), 50000));
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .parts = &part, .nparts = 1 };
    struct bough_append_options in = { .entries = &e, .n = 1, .key = "k" };
    struct bough_append_result one, two;

    CHECK_OK(bough_append(t->store, t->arena, s, &in, &one, &t->err));
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &two, &t->err));
    CHECK(two.replayed);
    CHECK_STR(one.ids[0], two.ids[0]);
    CHECK_INT(1, get(t, s)->messages);
    /* The repeated append stored no second copy. */
    CHECK_INT(1, stats(t).attachments);
}

STORE_TEST(a_recorded_history_with_pictures_is_matched_by_content)
{
    const char *s = new_session(t, "record");
    struct bough_str part = str_of(image(t, noise(t, 40000, 11), 40000));
    struct bough_entry_new history[2] = { { .role = BOUGH_ROLE_USER, .parts = &part, .nparts = 1 },
                                          { .role = BOUGH_ROLE_USER, .text = "and now?" } };
    struct bough_entry_new reply = { .role = BOUGH_ROLE_ASSISTANT, .text = "a picture" };
    struct bough_record_options in = { .history = history, .nhistory = 1, .reply = &reply };
    struct bough_record_result out;

    CHECK_OK(bough_record(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_INT(2, get(t, s)->messages);
    history[1] = (struct bough_entry_new){ .role = BOUGH_ROLE_ASSISTANT, .text = "a picture" };
    in.nhistory = 2;
    in.reply = NULL;
    CHECK_OK(bough_record(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_INT(2, out.matched);
    CHECK_INT(2, get(t, s)->messages);
    CHECK_INT(1, stats(t).attachments);
}

/* Store one piece and complete it, through the backend's own operations. */
static struct blob_row seal_piece(struct test *t, struct bough_str bytes, int64_t since)
{
    struct engine *e = t->store->e;
    struct deadline p = { INT64_MAX, NULL };
    struct chunk_row chunk = { .sum = crc32c(0, bytes.p, bytes.n), .body = bytes };
    struct blob_row row = { .size = (int64_t)bytes.n, .since = since };
    struct sha256 sha;

    CHECK_OK(role_blob_put(e, &row.bno, &chunk, &p, &t->err));
    sha256_init(&sha);
    sha256_update(&sha, bytes.p, bytes.n);
    sha256_final(&sha, row.hash);
    CHECK_OK(role_blob_seal(e, &row, false, &p, &t->err));
    return row;
}

STORE_TEST(completing_a_duplicate_gives_the_row_of_the_first_one)
{
    struct bough_str bytes = str_of("the same bytes");
    int64_t now = env_now(&t->store->e->env);
    struct blob_row first = seal_piece(t, bytes, now), again = seal_piece(t, bytes, now + 5);

    CHECK_INT(BLOB_LOOSE, first.state);
    CHECK_INT(first.bno, again.bno);
    CHECK_INT(first.state, again.state);
    CHECK_INT(first.size, again.size);
    CHECK_INT(first.since + 5, again.since);
    CHECK(memcmp(first.hash, again.hash, sizeof first.hash) == 0);
    CHECK_INT(first.since + 5, seal_piece(t, bytes, now + 1).since);
}

/* ---- bytes that are swept before they are linked ---- */

static const struct backend_ops *real_ops;
static int seals;

/* Seal, then sweep as the background thread of another process could at this moment. */
static enum bough_rc seal_and_sweep(struct backend *b, struct blob_row *row, bool relaxed,
                                    const struct deadline *p, struct bough_error *err)
{
    enum bough_rc rc = real_ops->blob_seal(b, row, relaxed, p, err);
    bool left = true;

    if (!rc && seals++ == 0)
        rc = real_ops->blob_sweep(b, 0, 256, &left, p, err);
    return rc;
}

STORE_TEST(an_image_that_is_swept_before_its_message_is_written_is_stored_again)
{
    struct engine *e = t->store->e;
    struct backend_ops ops = *e->ops;
    const char *s = new_session(t, "x"), *bytes = arena_zalloc(t->arena, 40000);

#ifdef __SANITIZE_THREAD__
    SKIP("an operation is replaced under the background thread");
#endif
    real_ops = e->ops;
    ops.blob_seal = seal_and_sweep;
    seals = 0;
    e->ops = &ops;
    CHECK_OK(append_part(t, s, image(t, bytes, 40000), NULL));
    e->ops = real_ops;
    CHECK_INT(2, seals);
    CHECK_INT(1, stats(t).attachments);
}
