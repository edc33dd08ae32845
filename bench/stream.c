/* Streaming: the cost of a step compared with an append, bytes written by a long message, and the
 * lag of a follower. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/memory/mem.h"
#include "base/text/str.h"
#include "bench.h"

static const char text_part[] = "{\"type\":\"text\",\"text\":\"\"}";

struct streamer {
    struct bough_store *s;
    struct bough_arena *a;
    char session[BOUGH_ID_LEN + 1];
    struct bough_writing w;
    char text[4 * 1024]; /* a quarter second of a stream of 16 KB per second */
};

static void open_one(struct streamer *st)
{
    struct bough_entry_new entry = { .role = BOUGH_ROLE_ASSISTANT };
    struct bough_message_open_options in = { .entry = &entry };
    struct bough_step part = { .kind = BOUGH_STEP_PART, .bytes = str_of(text_part) };
    struct bough_message_open_result open;
    struct bough_message_step_result told;
    struct bough_error err;

    bough_arena_reset(st->a);
    must(bough_message_open(st->s, st->a, st->session, &in, &open, &err), &err, "open");
    st->w = open.writing;
    must(bough_message_step(st->s, &st->w, 1, &part, 1, &told, &err), &err, "part");
}

static void say(struct streamer *st, struct bough_str text)
{
    struct bough_step step = { .kind = BOUGH_STEP_TEXT, .bytes = text };
    struct bough_message_step_result told;
    struct bough_error err;

    must(bough_message_step(st->s, &st->w, 0, &step, 1, &told, &err), &err, "step");
}

static void seal_one(struct streamer *st)
{
    struct bough_error err;

    bough_arena_reset(st->a);
    must(bough_message_seal(st->s, st->a, &st->w, NULL, NULL, &err), &err, "seal");
}

/* Words of the corpus, as a model would send them. */
static void fill_text(char *out, size_t n)
{
    size_t at = 0;

    for (size_t i = 0; at < n; i++) {
        struct bough_part part = { BOUGH_PART_TEXT, message(i % MESSAGES)->parts[0] };
        struct bough_arena *a = bough_arena_create();
        struct bough_str plain = bough_part_plain(a, &part);
        size_t take = plain.n < n - at ? plain.n : n - at;

        memcpy(out + at, plain.p, take);
        at += take;
        bough_arena_destroy(a);
    }
    for (size_t i = 0; i < n; i++) /* ASCII only, because pieces are cut at any byte */
        if ((unsigned char)out[i] >= 0x80)
            out[i] = '-';
}

static void run_step(void *user, size_t i)
{
    struct streamer *st = user;

    struct bough_message_step_result told;
    struct bough_error err;

    if (i % 256 == 255) { /* start a new message after 1 MB */
        seal_one(st);
        open_one(st);
    }
    say(st, str_make(st->text, sizeof st->text));
    must(bough_message_flush(st->s, &st->w, &told, &err), &err, "flush");
}

static void run_append(void *user, size_t i)
{
    struct streamer *st = user;

    append_one(st->s, st->a, st->session, i);
}

static struct streamer streamer(struct bench *b, const char *name)
{
    struct streamer st = { .s = store_new(scratch(b, name), true), .a = bough_arena_create() };

    session_new(st.s, "stream", st.session);
    fill_text(st.text, sizeof st.text);
    return st;
}

void bench_stream(struct bench *b)
{
    struct streamer one = streamer(b, "steps"), other = streamer(b, "appends");
    struct side sides[] = { { .name = "a step that saves 4 KB", .run = run_step, .user = &one },
                            { .name = "a durable append", .run = run_append, .user = &other } };

    open_one(&one);
    hurry(true);
    interleave(sides, 2, b->full ? 200 : 60, 8);
    hurry(false);
    figure(b, "stream_step_vs_append", median(&sides[0].us) / median(&sides[1].us));
    sides_finish(sides, 2);
    seal_one(&one);
    bough_store_close(&one.s);
    bough_store_close(&other.s);
}

void bench_streamed(struct bench *b)
{
    enum { DELTAS = 100000, BYTES = 20 };
    struct streamer st = streamer(b, "deltas");
    char *text = mem_alloc((size_t)DELTAS * BYTES); /* without repetitions */
    struct bough_error err;
    int64_t before = io_written();

    fill_text(text, (size_t)DELTAS * BYTES);

    if (before < 0) {
        figure_skipped(b, "seal_100k_deltas_bytes_over_content", "the kernel does not count bytes");
        bough_store_close(&st.s);
        mem_free(text);
        return;
    }
    open_one(&st);
    for (size_t i = 0; i < DELTAS; i++)
        say(&st, str_make(text + i * BYTES, BYTES));
    seal_one(&st);
    must(bough_store_upkeep(st.s, &err), &err, "upkeep");
    bough_store_close(&st.s); /* checkpoints everything into the main file */
    figure(b, "seal_100k_deltas_bytes_over_content",
           (double)(io_written() - before) / ((double)DELTAS * BYTES));
    mem_free(text);
}

/* ---- the feed ---- */

struct chase {
    struct bough_store *s;
    atomic_llong written; /* number of the last commit */
    atomic_bool over;
    struct samples behind; /* commits, sampled after each read */
};

static void *chase(void *arg)
{
    struct chase *c = arg;
    struct bough_arena *a = bough_arena_create();
    struct bough_mark mark = { 0 };
    struct bough_feed_next_result feed;
    struct bough_error err;

    while (!atomic_load(&c->over)) {
        long long there;

        bough_arena_reset(a);
        must(bough_feed_next(c->s, a, mark, 1000, 100, &feed, &err), &err, "feed");
        there = atomic_load(&c->written);
        mark = feed.next;
        sample(&c->behind, there > mark.no ? (double)(there - mark.no) : 0);
    }
    bough_arena_destroy(a);
    return NULL;
}

void bench_feed(struct bench *b)
{
    size_t n = b->full ? 20000 : 4000;
    struct streamer st = streamer(b, "feed");
    struct chase c = { .s = st.s };
    pthread_t thread;

    if (pthread_create(&thread, NULL, chase, &c)) {
        figure_skipped(b, "feed_follow_lag_commits", "no thread");
        return;
    }
    for (size_t i = 0; i < n; i++) {
        struct bough_entry_new entry = message_entry(i);
        struct bough_append_options in = { .entries = &entry, .n = 1 };
        struct bough_append_result out;
        struct bough_error err;

        bough_arena_reset(st.a);
        must(bough_append(st.s, st.a, st.session, &in, &out, &err), &err, "append");
        atomic_store(&c.written, out.no);
    }
    atomic_store(&c.over, true);
    pthread_join(thread, NULL);
    samples_note("commits the follower is behind", &c.behind);
    figure(b, "feed_follow_lag_commits", median(&c.behind));
    samples_finish(&c.behind);
    bough_store_close(&st.s);
}
