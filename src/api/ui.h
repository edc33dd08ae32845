/* The AI SDK's UI message stream, inside view: a message's parts and steps as its chunks. */
#ifndef API_UI_H
#define API_UI_H

#include "api/api.h"

/* How far each part has been told. */
struct ui_part {
    enum bough_part_type type;
    size_t text;    /* bytes of text */
    bool started;   /* text-start, reasoning-start, tool-input-start */
    bool ended;     /* text-end; a tool's output or error */
    bool has_input; /* tool-input-available */
};

struct ui_told {
    struct ui_part *parts;
    size_t n, cap;
};

void ui_told_finish(struct ui_told *t);

void ui_begin(struct http_res *res, const struct bough_entry *e);
/* A part that is new or has another state: whatever of it was not told yet. */
void ui_part(struct http_res *res, struct ui_told *t, size_t index, struct bough_str json);
void ui_text(struct http_res *res, struct ui_told *t, size_t index, struct bough_str delta);
/* The sealed message: what of it was not told yet, then the end. */
void ui_end(struct http_res *res, struct ui_told *t, const struct bough_entry *e);

#endif
