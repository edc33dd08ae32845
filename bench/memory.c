/* The memory backend compared with encoding alone, its overhead per message, and instructions per
 * JSON parse. */
#include <libgen.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/arena.h"
#include "bench.h"
#include "core/pack/pack.h"

struct memory {
    struct bough_store *s;
    struct bough_arena *a;
    char session[BOUGH_ID_LEN + 1];
};

enum { A_TIME = 100 }; /* operations timed together, because one is too short */

static void run_append(void *user, size_t i)
{
    struct memory *m = user;

    for (size_t k = 0; k < A_TIME; k++)
        append_one(m->s, m->a, m->session, i * A_TIME + k);
}

static void encode(struct bough_arena *a, size_t i)
{
    const struct message *m = message(i);
    struct bough_part parts[3];
    struct bough_entry e = { .at = { 1, (int64_t)i + 1 },
                             .mno = (int64_t)i + 1,
                             .role = m->role,
                             .time = 1731676800123,
                             .parts = parts,
                             .nparts = m->n };
    struct pack_extra x = { .made = 1731676800123, .chk = 0x1234 };
    struct squeezed tail;
    struct bough_error err;

    bough_arena_reset(a);
    for (size_t k = 0; k < m->n; k++) {
        parts[k].json = m->parts[k];
        must(bough_part_check(m->parts[k], &parts[k].type, &err), &err, "part");
    }
    e.kind_name = e.origin = e.finish = "";
    pack_tail(a, &e, 0, &tail);
    (void)pack_entry(a, &e, &x, &tail);
}

static void run_encode(void *user, size_t i)
{
    struct memory *m = user;

    for (size_t k = 0; k < A_TIME; k++)
        encode(m->a, i * A_TIME + k);
}

static size_t allocated(void)
{
    struct mallinfo2 m = mallinfo2();

    return m.uordblks + m.hblkhd;
}

static void overhead(struct bench *b)
{
    struct memory m = { .s = store_new(NULL, false), .a = bough_arena_create() };
    size_t n = 100000, content = 0, before;
    struct bough_error err;

    session_new(m.s, "overhead", m.session);
    for (size_t i = 0; i < 1000; i++)
        append_one(m.s, m.a, m.session, i);
    must(bough_store_upkeep(m.s, &err), &err, "upkeep");
    before = allocated();
    for (size_t i = 0; i < n; i++) {
        append_one(m.s, m.a, m.session, i);
        content += message(i)->content;
    }
    must(bough_store_upkeep(m.s, &err), &err, "upkeep");
    figure(b, "memory_overhead_bytes",
           ((double)allocated() - (double)before - (double)content) / (double)n);
    bough_arena_destroy(m.a);
    bough_store_close(&m.s);
}

void bench_memory(struct bench *b)
{
    struct memory store = { .s = store_new(NULL, false), .a = bough_arena_create() };
    struct memory only = { .a = bough_arena_create() };
    struct side sides[2] = { { .name = "100 appends in memory", .run = run_append, .user = &store },
                             { .name = "100 encodings", .run = run_encode, .user = &only } };

    session_new(store.s, "memory", store.session);
    interleave(sides, 2, b->full ? 200 : 50, 10);
    figure(b, "memory_append_vs_encode", median(&sides[1].us) / median(&sides[0].us));
    sides_finish(sides, 2);
    bough_arena_destroy(store.a);
    bough_arena_destroy(only.a);
    bough_store_close(&store.s);
    overhead(b);
}

/* --- instructions */

/* Instructions of one run, counted by callgrind; -1 when it cannot run. */
static double instructions(const char *program, int n)
{
    char command[4096 + 128], line[256];
    double found = -1;
    FILE *f;

    snprintf(command, sizeof command,
             "valgrind --tool=callgrind --callgrind-out-file=/dev/null '%s' %d 2>&1", program, n);
    f = popen(command, "r");
    if (!f)
        return -1;
    while (fgets(line, sizeof line, f)) {
        const char *at = strstr(line, "Collected :");

        if (at)
            found = strtod(at + strlen("Collected :"), NULL);
    }
    return pclose(f) == 0 ? found : -1;
}

void bench_instructions(struct bench *b)
{
    char program[4096];
    struct bough_arena *a = bough_arena_create();
    double none, many;

    snprintf(program, sizeof program, "%s/bench/json_instr", dirname(arena_strdup(a, b->binary)));
    none = instructions(program, 0);
    many = none < 0 ? -1 : instructions(program, 1000);
    if (many < 0)
        figure_skipped(b, "json_parse_instr_2k", "valgrind or json_instr cannot be run");
    else
        figure(b, "json_parse_instr_2k", (many - none) / 1000);
    bough_arena_destroy(a);
}
