/*
 * The benchmark program: shared helpers and the list of benchmarks.
 *
 * A figure is a ratio between two operations that run interleaved in one process, so that a slow
 * minute of the machine slows both. The table of figures is in bench/main.c. Unless stated
 * otherwise, a helper that fails prints an error and exits.
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
    bool quick;         /* BENCH_QUICK=1: streams through a gateway within a minute */
    const char *set;    /* which figures to run: "", "peers", "http", "pg",
                           "gateway" or "runs" */
    const char *dir;    /* scratch directory, on the same disk as build/ */
    const char *binary; /* argv[0] */
};

/* --- figures (main.c) */

/* Record a figure's value. The name must be in the table of main.c. figure_skipped() records that
 * it could not be measured. */
void figure(struct bench *b, const char *name, double value);
void figure_skipped(struct bench *b, const char *name, const char *why);
/* Print one indented line. */
void note(const char *fmt, ...) BOUGH_PRINTF(1, 2);

/* Run with real-time priority, where allowed. Otherwise a busy machine's scheduler is measured, at
 * 4 ms per wake-up. Threads created later inherit it. */
void hurry(bool yes);

/* --- samples (measure.c) */

struct samples {
    double *at; /* microseconds, or any other unit */
    size_t n, cap;
};

/* Monotonic time. */
double now_us(void);
void sleep_us(double us);
void sample(struct samples *s, double value);
/* The q-quantile, q between 0 and 1; 0 if there are no samples. Sorts the samples. */
double quantile(struct samples *s, double q);
double median(struct samples *s);
void samples_finish(struct samples *s);
/* "append: p50 91.2 us (p10 80.1, p90 130.0, p99 ..., n 720)" */
void samples_note(const char *what, struct samples *s);

uint64_t rng_next(uint64_t *state);
size_t rng_below(uint64_t *state, size_t n);

/* One side of a comparison. run() does the i-th operation of this side, and each call is timed. */
struct side {
    const char *name;
    void (*run)(void *user, size_t i);
    void *user;
    struct samples us;
    size_t i;
};

/* Run `rounds` rounds. A round is a block of `block` operations of every side, in random order.
 * Prints the samples of every side. */
void interleave(struct side *sides, size_t n, size_t rounds, size_t block);
void sides_finish(struct side *sides, size_t n);

/* --- syncs (sync.c): fdatasync() and fsync() of this process are replaced */

void syncs_skip(bool skip);       /* while preparing data */
double syncs_us(size_t *count);   /* time spent in syncs and their number, since the last call */
int64_t io_written(void);         /* bytes passed to write() so far; -1: unknown */
int64_t dir_bytes(const char *d); /* total size of the files in a directory; -1: cannot be read */

/* --- test messages (corpus.c) */

enum { MESSAGES = 4096 };

struct message {
    enum bough_role role;
    struct bough_str parts[3];
    size_t n;
    size_t content; /* total bytes of its parts */
};

/* The i-th test message: English-like words and code, 1 to 3 parts, about 1063 bytes. The same in
 * every run. */
const struct message *message(size_t i);
struct bough_entry_new message_entry(size_t i);
/* A part for a completed tool call with `bytes` of output, allocated in the arena. */
struct bough_str message_tool(struct bough_arena *a, uint64_t *rng, size_t bytes);

/* Write a session file in pi's format with `entries` entries of about 1,150 bytes (pi_file.c).
 * Every `compact_every`-th entry is a compaction; 0: none. */
void pi_file_write(const char *path, const char *id, size_t entries, size_t compact_every);
extern const char pi_file_id[];

/* --- whole processes (program.c) */

struct program {
    const char *argv[10];
    size_t page; /* read this many bytes, then close the pipe, as a pager does; 0: read all */
    long rss_kb; /* peak memory of the last run */
};

/* Run a struct program until it exits. Can be used as side.run. */
void run_program(void *program, size_t i);
/* Path of the bough binary that was built beside this program. */
const char *bough_program(struct bench *b, struct bough_arena *a);

/* --- stores (stores.c) */

void must(enum bough_rc rc, const struct bough_error *err, const char *what);
/* Create a directory inside b->dir. The string is never freed. */
const char *scratch(struct bench *b, const char *name);
void scratch_remove(const char *dir);
/* Open a new store in dir/store, without indexing; dir NULL: a memory store. */
struct bough_store *store_new(const char *dir, bool compress);
void session_new(struct bough_store *s, const char *title, char id[BOUGH_ID_LEN + 1]);
/* Append message i. Resets `a` and discards the result. */
void append_one(struct bough_store *s, struct bough_arena *a, const char *session, size_t i);
/* Append messages `from` to `from + n - 1` in large batches. Returns the bytes of content. */
size_t append_many(struct bough_store *s, const char *session, size_t from, size_t n);
/* Read entries of a session. Resets `a`; returns the number of entries. */
size_t read_path(struct bough_store *s, struct bough_arena *a, const char *session,
                 const struct bough_entries_read_options *how);

/* --- writer threads (threads.c) */

struct writer;
/* n writers with a session each. The caller frees the array with mem_free(). */
struct writer *writers_new(struct bough_store *s, size_t n);
/* Let n of them write for some seconds. Returns appends per second. Adds every latency to `us`,
 * unless it is NULL. */
double writers_run(struct writer *w, size_t n, double seconds, struct samples *us);

/* --- the benchmarks; each measures one or more figures */

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
void bench_cost(struct bench *b);
void bench_list(struct bench *b);
void bench_list_by(struct bench *b);
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
void bench_import(struct bench *b);
void bench_import_command(struct bench *b);
void bench_import_text(struct bench *b);
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
void bench_replay(struct bench *b);
void bench_match(struct bench *b);
void bench_gateway(struct bench *b);
void bench_run_turn(struct bench *b);
void bench_run_call(struct bench *b);
void bench_run_acp(struct bench *b);
void bench_run_kill(struct bench *b);
void bench_run_wait(struct bench *b);
void bench_run_recover(struct bench *b);
void bench_run_activity(struct bench *b);

#endif
