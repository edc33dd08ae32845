/* Generates a session file in pi's format, of any length. */
#include <stdlib.h>
#include <time.h>

#include "base/text/str.h"
#include "bench.h"

const char pi_file_id[] = "0f4a9c52-6b1e-4f7e-9d3a-5c2b8e7d1a60";

enum { START = 1763200000 }; /* 2025-11-15, in seconds */

static void put_time(FILE *f, size_t i)
{
    time_t t = START + (time_t)i;
    struct tm tm;
    char text[32];

    gmtime_r(&t, &tm);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm);
    fprintf(f, "%s.%03uZ", text, (unsigned)(i * 7 % 1000));
}

/* Only the text parts: the others are not in pi's format. */
static void put_content(FILE *f, const struct message *m)
{
    const char *before = "";

    for (size_t k = 0; k < m->n; k++)
        if (str_starts(m->parts[k], "{\"type\":\"text\"")) {
            fprintf(f, "%s%.*s", before, (int)m->parts[k].n, m->parts[k].p);
            before = ",";
        }
}

static void put_entry(FILE *f, size_t i)
{
    const struct message *m = message(i % MESSAGES);
    long long ms = ((long long)START + (long long)i) * 1000;

    fprintf(f, "{\"type\":\"message\",\"id\":\"%08zx\",\"parentId\":", i + 1);
    fprintf(f, i ? "\"%08zx\"" : "null", i);
    fputs(",\"timestamp\":\"", f);
    put_time(f, i);
    fprintf(f, "\",\"message\":{\"role\":\"%s\",\"content\":[", i % 2 ? "assistant" : "user");
    put_content(f, m);
    if (i % 2)
        fprintf(f,
                "],\"api\":\"openai-completions\",\"provider\":\"p\",\"model\":\"m\",\"usage\":{"
                "\"input\":%zu,\"output\":%zu,\"cacheRead\":0,\"cacheWrite\":0,\"totalTokens\":%zu,"
                "\"cost\":{\"input\":0.0001,\"output\":0.0002,\"cacheRead\":0,\"cacheWrite\":0,"
                "\"total\":0.0003}},\"stopReason\":\"stop\"",
                i % 1000, m->content, i % 1000 + m->content);
    else
        putc(']', f);
    fprintf(f, ",\"timestamp\":%lld}}\n", ms);
}

/* As pi does when the context window is full: all but the last 20 entries become a summary. */
static void put_compaction(FILE *f, size_t i)
{
    fprintf(f, "{\"type\":\"compaction\",\"id\":\"%08zx\",\"parentId\":\"%08zx\",", i + 1, i);
    fputs("\"timestamp\":\"", f);
    put_time(f, i);
    fprintf(f,
            "\",\"summary\":\"What was done so far, in a few words.\",\"firstKeptEntryId\":"
            "\"%08zx\",\"tokensBefore\":180000}\n",
            i - 19);
}

void pi_file_write(const char *path, const char *id, size_t entries, size_t compact_every)
{
    FILE *f = fopen(path, "w");

    if (!f) {
        perror(path);
        exit(2);
    }
    fprintf(f, "{\"type\":\"session\",\"version\":3,\"id\":\"%s\",\"timestamp\":\"", id);
    put_time(f, 0);
    fputs("\",\"cwd\":\"/srv/project\"}\n", f);
    for (size_t i = 0; i < entries; i++)
        if (compact_every && i % compact_every == compact_every - 1)
            put_compaction(f, i);
        else
            put_entry(f, i);
    if (fclose(f) != 0) {
        perror(path);
        exit(2);
    }
}
