/* pi's session files: the row of the format. */
#include "formats/pi/pi.h"

static const struct format_place places[] = {
    { IN_HOME, ".pi/agent/sessions" },
    { 0 },
};

const struct format format_pi = {
    .name = "pi",
    .number = FORMAT_PI,
    .about = "pi coding agent: one .jsonl file a session",
    .suffix = "jsonl",
    .tool = "pi",
    .places = places,
    .appends = true,
    .leave = pi_leave,
    .detect = pi_detect,
    .line = pi_line,
    .end = pi_end,
    .writes = WRITES_TREE,
    .begin = pi_begin,
    .entry = pi_entry,
    .finish = pi_finish,
};
