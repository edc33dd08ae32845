/* Which files a conversation touched: what its tools and patches name. */
#ifndef CLI_FILES_H
#define CLI_FILES_H

#include <bough/model.h>

struct files {
    const char **at; /* sorted, each once */
    size_t n;
};

/* From tool inputs (path, file_path, filePath, ...), patches and attached files. */
void files_of(struct bough_arena *a, const struct bough_entry *entries, size_t n,
              struct files *out);

#endif
