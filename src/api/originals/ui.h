/* The AI SDK's UI message stream, internal header: parts and steps of a message as chunks. */
#ifndef API_ORIGINALS_UI_H
#define API_ORIGINALS_UI_H

#include "api/kit/api.h"
#include "core/part/view.h"

/* How much of a part was sent. */
struct ui_part {
    enum bough_part_type type;
    size_t text;    /* bytes of text sent */
    bool started;   /* text-start, reasoning-start or tool-input-start was sent */
    bool ended;     /* text-end, or the tool's output or error, was sent */
    bool has_input; /* tool-input-available was sent */
    bool asked;     /* tool-approval-request was sent */
    bool answered;  /* tool-approval-response was sent */
};

/* All parts of one message. Zero-initialize; release with ui_told_finish(). */
struct ui_told {
    struct ui_part *parts;
    size_t n, cap;
    bool any; /* something that becomes a part was sent */
};

/* Answer with the stream of a message, from its beginning to its end. The route's `drop` must be
 * ui_follow_drop(). */
void ui_follow(struct http_req *req, struct http_res *res, const char *entry);
void ui_follow_drop(struct http_req *req);

void ui_told_finish(struct ui_told *t);

/* The start chunk, with the message's id. */
void ui_begin(struct http_res *res, const struct bough_entry *e);
/* Send what is new of a part: one that was added, or whose state changed. */
void ui_part(struct http_res *res, struct ui_told *t, size_t index, struct bough_str json);
/* Send text added to a text or reasoning part. Ignored for other types. */
void ui_text(struct http_res *res, struct ui_told *t, size_t index, struct bough_str delta);
/* The message was sealed: send the rest of its parts, the ends of its texts, and its error. */
void ui_rest(struct http_res *res, struct ui_told *t, const struct bough_entry *e);
/* The same, and the end of the stream. */
void ui_end(struct http_res *res, struct ui_told *t, const struct bough_entry *e);

/* ---- a message of several calls of a model ---- */

void ui_step(struct http_res *res, bool begins);
/* The result of a tool that came as a message of its own. */
void ui_result(struct http_res *res, const struct part_view *v);
void ui_asked(struct http_res *res, const char *call, const char *approval);
/* `note`: why it was rejected, or "". */
void ui_settled(struct http_res *res, const char *approval, bool approved, const char *note);
void ui_error(struct http_res *res, const char *text);
void ui_aborted(struct http_res *res);
/* The end of the stream. `e`: an entry whose metadata are those of the message, or NULL. */
void ui_finish(struct http_res *res, const struct bough_entry *e);

#endif
