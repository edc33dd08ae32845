/* Reads opencode's storage folder, where a session is spread over many small files. */
#ifndef TRANSFER_IMPORT_OPENCODE_STORAGE_H
#define TRANSFER_IMPORT_OPENCODE_STORAGE_H

#include "transfer/import/placer.h"

/* If `path` is ".../session/<project>/ses_<id>.json", write the whole session as one export into an
 * unlinked temporary file. *fd is that file, owned by the caller; it is untouched otherwise. Names
 * of files count, not the ids in them. Nothing is written into the storage folder. BOUGH_INVALID:
 * the file is broken and has no messages beside it. */
BOUGH_MUST_CHECK enum bough_rc opencode_storage_read(struct placer *p, const char *path, int *fd,
                                                     struct bough_error *err);

#endif
