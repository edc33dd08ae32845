/* opencode's storage of JSON files: what lies in it is read whole, by the names of the files. */
#include <string.h>
#include <sys/stat.h>

#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "base/text/str.h"
#include "corpus.h"

#define SESSION "storage/session/p/ses_1.json"
#define INFO                                                                                       \
    "{\"id\":\"ses_1\",\"title\":\"T\",\"directory\":\"/p\",\"time\":{\"created\":1794772800000}}"

static const char *put(struct test *t, const char *path, const char *text)
{
    const char *last = strrchr(path, '/');
    const char *dir = arena_printf(t->arena, "%s/%.*s", test_dir(t), (int)(last - path), path);

    CHECK_OK(fs_mkdirs(dir, 0700, &t->err));
    return file_make(t, path, text, strlen(text));
}

static void put_message(struct test *t, const char *name, const char *id, const char *text)
{
    put(t, arena_printf(t->arena, "storage/message/ses_1/%s.json", name),
        arena_printf(t->arena,
                     "{%s\"sessionID\":\"ses_1\",\"role\":\"user\",\"time\":{\"created\":"
                     "1794772801000}}",
                     id));
    put(t, arena_printf(t->arena, "storage/part/%s/prt_%s.json", name, name),
        arena_printf(t->arena, "{\"id\":\"prt_%s\",\"type\":\"text\",\"text\":\"%s\"}", name,
                     text));
}

static bool says(const struct bough_import_file_result *in, const char *text)
{
    for (size_t i = 0; i < in->nproblems; i++)
        if (strstr(in->problems[i].text, text))
            return true;
    return false;
}

static bool has(struct test *t, const char *entry)
{
    struct bough_entry *e;

    return bough_entry_get(t->store, t->arena, "ses_1", entry, &e, NULL) == BOUGH_OK;
}

STORE_TEST(a_message_file_of_opencode_without_an_id_or_with_a_stale_one_has_the_name_of_the_file)
{
    const char *path = put(t, SESSION, INFO);
    struct bough_import_file_result in;

    put_message(t, "msg_01", "\"id\":\"msg_01\",", "one");
    put_message(t, "msg_02", "", "two");
    put_message(t, "msg_03", "\"id\":\"msg_01\",", "three");
    put_message(t, "msg_04", "\"id\":7,", "four");
    in = import_file(t, path);
    CHECK_INT(4, in.added);
    CHECK_STR("one two three four", path_text(t, "ses_1"));
    CHECK(has(t, "msg_01") && has(t, "msg_02") && has(t, "msg_03") && has(t, "msg_04"));
    CHECK(says(&in, "msg_03.json"));
    CHECK_INT(BOUGH_IMPORT_UNCHANGED, import_file(t, path).status);
}

STORE_TEST(a_session_file_of_opencode_has_the_name_of_the_file_too)
{
    put_message(t, "msg_01", "\"id\":\"msg_01\",", "one");
    import_file(t, put(t, SESSION, "{\"id\":\"ses_old\",\"title\":\"T\",\"directory\":\"/p\"}"));
    CHECK_STR("ses_1", get(t, "ses_1")->origin);
    CHECK_STR("one", path_text(t, "ses_1"));
}

STORE_TEST(a_session_of_opencode_without_messages_is_a_session_with_its_todos)
{
    const char *path = put(t, SESSION, INFO);
    struct bough_import_file_result in;
    struct bough_todos todos;

    put(t, "storage/todo/ses_1.json",
        "[{\"id\":\"1\",\"content\":\"Begin\",\"status\":\"pending\",\"priority\":\"high\"}]");
    in = import_file(t, path);
    CHECK_STR("opencode", in.format);
    CHECK_INT(1, in.sessions);
    CHECK_STR("T", get(t, "ses_1")->title);
    CHECK_OK(bough_todo_get(t->store, t->arena, "ses_1", &todos, &t->err));
    CHECK_INT(1, todos.n);
    CHECK_STR("Begin", todos.at[0].content);
    put_message(t, "msg_01", "\"id\":\"msg_01\",", "one");
    CHECK_INT(1, import_file(t, path).added);
}

STORE_TEST(a_broken_session_file_of_opencode_is_named_and_its_messages_are_read)
{
    const char *path = put(t, SESSION, "{\"id\":\"ses_1\",\"ti");
    struct bough_import_file_result in;

    CHECK_RC(BOUGH_INVALID, import_rc(t, path, &in)); /* there is nothing else of it */
    CHECK_STR("opencode", in.format);
    CHECK(strstr(t->err.msg, "ses_1.json"));
    put_message(t, "msg_01", "\"id\":\"msg_01\",", "one");
    put_message(t, "msg_02", "\"id\":\"msg_02\",", "two");
    in = import_file(t, path);
    CHECK(says(&in, "ses_1.json"));
    CHECK_STR("one two", path_text(t, "ses_1"));
    put(t, SESSION, INFO); /* mended */
    in = import_file(t, path);
    CHECK_INT(0, in.added);
    CHECK_INT(0, in.nproblems);
}
