/* Parses one built-in chat message N times (argv[1]). The instructions of a parse are the
 * difference between two callgrind runs, with N = 0 and N = 1000, divided by 1000. */
#include <stdio.h>
#include <stdlib.h>

#include "base/json/json.h"
#include "base/text/str.h"

static const char message[] =
    "{\"id\":\"msg_01JD4W0K8QZ7T9XN2B5C6M3RVE\",\"role\":\"assistant\",\"time\":{\"created\":"
    "1731676800123,\"completed\":1731676812456},\"model\":{\"provider\":\"anthropic\",\"name\":"
    "\"claude-sonnet-4-5\"},\"usage\":{\"input\":12873,\"output\":642,\"reasoning\":128,\"cache\":"
    "{\"read\":11904,\"write\":512}},\"cost\":0.014372,\"finish\":\"tool_use\",\"parts\":[{"
    "\"type\":"
    "\"reasoning\",\"text\":\"The test fails because the fixture is shared.\\nI should look at "
    "setup() first, then decide whether each test gets its own directory.\\n\"},{\"type\":\"text\","
    "\"text\":\"I found the reason \xe2\x80\x94 both tests write to \\\"/tmp/out\\\" \xe2\x80\x93 "
    "so the second one sees what the first one left.\\n\\nHere is what I will do:\\n\\n1. give "
    "every test its own directory\\n2. remove it afterwards, also on failure\\n3. add a test for "
    "exactly that\\n\\n```c\\nstatic int setup(void **state)\\n{\\n\\tstruct fixture *f = "
    "calloc(1, sizeof *f);\\n\\n\\tsnprintf(f->dir, sizeof f->dir, \\\"/tmp/out-%d\\\", "
    "getpid());\\n\\tif (mkdir(f->dir, 0700) != 0)\\n\\t\\treturn -1;\\n\\t*state = f;\\n\\treturn "
    "0;\\n}\\n```\\n\\nDas ist f\xc3\xbcr alle gr\xc3\xbc\xc3\x9f"
    "eren Testl\xc3\xa4ufe n\xc3\xb6tig; "
    "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe3\x81\xae\xe3\x83\x86\xe3\x82\xad\xe3\x82\xb9\xe3\x83"
    "\x88\xe3\x82\x82\xe5\x95\x8f\xe9\xa1\x8c\xe3\x81\xaa\xe3\x81\x84 \xf0\x9f\x8c\xb3 "
    "\\ud83c\\udf33. The second change is a little larger than it looks, because the teardown "
    "must run when the test jumps out, and that path was never taken before.\"},{\"type\":\"tool\","
    "\"callID\":\"toolu_01A09q90qw90lq917835lq9\",\"tool\":\"edit\",\"state\":{\"status\":"
    "\"completed\",\"input\":{\"filePath\":\"tests/unit/out.c\",\"oldString\":\"\\tf->dir = "
    "\\\"/tmp/out\\\";\\n\",\"newString\":\"\\tf->dir = scratch(f);\\n\",\"replaceAll\":false},"
    "\"output\":\"ok, 1 replacement\\n--- a/tests/unit/out.c\\n+++ b/tests/unit/out.c\\n"
    "@@ -41,3 +41,3 @@\\n-\\tf->dir = \\\"/tmp/out\\\";\\n+\\tf->dir = scratch(f);\\n \\treturn "
    "f->dir ? 0 : -1;\\n }\\n\\nThe file compiles; three tests in it were run again and pass, one "
    "of "
    "them (\\u201cteardown runs after a failure\\u201d) is new and failed before the "
    "change.\\n\",\"title\":\"tests/unit/out.c\",\"metadata\":{\"lines\":[41,"
    "42,43],\"truncated\":false,\"diff\":null},\"time\":{\"start\":1731676809001,\"end\":"
    "1731676809140}}},{\"type\":\"step-finish\",\"reason\":\"tool-calls\",\"tokens\":{\"input\":"
    "12873,\"output\":642}}]}";

int main(int argc, char **argv)
{
    long n = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    struct bough_arena *a = bough_arena_create();
    struct bough_error err;
    struct json root;
    long i;

    for (i = 0; i < n; i++) {
        bough_arena_reset(a);
        if (json_parse(a, str_make(message, sizeof message - 1), &root, &err)) {
            fprintf(stderr, "%s\n", err.msg);
            return 1;
        }
    }
    if (argc == 1)
        printf("%zu bytes\n", sizeof message - 1);
    bough_arena_destroy(a);
    return 0;
}
