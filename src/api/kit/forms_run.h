/* The JSON objects of runs, approvals, grants and activities, shared by the API and --json. */
#ifndef API_KIT_FORMS_RUN_H
#define API_KIT_FORMS_RUN_H

#include "base/json/json.h"
#include "core/activity/activity.h"

void form_run(struct json_writer *w, const struct bough_run *r);
void form_approval(struct json_writer *w, const struct bough_approval *p);
void form_grant(struct json_writer *w, const struct bough_grant *g);
void form_activities(struct json_writer *w, const struct activities *all,
                     const struct activity_rows *rows, const char *next);

#endif
