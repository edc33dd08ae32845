/* What an update of an external agent costs: from its line to the stored message, beside parsing.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "runs.h"

enum { TURNS = 11 };

/* Processor time of this process, all threads. */
static double cpu_us(void)
{
    struct rusage used;

    getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e6 +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static double turn_us(struct rig *r, const char *session)
{
    struct bough_arena *a = bough_arena_create();
    struct run_begin_options how = { .session = session,
                                     .runtime = BOUGH_RUNTIME_EXTERNAL,
                                     .adapter = "flood",
                                     .workspace = r->dir,
                                     .text = "go" };
    struct run_begun begun;
    struct bough_error err;
    double from = cpu_us();

    must(run_begin(r->runner, a, &how, &begun, &err), &err, "a run");
    while (!bough_run_ended(run_status(r->s, begun.run->id)))
        sleep_us(20000);
    if (run_status(r->s, begun.run->id) != BOUGH_RUN_COMPLETED) {
        fprintf(stderr, "bench: the agent failed\n");
        exit(2);
    }
    bough_arena_destroy(a);
    return cpu_us() - from;
}

/* As bench/peers/acp-flood.pl writes them. */
#define UPDATE(text)                                                                               \
    "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":"                \
    "\"0199f3a2-7c41-7d10-9c1e-5f0b7a3d2c11\",\"update\":{\"sessionUpdate\":" text "}}}"

static void write_line(char *line, size_t n, size_t i)
{
    if (i % 10 == 3)
        snprintf(line, n,
                 UPDATE("\"tool_call_update\",\"toolCallId\":\"toolu_01A9\",\"kind\":\"read\","
                        "\"title\":\"Read src/parse.js\",\"status\":\"in_progress\",\"rawInput\":{"
                        "\"file_path\":\"src/parse.js\",\"offset\":%zu},\"locations\":[{\"path\":"
                        "\"src/parse.js\",\"line\":%zu}],\"content\":[{\"type\":\"content\","
                        "\"content\":{\"type\":\"text\",\"text\":\"export function parse(text) { "
                        "return text.split(/,/); }\"}}]"),
                 i, i);
    else if (i % 10 == 7)
        snprintf(line, n,
                 UPDATE("\"usage_update\",\"used\":%zu,\"size\":200000,\"cost\":{\"amount\":0.0125,"
                        "\"currency\":\"USD\"}"),
                 i);
    else
        snprintf(line, n,
                 UPDATE("\"agent_message_chunk\",\"messageId\":\"msg_01\",\"content\":{\"type\":"
                        "\"text\",\"text\":\"and moves on to the next row, %zu\"}"),
                 i);
}

/* The same lines, parsed one by one and thrown away. */
static double parse_us(void)
{
    struct bough_arena *a = bough_arena_create();
    struct bough_error err;
    char line[1024];
    double us = 0;

    for (size_t i = 1; i <= FLOOD_UPDATES; i += 1000) {
        struct bough_str lines[1000];
        double from;

        for (size_t k = 0; k < 1000; k++) {
            write_line(line, sizeof line, i + k);
            lines[k] = str_of(arena_strdup(a, line));
        }
        from = cpu_us();
        for (size_t k = 0; k < 1000; k++) {
            struct bough_arena *one = bough_arena_create();
            struct json root;

            must(json_parse(one, lines[k], &root, &err), &err, "a line");
            bough_arena_destroy(one);
        }
        us += cpu_us() - from;
        bough_arena_reset(a);
    }
    bough_arena_destroy(a);
    return us;
}

void bench_run_acp(struct bench *b)
{
    struct samples turns = { 0 }, parses = { 0 };
    char session[BOUGH_ID_LEN + 1];
    struct rig r;

    rig_open(b, &r, "run-acp", "http://127.0.0.1:9/v1");
    session_new(r.s, "flood", session);
    (void)turn_us(&r, session); /* the process is warm from then on */
    for (int i = 0; i < TURNS; i++) {
        sample(&turns, turn_us(&r, session) / FLOOD_UPDATES);
        sample(&parses, parse_us() / FLOOD_UPDATES);
    }
    samples_note("processor time of an update, us", &turns);
    samples_note("of parsing it", &parses);
    figure(b, "acp_update_cpu_vs_parse", median(&turns) / median(&parses));
    samples_finish(&turns);
    samples_finish(&parses);
    rig_close(&r);
}
