/* The benchmark program: bench [full] [peers | http | pg | gateway | runs]. Runs all figures of the
 * set, or those whose name contains BENCH_ONLY. Prints a table and writes build/bench.json. */
#include <malloc.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "child/child.h"
#include "gateway.h"

enum better { HIGHER, LOWER };
enum outcome { NOT_RUN, SKIPPED, MEASURED };

static struct figure {
    const char *name;
    const char *unit;
    double goal;
    enum better better;
    void (*run)(struct bench *b);
    enum outcome outcome;
    double value;
    /* "": the default; else run only by `bench peers`, `bench http` or `bench pg`. */
    const char *set;
} figures[] = {
    { "append_durable_vs_floor", "ratio", 0.65, HIGHER, bench_append, 0, 0, "" },
    { "append_with_call_vs_floor", "ratio", 0.57, HIGHER, bench_append, 0, 0, "" },
    { "append_with_key_vs_floor", "ratio", 0.55, HIGHER, bench_append, 0, 0, "" },
    { "append_durable_vs_jsonl_fdatasync", "ratio", 1.05, HIGHER, bench_append, 0, 0, "" },
    { "group_commit_8", "ratio", 2.5, HIGHER, bench_threads, 0, 0, "" },
    { "group_commit_32", "ratio", 3, HIGHER, bench_threads, 0, 0, "" },
    { "group_commit_128", "ratio", 3.5, HIGHER, bench_threads, 0, 0, "" },
    { "threads32_p99_over_p50", "ratio", 10, LOWER, bench_threads, 0, 0, "" },
    { "append_p999_over_p50_bursts", "ratio", 8, LOWER, bench_bursts, 0, 0, "" },
    { "append_p99_readers_on_over_off", "ratio", 1.5, LOWER, bench_readers, 0, 0, "" },
    { "load_10k_vs_flat", "ratio", 0.50, HIGHER, bench_load, 0, 0, "" },
    { "load_100k_vs_flat", "ratio", 0.50, HIGHER, bench_load, 0, 0, "" },
    { "load_100k_vs_jsonl_parse", "ratio", 1.8, HIGHER, bench_load, 0, 0, "" },
    { "tail50_growth_1k_to_100k", "ratio", 1.5, LOWER, bench_tail, 0, 0, "" },
    { "since_marker_growth_depth_1_to_1000", "ratio", 1.5, LOWER, bench_forks, 0, 0, "" },
    { "path_depth_1000_vs_1", "ratio", 1.7, LOWER, bench_forks, 0, 0, "" },
    { "get_by_id_vs_rowid", "ratio", 1.3, LOWER, bench_get, 0, 0, "" },
    { "list50_100k_vs_1k", "ratio", 1.5, LOWER, bench_list, 0, 0, "" },
    { "list50_by_column_100k_vs_1k", "ratio", 1.5, LOWER, bench_list_by, 0, 0, "" },
    { "cost_90d_100k_vs_1k", "ratio", 1.5, LOWER, bench_cost, 0, 0, "" },
    { "fork_100k_vs_fork_10", "ratio", 1.3, LOWER, bench_fork, 0, 0, "" },
    { "fork_rows_written", "rows", 0, LOWER, bench_fork, 0, 0, "" },
    { "db_size_over_content", "ratio", 1.25, LOWER, bench_size, 0, 0, "" },
    { "db_size_over_content_zstd", "ratio", 0.35, LOWER, bench_size, 0, 0, "" },
    { "bytes_written_over_content", "ratio", 34, LOWER, bench_written, 0, 0, "" },
    { "images_2331_of_22_size", "ratio", 0.10, LOWER, bench_images, 0, 0, "" },
    { "append_known_image_vs_inline", "ratio", 1, LOWER, bench_images, 0, 0, "" },
    { "purge_half_shrinks", "ratio", 0.45, HIGHER, bench_shrink, 0, 0, "" },
    { "backup_vs_copy", "ratio", 3, LOWER, bench_backup, 0, 0, "" },
    { "memory_append_vs_encode", "ratio", 0.5, HIGHER, bench_memory, 0, 0, "" },
    { "memory_overhead_bytes", "bytes", 128, LOWER, bench_memory, 0, 0, "" },
    { "stream_step_vs_append", "ratio", 0.35, LOWER, bench_stream, 0, 0, "" },
    { "seal_100k_deltas_bytes_over_content", "ratio", 4, LOWER, bench_streamed, 0, 0, "" },
    { "feed_follow_lag_commits", "commits", 1, LOWER, bench_feed, 0, 0, "" },
    { "append_p99_search_on_over_off", "ratio", 1.2, LOWER, bench_search_append, 0, 0, "" },
    { "search_newest20_1m_vs_10k", "ratio", 3, LOWER, bench_search, 0, 0, "" },
    { "search_p95_ms", "ms", 30, LOWER, bench_search, 0, 0, "" },
    { "import_pi_vs_read_parse", "ratio", 3, LOWER, bench_transfer, 0, 0, "" },
    { "reimport_noop_vs_import", "ratio", 0.15, LOWER, bench_transfer, 0, 0, "" },
    { "export_pi_vs_write", "ratio", 4, LOWER, bench_transfer, 0, 0, "" },
    { "import_vs_floor", "ratio", 1.6, LOWER, bench_import, 0, 0, "" },
    { "import_text_vs_fts5", "ratio", 1.6, LOWER, bench_import_text, 0, 0, "" },
    { "import_48mb_s", "s", 1.2, LOWER, bench_import_command, 0, 0, "" },
    { "import_rss_mb_1gb", "MB", 64, LOWER, bench_import_rss, 0, 0, "" },
    { "cli_ls_100k_vs_true", "ratio", 8, LOWER, bench_cli_ls, 0, 0, "" },
    { "show_first_page_100k_vs_1k", "ratio", 1.3, LOWER, bench_cli_show, 0, 0, "" },
    { "json_parse_instr_2k", "instructions", 26000, LOWER, bench_instructions, 0, 0, "" },
    { "pi_context_over_ours", "ratio", 10, HIGHER, bench_peer_context, 0, 0, "peers" },
    { "pi_fork_over_ours", "ratio", 100, HIGHER, bench_peer_context, 0, 0, "peers" },
    { "pi_list_over_ours", "ratio", 50, HIGHER, bench_peer_list, 0, 0, "peers" },
    { "node_cpu_over_ours", "ratio", 5, HIGHER, bench_peer_node, 0, 0, "peers" },
    { "get_session_cpu_vs_bare", "ratio", 4, LOWER, bench_http_reads, 0, 0, "http" },
    { "context_50_cpu_vs_bare", "ratio", 6, LOWER, bench_http_reads, 0, 0, "http" },
    { "append_http_vs_library", "ratio", 0.6, HIGHER, bench_http_append, 0, 0, "http" },
    { "idle_stream_kb", "KB", 2, LOWER, bench_http_streams, 0, 0, "http" },
    { "broadcast_last_vs_bare", "ratio", 2, LOWER, bench_http_streams, 0, 0, "http" },
    { "stream_rss_mb", "MB", 8, LOWER, bench_http_large, 0, 0, "http" },
    { "mixed_60s_errors", "errors", 0, LOWER, bench_http_mixed, 0, 0, "http" },
    { "mixed_60s_rss_growth_mb", "MB", 4, LOWER, bench_http_mixed, 0, 0, "http" },
    { "pg_append_1_vs_floor", "ratio", 0.40, HIGHER, bench_pg_append, 0, 0, "pg" },
    { "pg_threads_32_vs_1", "ratio", 3, HIGHER, bench_pg_append, 0, 0, "pg" },
    { "pg_batch_vs_1", "ratio", 6, HIGHER, bench_pg_append, 0, 0, "pg" },
    { "pg_subagent_swarm_vs_independent", "ratio", 0.7, HIGHER, bench_pg_append, 0, 0, "pg" },
    { "pg_events_on_over_off", "ratio", 0.9, HIGHER, bench_pg_append, 0, 0, "pg" },
    { "pg_copy_import_vs_pipelined", "ratio", 4, HIGHER, bench_pg_import, 0, 0, "pg" },
    { "pg_load_10k_vs_sqlite", "ratio", 8, LOWER, bench_pg_load, 0, 0, "pg" },
    { "pg_list50_100k_vs_1k", "ratio", 1.5, LOWER, bench_pg_list, 0, 0, "pg" },
    { "replay_500_turns_stored_over_unique", "ratio", 1.1, LOWER, bench_replay, 0, 0, "gateway" },
    { "match_longest_prefix_1000_turns_vs_10", "ratio", 2, LOWER, bench_match, 0, 0, "gateway" },
    { "relay_cpu_per_token_vs_raw", "ratio", 2, LOWER, bench_gateway, 0, 0, "gateway" },
    { "relay_cpu_per_token_vs_nginx", "ratio", 1.5, LOWER, bench_gateway, 0, 0, "gateway" },
    { "node_cpu_over_ours", "ratio", 5, HIGHER, bench_gateway, 0, 0, "gateway" },
    { "ttfb_p99_vs_raw_200_streams", "ratio", 1.5, LOWER, bench_gateway, 0, 0, "gateway" },
    { "tokens_per_s_recording_on_over_off", "ratio", 0.9, HIGHER, bench_gateway, 0, 0, "gateway" },
    { "rss_kb_per_stream_1000", "KB", 64, LOWER, bench_gateway, 0, 0, "gateway" },
    { "turn_vs_gateway", "ratio", 1.3, LOWER, bench_run_turn, 0, 0, "runs" },
    { "mcp_call_vs_raw", "ratio", 3, LOWER, bench_run_call, 0, 0, "runs" },
    { "acp_update_cpu_vs_parse", "ratio", 4, LOWER, bench_run_acp, 0, 0, "runs" },
    { "waiting_run_kb", "KB", 1, LOWER, bench_run_wait, 0, 0, "runs" },
    { "approve_to_start_ms", "ms", 20, LOWER, bench_run_wait, 0, 0, "runs" },
    { "approve_elsewhere_to_start_ms", "ms", 1200, LOWER, bench_run_wait, 0, 0, "runs" },
    { "recover_1000_s", "s", 5, LOWER, bench_run_recover, 0, 0, "runs" },
    { "activity_page_ms", "ms", 5, LOWER, bench_run_activity, 0, 0, "runs" },
    { "orphans", "processes", 0, LOWER, bench_run_kill, 0, 0, "runs" },
    { "doubled_tools", "calls", 0, LOWER, bench_run_kill, 0, 0, "runs" },
};

enum { FIGURES = sizeof figures / sizeof *figures };

static struct figure *find(const struct bench *b, const char *name)
{
    for (size_t i = 0; i < FIGURES; i++)
        if (strcmp(figures[i].name, name) == 0 && strcmp(figures[i].set, b->set) == 0)
            return &figures[i];
    fprintf(stderr, "bench: no figure is called %s\n", name);
    exit(2);
}

static bool passes(const struct figure *f)
{
    return f->better == HIGHER ? f->value >= f->goal : f->value <= f->goal;
}

static void print_figure(const struct figure *f)
{
    if (f->outcome == MEASURED)
        printf("%-6s %-38s %10.2f   %s %g %s\n", passes(f) ? "ok" : "MISSED", f->name, f->value,
               f->better == HIGHER ? ">=" : "<=", f->goal, f->unit);
    else if (f->outcome == SKIPPED)
        printf("%-6s %s\n", "skip", f->name);
}

void figure(struct bench *b, const char *name, double value)
{
    struct figure *f = find(b, name);

    f->outcome = MEASURED;
    f->value = value;
    print_figure(f);
    fflush(stdout);
}

void figure_skipped(struct bench *b, const char *name, const char *why)
{
    find(b, name)->outcome = SKIPPED;
    note("%s is skipped: %s", name, why);
}

void note(const char *fmt, ...)
{
    va_list ap;

    fputs("         ", stdout);
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    putchar('\n');
}

void hurry(bool yes)
{
    struct sched_param p = { .sched_priority = yes ? 1 : 0 };

    (void)sched_setscheduler(0, yes ? SCHED_RR : SCHED_OTHER, &p);
}

static bool wanted(const struct bench *b, const struct figure *f, const char *only)
{
    return strcmp(f->set, b->set) == 0 && (!only || !*only || strstr(f->name, only));
}

static void run(struct bench *b, const char *only)
{
    void (*last)(struct bench *) = NULL;

    for (size_t i = 0; i < FIGURES; i++) {
        double from = now_us();

        if (!wanted(b, &figures[i], only) || figures[i].run == last)
            continue;
        last = figures[i].run;
        last(b);
        note("%.1f s", (now_us() - from) / 1e6);
    }
    if (only && strstr("phases", only))
        bench_phases(b);
}

static void write_json(const char *path)
{
    FILE *f = fopen(path, "w");
    const char *comma = "";

    if (!f) {
        perror(path);
        exit(2);
    }
    fputs("[\n", f);
    for (size_t i = 0; i < FIGURES; i++) {
        const struct figure *g = &figures[i];

        if (g->outcome == NOT_RUN)
            continue;
        fprintf(f, "%s  {\"name\": \"%s\", ", comma, g->name);
        if (g->outcome == MEASURED)
            fprintf(f, "\"value\": %.4f, ", g->value);
        else
            fputs("\"value\": null, ", f);
        fprintf(f, "\"unit\": \"%s\", \"goal\": %g, \"better\": \"%s\", \"pass\": %s}", g->unit,
                g->goal, g->better == HIGHER ? "higher" : "lower",
                g->outcome == SKIPPED ? "null" : (passes(g) ? "true" : "false"));
        comma = ",\n";
    }
    fputs("\n]\n", f);
    fclose(f);
}

static const char *json_path(const struct bench *b, const char *only)
{
    static char path[64];

    if (only && *only)
        return "build/bench-only.json";
    snprintf(path, sizeof path, "build/bench%s%s.json", *b->set ? "-" : "", b->set);
    return path;
}

int main(int argc, char **argv)
{
    const char *only = getenv("BENCH_ONLY");
    char dir[] = "build/bench.tmp.XXXXXX";
    struct bench b = { .binary = argv[0], .set = "", .quick = getenv("BENCH_QUICK") != NULL };
    size_t missed = 0;

    child_keeper(argc, argv);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "bare") == 0)
            return bare_main();
        if (strcmp(argv[i], "upstream") == 0)
            return upstream_main();
        if (strcmp(argv[i], "raw") == 0 && i + 1 < argc)
            return raw_main(argv[i + 1]);
        if (strcmp(argv[i], "full") == 0)
            b.full = true;
        else
            b.set = argv[i];
    }
    b.dir = mkdtemp(dir);
    if (!b.dir) {
        perror("build/bench.tmp: run this from the top of the tree");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    /* Keep freed memory. Otherwise loading a session mostly measures the kernel clearing pages. */
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    hurry(true);
    run(&b, only);
    scratch_remove(b.dir);
    puts("\nAll figures:");
    for (size_t i = 0; i < FIGURES; i++) {
        print_figure(&figures[i]);
        missed += figures[i].outcome == MEASURED && !passes(&figures[i]);
    }
    write_json(json_path(&b, only));
    printf("%zu missed; written to %s\n", missed, json_path(&b, only));
    return 0;
}
