/* opencode's storage: a session's file there is only its header; the rest is in files beside it. */
#ifndef TRANSFER_OPENCODE_STORAGE_H
#define TRANSFER_OPENCODE_STORAGE_H

#include "transfer/place.h"

/* When `path` is ".../session/<project>/ses_<id>.json" with messages beside it: all of it as one
 * export, in a file without a name. *fd stays as it is when it is not. Nothing is written there. */
BOUGH_MUST_CHECK enum bough_rc opencode_storage_read(struct placer *p, const char *path, int *fd,
                                                     struct bough_error *err);

#endif
