/* What the tests of Hecate's agent routes share. */
#ifndef RUN_HECATE_WORLD_H
#define RUN_HECATE_WORLD_H

#include "run/script.h"

#define CHATS "/hecate/v1/agent-chat/sessions"
#define TASKS "/hecate/v1/tasks"

/* Ids become "agent_chat_*" and the like; times, milliseconds and hex ids of parts "*". */
const char *masked(struct test *t, struct bough_str text);
/* The value at a path like "data.messages.1.status" of an answer: text, or raw JSON; "(none)". */
const char *at(struct test *t, struct got g, const char *path);
/* A chat created with this body; its id. */
const char *new_chat(struct world *w, const char *body);
const char *in_chat(struct world *w, const char *chat, const char *rest); /* a path */
const char *in_task(struct world *w, const char *task, const char *rest);
struct got remove_path(struct world *w, const char *path);
/* The error type of an answer; the form of the error is checked. */
const char *error_type(struct test *t, struct got g, int status);
/* Create a token, and ask with it. */
struct got ask_as(struct world *w, const char *method, const char *path, const char *scopes,
                  const char *project, const char *body);

#endif
