/* Turns, internal interface: what the files of this folder share. Pure. */
#ifndef CORE_TURNS_TURNS_IN_H
#define CORE_TURNS_TURNS_IN_H

#include "base/memory/map.h"
#include "core/turns/turns.h"

/* What the data of a message says about it, as spans; strings have their quotes. */
struct facts {
    struct bough_str model, api;
    struct bough_str response;   /* id of the provider's response: one may be several entries */
    struct bough_str call, tool; /* of a tool message: the call it answers, the tool's name */
    bool failed;                 /* of a tool message: the tool failed */
    bool broken;                 /* of an answer: the provider failed, and it is not for a model */
    bool summary;                /* of an answer: it is the summary of a compaction */
    bool excluded;               /* it is not for a model */
    bool developer;              /* it came with that role */
};

struct building {
    struct bough_arena *a;
    const struct turns_input *in;
    const struct turns_rules *rules;
    struct turns *out;
    struct smap calls;           /* id -> struct piece *: the latest call with it */
    struct turn *round;          /* the last turn with calls */
    const struct bough_entry *e; /* being read */
    size_t at;
    struct facts facts;        /* of it */
    struct bough_str model;    /* in force, a string */
    struct bough_str response; /* of the last entry of the model; a string */
    struct piece *spare;       /* pieces that are allocated but not used */
    size_t nspare;
    bool noted;  /* a note about odd characters was made for this entry */
    size_t used; /* base64 in files so far */
};

void turns_note(const struct building *b, const struct bough_entry *e, const char *what,
                const char *fmt, ...) BOUGH_PRINTF(4, 5);

/* facts.c: read in->e's data. */
void facts_read(const struct bough_entry *e, struct facts *out);

/* build.c: who says what. */
struct turn *turn_new(struct building *b, enum turn_kind kind);
void turn_put(struct turn *t, struct piece *p);
/* The message b->e, whose facts are read. */
void message_say(struct building *b);
/* One text or file of the current entry. */
void say_line(struct building *b, enum turn_kind by, struct piece *line);

/* content.c: pieces of parts. */
struct piece *piece_new(struct building *b, enum piece_kind kind);
/* A text: plain characters, or words of ours. */
struct piece *piece_plain(struct building *b, struct bough_str text);
struct piece *piece_said(struct building *b, const char *text);
/* A text made of words of ours around a JSON string, or around nothing. */
struct piece *piece_around(struct building *b, const char *before, struct bough_str string,
                           const char *after);
/* The content of a result: `output` any JSON value, `files` an array of file parts or empty. */
struct piece *content_of(struct building *b, struct bough_str output, struct bough_str files);
/* The parts of an entry as the content of a result. */
struct piece *content_of_parts(struct building *b, const struct bough_entry *e);
/* Spans whose lone surrogates are replaced. */
void spans_mend(struct building *b, struct part_spans *s);
/* A part of an unknown type: a text, a call, a result or a block of a provider's own tool, if it
 * looks like one. */
void unknown_read(struct part_spans *s);

/* pair.c: calls and results. */
void call_add(struct building *b, struct turn *t, struct piece *call);
/* Give a result to its call, by position and id; `id` and `tool` are strings and may be empty. An
 * orphan is dropped with a note. */
void result_add(struct building *b, struct bough_str id, struct bough_str tool, bool failed,
                struct piece *content);
/* Give every call of the turn that has no result one that says so. */
void calls_finish(struct building *b, struct turn *t);

/* fit.c: apply the rules to all turns. */
void turns_fit(struct building *b);

/* names.c: ids and names as the target takes them. */
void call_name(struct building *b, struct piece *call);

#endif
