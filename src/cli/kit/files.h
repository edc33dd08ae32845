/* The files a conversation touched, as named by its tool calls, patches and attachments. */
#ifndef CLI_KIT_FILES_H
#define CLI_KIT_FILES_H

#include <bough/model.h>

struct files {
    const char **at; /* sorted, each once */
    size_t n;
};

/* Collected from tool inputs (path, file_path, filePath, ...), patches and file parts. `out` points
 * into `a`. */
void files_of(struct bough_arena *a, const struct bough_entry *entries, size_t n,
              struct files *out);

#endif
