/* Runs of external agents. */
#include "run/inside.h"

void external_run(struct run_work *w)
{
    work_end(w, BOUGH_RUN_FAILED, "not_ready", "external agents are not configured here");
}
