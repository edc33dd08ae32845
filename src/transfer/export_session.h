/* Exports one session, or what belongs to none. */
#ifndef TRANSFER_EXPORT_SESSION_H
#define TRANSFER_EXPORT_SESSION_H

#include <bough/bough.h>

#include "formats/common/format.h"

/* Write the session alone; our own format only refers to the sessions it depends on. */
BOUGH_MUST_CHECK enum bough_rc export_session(struct bough_store *s, const char *session,
                                              const struct format *f,
                                              const struct bough_export_options *how,
                                              struct bough_error *err);
/* Write the memories of the store and of its projects; f->notes must be set. */
BOUGH_MUST_CHECK enum bough_rc export_notes(struct bough_store *s, const struct format *f,
                                            const struct bough_export_options *how,
                                            struct bough_error *err);

#endif
