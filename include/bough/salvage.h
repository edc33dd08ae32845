/* Salvage: what is still whole in a damaged store file. */
#ifndef BOUGH_SALVAGE_H
#define BOUGH_SALVAGE_H

#include <bough/store.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bough_salvage_report {
    int64_t pages;                                             /* of the file */
    int64_t sessions, branches, entries, records, attachments; /* saved */
    int64_t broken;  /* rows that were found, and are not whole */
    int64_t missing; /* entries that must have been there, between others of their branch */
};

/*
 * Read a store file page by page, with the log beside it, without trusting any of it: torn pages, a
 * cut file and an overwritten header keep nobody from the rows that are whole. The file is only
 * read; it must not be open in this process.
 *
 * `line` gets one JSON object at a time, without a newline: first sessions, then branches, entries
 * in the order of their branches with their parts byte for byte, records, and attachments in
 * pieces of base64. An entry whose image is lost is given with the image's name in its place.
 * `lost` hears what could not be saved; it may be NULL. Either returns false to stop, which is
 * BOUGH_TIMEOUT. BOUGH_NOT_FOUND when there is no such file; a file without a single whole row is
 * no error.
 */
BOUGH_MUST_CHECK enum bough_rc bough_salvage(const char *path,
                                             bool (*line)(void *user, struct bough_str json),
                                             bool (*lost)(void *user, const char *what), void *user,
                                             struct bough_salvage_report *report,
                                             struct bough_error *err);

#ifdef __cplusplus
}
#endif
#endif
