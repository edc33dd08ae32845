/* Activities, inside: what the files of this folder share. */
#ifndef CORE_ACTIVITY_INSIDE_H
#define CORE_ACTIVITY_INSIDE_H

#include "base/memory/map.h"
#include "base/text/str.h"
#include "core/activity/activity.h"

/* ---- facts.c: reading parts and data ---- */

/* The value of a raw JSON string, at most ACTIVITY_TEXT bytes; "" for an empty span. */
const char *fact_text(struct bough_arena *a, struct bough_str raw);
/* The same for any JSON value: the texts of an array of blocks, else the JSON itself. */
const char *fact_value(struct bough_arena *a, struct bough_str json);
/* The same for plain text; NULL becomes "". */
const char *fact_cut(struct bough_arena *a, const char *text);
/* The id of a part: "<entry id>.<4 hex digits>". */
const char *fact_part_id(struct bough_arena *a, const char *entry, size_t part);
/* A time or a duration, if it lies between 0 and the year 9999; else 0. */
int64_t fact_time(int64_t ms);

/* What a part says about a tool call. */
struct tool_facts {
    const char *call, *name; /* or "" */
    bool asked;              /* it has the call; else only a result */
    enum activity_status status;
    const char *detail; /* the title that the tool gave, else its command, path, ... */
    const char *error;  /* of a failed call, or "" */
    int64_t start, end; /* times; 0: not known */
};

/* False: the part is neither a call nor a result. */
bool tool_facts_read(struct bough_arena *a, const struct bough_part *part, struct tool_facts *out);

/* An artifact: a file part with data.artifact. */
struct artifact_facts {
    const char *kind, *name, *preview;
    int64_t size;
};
bool artifact_facts_read(struct bough_arena *a, const struct bough_part *part,
                         struct artifact_facts *out);

/* The files of a patch part, joined by ", " in *names. Returns how many there are. */
size_t patch_files(struct bough_arena *a, const struct bough_part *part, const char **names);

/* The row of a custom entry of customType ACTIVITY_NOTE. False: it is another entry. *named: it
 * has an id of its own. */
bool note_read(struct bough_arena *a, const struct bough_entry *e, struct activity *out,
               bool *named);

/* The message of an error of an entry (raw JSON), or "". */
const char *error_message(struct bough_arena *a, struct bough_str error);

/* ---- rows.c ---- */

/* The list under construction. */
struct row_list {
    struct bough_arena *a;
    struct activities *out;
    struct smap ids; /* id to row, once a row may have the id of another */
    bool ids_known;
};

void rows_init(struct row_list *b, struct bough_arena *a, struct activities *out);
void rows_finish(struct row_list *b);
/* Add a row, or merge it into the row with its id. Returns the index of the row. */
size_t rows_put(struct row_list *b, const struct activity *row);
/* From now on rows may have ids that are there already. */
void rows_know_ids(struct row_list *b);
/* The rows that tell of the run itself: before its entries, and behind them. */
void rows_of_start(struct row_list *b, const struct bough_run *run);
void rows_of_end(struct row_list *b, const struct bough_run *run);

/* ---- timing.c ---- */

/* Sums up the times of a run while it is read. */
struct clock_sum {
    int64_t model, tool;
    int64_t turn;       /* of an external agent: the time of its messages */
    int64_t tool_until; /* tools are counted up to this time */
    size_t turns, tools;
};

void clock_model(struct clock_sum *c, const struct bough_entry *e, const struct bough_call *call);
void clock_tool(struct clock_sum *c, int64_t start, int64_t end);
void clock_finish(const struct clock_sum *c, const struct activity_input *in,
                  struct activity_timing *out);

#endif
