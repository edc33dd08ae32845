/* Fuzz: any JSON is an update and a permission request of an agent, or is refused, and its texts
 * can be made. */
#include <stdio.h>
#include <stdlib.h>

#include "acp/update.h"
#include "base/text/str.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);

#define MUST(cond)                                                                                 \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond);                             \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n)
{
    struct bough_arena *a = bough_arena_create();
    struct acp_permission p;
    struct acp_update u;
    struct json root;

    if (json_parse(a, str_make((const char *)data, n), &root, NULL) == BOUGH_OK) {
        if (acp_update_read(a, root, &u)) {
            MUST(u.name && u.raw.n <= n);
            MUST(u.kind != ACP_TOOL || u.tool.id);
            (void)acp_block_text(a, u.content);
            (void)acp_tool_text(a, u.tool.content, u.tool.output);
        }
        if (acp_permission_read(a, root, &p)) {
            MUST(p.n <= ACP_OPTIONS_MOST && p.tool.id);
            (void)acp_option_of(&p, "allow_once");
        }
    }
    bough_arena_destroy(a);
    return 0;
}
