/* The background thread: folds the lists, indexes the full text, saves drafts, does idle work. */
#ifndef STORE_THREAD_H
#define STORE_THREAD_H

#include "store/engine/engine.h"

/* Initialise the engine's locks and start its thread, unless it is read-only.
 * e->background.started is false when the thread could not be started. */
void engine_thread_start(struct engine *e);
/* Stop the thread and release what engine_thread_start() made. */
void engine_thread_stop(struct engine *e);

#endif
