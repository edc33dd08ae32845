/*
 * The benchmark: figures are ratios between things that ran interleaved in one process, so that a
 * slow minute of the machine slows both sides. bench/main.c has the table of figures.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <bough/bough.h>

struct bench {
    bool full;          /* BENCH=full: longer runs */
    const char *set;    /* "", "peers" or "http": which figures */
    const char *dir;    /* scratch, on the disk that build/ is on */
    const char *binary; /* argv[0] */
};

/* --- figures (main.c) */

void figure(struct bench *b, const char *name, double value);
void figure_skipped(struct bench *b, const char *name, const char *why);
void note(const char *fmt, ...) BOUGH_PRINTF(1, 2);

/* Go before ordinary processes, where that is allowed: else what is measured on a busy machine is
 * its scheduler, 4 ms a wake-up. Threads made from here on inherit it. */
void hurry(bool yes);

/* --- samples (measure.c) */

struct samples {
    double *at; /* microseconds, or whatever was measured */
    size_t n, cap;
};

double now_us(void);
void sleep_us(double us);
void sample(struct samples *s, double value);
double quantile(struct samples *s, double q); /* sorts them */
double median(struct samples *s);
void samples_finish(struct samples *s);
/* "append: p50 91.2 us (p10 80.1, p90 130.0, p99 ..., n 720)" */
void samples_note(const char *what, struct samples *s);

uint64_t rng_next(uint64_t *state);
size_t rng_below(uint64_t *state, size_t n);

/* One side of a comparison. run() does the i-th operation of this side; it is timed whole. */
struct side {
    const char *name;
    void (*run)(void *user, size_t i);
    void *user;
    struct samples us;
    size_t i;
};

/* `rounds` times: a block of `block` operations of every side, the sides shuffled. */
void interleave(struct side *sides, size_t n, size_t rounds, size_t block);
void sides_finish(struct side *sides, size_t n);

/* --- syncs (sync.c): fdatasync and fsync of this process go through here */

void syncs_skip(bool skip);       /* while building what is then measured */
double syncs_us(size_t *count);   /* time spent in them and their number since the last call */
int64_t io_written(void);         /* bytes handed to write() so far, -1 when unknown */
int64_t dir_bytes(const char *d); /* size of all files in a directory */

/* --- messages (corpus.c) */

enum { MESSAGES = 4096 };

struct message {
    enum bough_role role;
    struct bough_str parts[3];
    size_t n;
    size_t content; /* bytes of its parts */
};

/* English-like words and code, 1 to 3 parts, about 1063 bytes; always the same ones. */
const struct message *message(size_t i);
struct bough_entry_new message_entry(size_t i);
/* A completed tool call with `bytes` of output, in the arena. */
struct bough_str message_tool(struct bough_arena *a, uint64_t *rng, size_t bytes);

/* A session file of pi's with so many entries, about 1,150 bytes each (pi_file.c); every so many of
 * them is a compaction, 0: none. */
void pi_file_write(const char *path, const char *id, size_t entries, size_t compact_every);
extern const char pi_file_id[];

/* --- whole processes (program.c) */

struct program {
    const char *argv[10];
    size_t page; /* read so many bytes and hang up, as a pager does; 0: all of it */
    long rss_kb; /* of the last one that ended */
};

/* Run a struct program to its end; failing is the end of this one too. */
void run_program(void *program, size_t i);
/* The bough that was built beside this program. */
const char *bough_program(struct bench *b, struct bough_arena *a);

/* --- stores (stores.c); failing is the end of the program */

void must(enum bough_rc rc, const struct bough_error *err, const char *what);
const char *scratch(struct bench *b, const char *name); /* a fresh directory; kept for ever */
void scratch_remove(const char *dir);
struct bough_store *store_new(const char *dir, bool compress); /* in dir/store */
void session_new(struct bough_store *s, const char *title, char id[BOUGH_ID_LEN + 1]);
/* Append one message and forget the answer. */
void append_one(struct bough_store *s, struct bough_arena *a, const char *session, size_t i);
/* Append messages `from` to `from + n`, many at a time. Returns bytes of content. */
size_t append_many(struct bough_store *s, const char *session, size_t from, size_t n);
size_t read_path(struct bough_store *s, struct bough_arena *a, const char *session,
                 const struct bough_read *how);

/* --- writers (threads.c) */

struct writer;
struct writer *writers_new(struct bough_store *s, size_t n); /* mem_free() it; a session each */
/* Let n of them write for a while. Returns appends a second; every latency goes into `us`. */
double writers_run(struct writer *w, size_t n, double seconds, struct samples *us);

/* --- what is measured, one function a file or two */

void bench_append(struct bench *b);
void bench_written(struct bench *b);
void bench_phases(struct bench *b);
void bench_threads(struct bench *b);
void bench_bursts(struct bench *b);
void bench_readers(struct bench *b);
void bench_load(struct bench *b);
void bench_tail(struct bench *b);
void bench_forks(struct bench *b);
void bench_get(struct bench *b);
void bench_list(struct bench *b);
void bench_fork(struct bench *b);
void bench_size(struct bench *b);
void bench_images(struct bench *b);
void bench_shrink(struct bench *b);
void bench_backup(struct bench *b);
void bench_memory(struct bench *b);
void bench_stream(struct bench *b);
void bench_streamed(struct bench *b);
void bench_feed(struct bench *b);
void bench_search_append(struct bench *b);
void bench_search(struct bench *b);
void bench_transfer(struct bench *b);
void bench_import_rss(struct bench *b);
void bench_cli_ls(struct bench *b);
void bench_cli_show(struct bench *b);
void bench_peer_context(struct bench *b);
void bench_peer_list(struct bench *b);
void bench_pg_append(struct bench *b);
void bench_pg_import(struct bench *b);
void bench_pg_load(struct bench *b);
void bench_pg_list(struct bench *b);
void bench_instructions(struct bench *b);
void bench_peer_node(struct bench *b);
void bench_http_reads(struct bench *b);
void bench_http_append(struct bench *b);
void bench_http_streams(struct bench *b);
void bench_http_mixed(struct bench *b);
void bench_http_large(struct bench *b);

#endif
