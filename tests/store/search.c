/* Search: words in everything a session holds, newest first, shown under a living session. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "lib/store_test.h"

static struct bough_hits search_as(struct test *t, const struct bough_search_options *in)
{
    struct bough_hits out;

    CHECK_OK(bough_search(t->store, t->arena, in, &out, &t->err));
    return out;
}

/* The snippets of the hits with matches in brackets, joined by '|'. */
static const char *shown(struct test *t, const struct bough_hits *h)
{
    const char *all = "";

    for (size_t i = 0; i < h->n; i++) {
        const struct bough_hit *hit = &h->at[i];
        size_t at = 0;

        all = arena_printf(t->arena, "%s%s", all, i ? "|" : "");
        for (size_t k = 0; k < hit->nmatches; k++) {
            all = arena_printf(t->arena, "%s%.*s[%.*s]", all, (int)(hit->matches[k].from - at),
                               hit->snippet.p + at, (int)hit->matches[k].n,
                               hit->snippet.p + hit->matches[k].from);
            at = hit->matches[k].from + hit->matches[k].n;
        }
        all = arena_printf(t->arena, "%s%s", all, hit->snippet.p + at);
        CHECK(!i || hit->no <= h->at[i - 1].no);
    }
    return all;
}

static const char *found(struct test *t, const char *query)
{
    struct bough_hits h = search_as(t, &(struct bough_search_options){ .query = query });

    CHECK(h.complete && h.pending == 0);
    return shown(t, &h);
}

static const char *parts(struct test *t, const char *session, enum bough_role role,
                         const char *const *json, size_t n)
{
    struct bough_str *spans = arena_array(t->arena, n, sizeof *spans);
    struct bough_entry_new e = { .role = role, .parts = spans, .nparts = n };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;

    for (size_t i = 0; i < n; i++)
        spans[i] = str_of(json[i]);
    CHECK_OK(bough_append(t->store, t->arena, session, &in, &out, &t->err));
    return out.ids[0];
}

/* ---- finding ---- */

STORE_TEST(an_appended_message_is_found_by_the_next_search_newest_first)
{
    const char *s = new_session(t, "");
    const char *one = user(t, s, "the quick brown fox");
    struct bough_hits h;

    agent(t, s, "a lazy dog");
    user(t, s, "Fox again");
    CHECK_STR("[Fox] again|the quick brown [fox]", found(t, "fox"));
    h = search_as(t, &(struct bough_search_options){ .query = "quick" });
    CHECK_INT(1, h.n);
    CHECK_STR(s, h.at[0].session);
    CHECK_STR(one, h.at[0].entry);
    CHECK_STR(arena_printf(t->arena, "%s.0000", one), h.at[0].part);
    CHECK_STR("text", h.at[0].field);
    CHECK_INT(BOUGH_ROLE_USER, h.at[0].role);
    CHECK(h.at[0].time > 0 && h.at[0].no > 0);
    CHECK_STR("", found(t, "cat"));
}

STORE_TEST(reasoning_tools_files_and_titles_are_found_where_they_stand)
{
    const char *const json[] = {
        "{\"type\":\"text\",\"text\":\"Let me look\"}",
        "{\"type\":\"reasoning\",\"text\":\"perhaps the makefile\"}",
        "{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"bash\",\"input\":{\"command\":\"grep -rn "
        "needle src\"}}",
        "{\"type\":\"file\",\"mime\":\"image/png\",\"url\":\"data:image/"
        "png;base64,QUJD\",\"filename\":\"diagram.png\"}",
    };
    const char *const result[] = {
        "{\"type\":\"tool_result\",\"tool_use_id\":\"c1\",\"content\":\"src/a.c:7: haystack\"}"
    };
    const char *s = new_session(t, "Fixing the needle bug");
    const char *id = parts(t, s, BOUGH_ROLE_ASSISTANT, json, 4);
    struct bough_hits h;

    parts(t, s, BOUGH_ROLE_TOOL, result, 1);
    CHECK_STR("perhaps the [makefile]", found(t, "reasoning:makefile"));
    CHECK_STR("", found(t, "text:makefile"));
    CHECK_STR("[bash]", found(t, "tool:bash"));
    CHECK_STR("src/a.c:7: [haystack]", found(t, "output:haystack"));
    CHECK_STR("[diagram].png", found(t, "file:diagram"));
    CHECK_STR("Fixing the [needle] bug|grep -rn [needle] src", found(t, "needle"));
    CHECK_STR("Fixing the [needle] bug", found(t, "title:needle"));
    h = search_as(t, &(struct bough_search_options){ .query = "input:needle" });
    CHECK_INT(1, h.n);
    CHECK_STR(arena_printf(t->arena, "%s.0002", id), h.at[0].part);
    CHECK_STR("input", h.at[0].field);
    h = search_as(t, &(struct bough_search_options){ .query = "title:bug" });
    CHECK_STR("", h.at[0].entry);
    CHECK_STR("", h.at[0].part);
    CHECK_STR(s, h.at[0].session);
    CHECK_STR("", found(t, "png base64"));
}

STORE_TEST(summaries_are_found)
{
    const char *s = new_session(t, "");
    char id[BOUGH_ID_LEN + 1];

    user(t, s, "hello");
    CHECK_OK(bough_compact(t->store, s,
                           &(struct bough_compact_options){ .summary = "they said hello politely" },
                           id, &t->err));
    CHECK_STR("they said hello [politely]", found(t, "politely"));
    CHECK_STR("they said [hello] politely", found(t, "hello kind:compaction"));
    CHECK_STR("[hello]", found(t, "hello -kind:compaction"));
}

STORE_TEST(every_operator_narrows_or_widens)
{
    const char *s = new_session(t, "");

    user(t, s, "alpha beta");
    user(t, s, "beta alpha");
    agent(t, s, "alphabet soup");
    CHECK_STR("[beta] [alpha]|[alpha] [beta]", found(t, "alpha beta"));
    CHECK_STR("[alpha beta]", found(t, "\"alpha beta\""));
    CHECK_STR("[alphabet] soup|beta [alpha]|[alpha] beta", found(t, "alpha*"));
    CHECK_STR("[alphabet] soup", found(t, "alpha* -beta"));
    CHECK_STR("[alphabet soup]", found(t, "\"alphabet so\"*"));
    CHECK_STR("[alphabet] soup", found(t, "alpha* role:assistant"));
    CHECK_STR("beta [alpha]|[alpha] beta", found(t, "alpha* -role:assistant"));
    CHECK_STR("alphabet soup", found(t, "role:assistant"));
    CHECK_STR("alphabet soup", found(t, "-beta"));
    CHECK_STR("beta [alpha]|[alpha] beta", found(t, "-soup alpha"));
}

STORE_TEST(any_script_is_found)
{
    const char *s = new_session(t, "");

    user(t, s, "Le caf\xc3\xa9 est ferm\xc3\xa9");
    user(t, s,
         "\xe6\x88\x91\xe4\xbb\xac\xe7\x94\xa8\xe6\x90\x9c\xe7\xb4\xa2\xe5\xbc\x95\xe6\x93\x8e");
    user(t, s, "ship it \xf0\x9f\x9a\x80 now");
    user(t, s, "STRASSE");
    CHECK_STR("Le [caf\xc3\xa9] est ferm\xc3\xa9", found(t, "CAFE"));
    CHECK_STR("Le [caf\xc3\xa9] est ferm\xc3\xa9", found(t, "cafe\xcc\x81"));
    CHECK_STR(
        "\xe6\x88\x91\xe4\xbb\xac\xe7\x94\xa8[\xe6\x90\x9c\xe7\xb4\xa2]\xe5\xbc\x95\xe6\x93\x8e",
        found(t, "\xe6\x90\x9c\xe7\xb4\xa2"));
    CHECK_STR("", found(t, "\xe7\xb4\xa2\xe6\x90\x9c"));
    CHECK_STR("ship it [\xf0\x9f\x9a\x80] now", found(t, "\xf0\x9f\x9a\x80"));
    CHECK_STR("[STRASSE]", found(t, "stra\xc3\x9f"
                                    "e"));
}

STORE_TEST(nothing_that_is_typed_is_an_error)
{
    static const char *const typed[] = { "",
                                         " ",
                                         "\"",
                                         "\"\"",
                                         "-",
                                         "--",
                                         "*",
                                         ":",
                                         "^",
                                         "(",
                                         ")",
                                         "{",
                                         "}",
                                         "+",
                                         "'",
                                         "''",
                                         "a\"",
                                         "\"a",
                                         "-\"a",
                                         "NEAR(",
                                         "AND",
                                         "OR",
                                         "NOT",
                                         "a AND",
                                         "col:",
                                         "text:",
                                         "text:\"",
                                         "tag:d",
                                         "tag : d",
                                         "10.0.0.1",
                                         "multi-agent",
                                         "don't",
                                         "a*b*",
                                         "**",
                                         "-*",
                                         "\xff\xfe",
                                         "%s%n",
                                         "role:",
                                         "role:\"\"",
                                         "session:nobody",
                                         "session:#9999999999999",
                                         "project:nowhere",
                                         "branch:99999999999999999999",
                                         "since:never",
                                         "text:a text:b -text:c",
                                         "\\",
                                         "\x01",
                                         "a\nb",
                                         ";DROP TABLE x" };
    const char *s = new_session(t, "a b c");
    char *big = arena_alloc(t->arena, 100001);
    struct bough_hits h;

    user(t, s, "a b c don't 10.0.0.1");
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++)
        (void)search_as(t, &(struct bough_search_options){ .query = typed[i] });
    for (int c = 1; c < 256; c++) {
        char two[3] = { (char)c, (char)c, '\0' };

        (void)search_as(t, &(struct bough_search_options){ .query = two });
        (void)search_as(t, &(struct bough_search_options){ .query = two + 1 });
    }
    for (size_t i = 0; i < 100000; i += 5)
        memcpy(big + i, "a -b ", 5);
    big[100000] = '\0';
    h = search_as(t, &(struct bough_search_options){ .query = big });
    CHECK(h.ignored > 100);
    CHECK_INT(0, h.n);
    for (size_t i = 0; i < 100000; i += 2)
        memcpy(big + i, "a ", 2);
    h = search_as(t, &(struct bough_search_options){ .query = big });
    CHECK_INT(2, h.n);
    CHECK_STR("a b c [don't] [10.0.0.1]", found(t, "don't 10.0.0.1"));
    CHECK_STR("", found(t, ""));
    CHECK_STR("", found(t, "\" - * "));
}

STORE_TEST(filters_by_tool_project_time_and_branch_hold_together)
{
    struct bough_session_create_options in = { .project = "/code/me/bough" };
    struct bough_session *one, *two;
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = "dated word", .time = 1000000 };
    struct bough_append_options ap = { .entries = &e, .n = 1 };
    struct bough_append_result out;
    struct bough_hits h;

    CHECK_OK(bough_session_create(t->store, t->arena, &in, &one, &t->err));
    in.project = "/code/me/other";
    CHECK_OK(bough_session_create(t->store, t->arena, &in, &two, &t->err));
    user(t, one->id, "word in bough");
    user(t, two->id, "word in other");
    CHECK_STR("[word] in bough", found(t, "word project:bough"));
    CHECK_STR("[word] in other", found(t, "word project:/code/me/other"));
    CHECK_STR("", found(t, "word project:me"));
    h = search_as(t,
                  &(struct bough_search_options){ .query = "word", .project = "/code/me/bough" });
    CHECK_STR("[word] in bough", shown(t, &h));
    CHECK_OK(bough_session_update(
        t->store, one->id, &(struct bough_session_update_options){ .project = "/code/me/other" },
        &t->err));
    CHECK_STR("[word] in other|[word] in bough", found(t, "word project:other"));
    CHECK_STR("", found(t, "word project:bough"));
    CHECK_OK(bough_append(t->store, t->arena, one->id, &ap, &out, &t->err));
    CHECK_STR("dated [word]", found(t, "word before:1971"));
    CHECK_STR("[word] in other|[word] in bough", found(t, "word since:1971"));
    h = search_as(
        t, &(struct bough_search_options){ .query = "word", .since = 1000000, .until = 1000001 });
    CHECK_STR("dated [word]", shown(t, &h));
    h = search_as(
        t, &(struct bough_search_options){ .query = "word", .since = 1000001, .until = 1000002 });
    CHECK_INT(0, h.n);
    h = search_as(t, &(struct bough_search_options){ .query = "word", .branch = 2 });
    CHECK_STR("[word] in other", shown(t, &h));
    CHECK_STR("[word] in other", found(t, "word branch:2"));
    h = search_as(t, &(struct bough_search_options){ .query = "word branch:2", .branch = 1 });
    CHECK_INT(0, h.n);
    h = search_as(
        t, &(struct bough_search_options){ .query = "word", .roles = 1 << BOUGH_ROLE_ASSISTANT });
    CHECK_INT(0, h.n);
    h = search_as(
        t, &(struct bough_search_options){ .query = "role:user", .roles = 1 << BOUGH_ROLE_TOOL });
    CHECK_INT(0, h.n);
    h = search_as(t, &(struct bough_search_options){ .project = "/code/me/other" });
    CHECK_INT(3, h.n);
    h = search_as(t, &(struct bough_search_options){ .project = "other" });
    CHECK_INT(0, h.n); /* only the filter in the query takes a part of the name */
    CHECK_RC(BOUGH_NOT_FOUND,
             bough_search(t->store, t->arena, &(struct bough_search_options){ .session = "who" },
                          &h, &t->err));
    CHECK_RC(BOUGH_INVALID,
             bough_search(t->store, t->arena, &(struct bough_search_options){ .limit = -1 }, &h,
                          &t->err));
    CHECK_RC(BOUGH_INVALID, bough_search(t->store, t->arena,
                                         &(struct bough_search_options){ .at = "x" }, &h, &t->err));
}

STORE_TEST(pages_follow_each_other_without_gap_or_overlap)
{
    const char *s = new_session(t, "");
    struct bough_search_options in = { .query = "page", .limit = 3 };
    struct bough_hits h;
    int64_t last = INT64_MAX;
    size_t n = 0;

    for (int i = 0; i < 10; i++)
        user(t, s, arena_printf(t->arena, "page %d", i));
    do {
        h = search_as(t, &in);
        user(t, s, "page of later");
        for (size_t i = 0; i < h.n; i++, n++) {
            CHECK(h.at[i].no < last);
            last = h.at[i].no;
        }
        in.cursor = h.next;
    } while (*h.next);
    CHECK_INT(10, n);
    CHECK_INT(1, h.n);
    in = (struct bough_search_options){ .query = "page" };
    h = search_as(t, &in);
    CHECK_INT(14, h.n);
    CHECK_STR("", h.next);
}

/* ---- the session of a hit ---- */

STORE_TEST(a_shared_entry_is_found_once_under_a_living_session)
{
    const char *s = new_session(t, ""), *first, *fork, *twig;
    struct bough_hits h;

    first = user(t, s, "shared secret");
    agent(t, s, "behind the secret");
    fork = fork_at(t, s, first);
    user(t, fork, "secret of the fork");
    twig = fork_at(t, fork, NULL);
    CHECK_STR("[secret] of the fork|behind the [secret]|shared [secret]", found(t, "secret"));
    h = search_as(t, &(struct bough_search_options){ .query = "shared" });
    CHECK_STR(s, h.at[0].session);
    CHECK_OK(bough_session_delete(t->store, s, &t->err));
    h = search_as(t, &(struct bough_search_options){ .query = "secret" });
    CHECK_STR("[secret] of the fork|shared [secret]", shown(t, &h));
    CHECK_STR(fork, h.at[1].session);
    CHECK_STR(first, h.at[1].entry);
    CHECK_OK(bough_session_delete(t->store, fork, &t->err));
    h = search_as(t, &(struct bough_search_options){ .query = "secret" });
    CHECK_STR("[secret] of the fork|shared [secret]", shown(t, &h));
    CHECK_STR(twig, h.at[0].session);
    CHECK_STR(twig, h.at[1].session);
    CHECK_OK(bough_session_delete(t->store, twig, &t->err));
    CHECK_STR("", found(t, "secret"));
    CHECK_OK(bough_session_restore(t->store, s, &t->err));
    CHECK_STR("behind the [secret]|shared [secret]", found(t, "secret"));
}

STORE_TEST(a_session_filter_shows_inherited_history_and_nothing_behind_the_fork)
{
    const char *s = new_session(t, "word title"), *first, *fork, *side;
    struct bough_hits h;

    first = user(t, s, "word one");
    user(t, s, "word two");
    fork = fork_at(t, s, first);
    user(t, fork, "word three");
    h = search_as(t, &(struct bough_search_options){ .query = "word", .session = fork });
    CHECK_STR("[word] three|[word] one", shown(t, &h));
    CHECK_STR(fork, h.at[1].session);
    h = search_as(t, &(struct bough_search_options){ .query = "word", .session = s });
    CHECK_STR("[word] two|[word] title|[word] one", shown(t, &h));
    CHECK_STR("[word] two|[word] title|[word] one",
              found(t, arena_printf(t->arena, "word session:%s", get(t, s)->slug)));
    CHECK_OK(bough_head_move(t->store, s, first, &t->err));
    side = user(t, s, "word aside");
    h = search_as(t, &(struct bough_search_options){ .query = "word", .session = s, .path = true });
    CHECK_STR("[word] aside|[word] one", shown(t, &h));
    h = search_as(t, &(struct bough_search_options){ .query = "word", .session = s, .at = first });
    CHECK_STR("[word] one", shown(t, &h));
    h = search_as(t, &(struct bough_search_options){ .query = "word", .session = s });
    CHECK_INT(4, h.n);
    CHECK_OK(bough_session_delete(t->store, s, &t->err));
    h = search_as(t, &(struct bough_search_options){ .query = "word", .session = s });
    CHECK_INT(0, h.n);
    (void)side;
}

STORE_TEST(deleted_entries_are_not_found_until_they_are_restored)
{
    const char *s = new_session(t, ""), *id;

    id = user(t, s, "regret");
    CHECK_STR("[regret]", found(t, "regret"));
    CHECK_OK(bough_entry_delete(t->store, s, id, &t->err));
    CHECK_STR("", found(t, "regret"));
    CHECK_OK(bough_entry_restore(t->store, s, id, &t->err));
    CHECK_STR("[regret]", found(t, "regret"));
    CHECK_OK(bough_entry_delete(t->store, s, id, &t->err));
    CHECK_OK(bough_search_rebuild(t->store, &t->err));
    CHECK_STR("", found(t, "regret"));
    CHECK_OK(bough_entry_restore(t->store, s, id, &t->err));
    CHECK_STR("[regret]", found(t, "regret"));
}

STORE_TEST(archived_sessions_are_found)
{
    const char *s = new_session(t, "old stuff");

    user(t, s, "ancient words");
    CHECK_OK(bough_session_archive(t->store, s, &t->err));
    CHECK_STR("[ancient] words", found(t, "ancient"));
    CHECK_STR("[old] stuff", found(t, "old"));
}

STORE_TEST(a_new_title_takes_the_place_of_the_old_one)
{
    const char *s = new_session(t, "first name");

    CHECK_STR("[first] name", found(t, "first"));
    CHECK_OK(bough_session_rename(t->store, s, "second name", &t->err));
    CHECK_STR("", found(t, "first"));
    CHECK_STR("second [name]", found(t, "name"));
    CHECK_OK(bough_session_rename(t->store, s, "third", &t->err));
    CHECK_OK(bough_session_rename(t->store, s, "", &t->err));
    CHECK_STR("", found(t, "name"));
    CHECK_STR("", found(t, "third"));
    CHECK_OK(bough_session_rename(t->store, s, "fourth", &t->err));
    CHECK_STR("[fourth]", found(t, "fourth"));
    CHECK_OK(bough_session_delete(t->store, s, &t->err));
    CHECK_STR("", found(t, "fourth"));
}

STORE_TEST(a_purge_takes_text_away_but_not_what_forks_show)
{
    const char *s = new_session(t, "purged title"), *first, *fork;
    struct bough_hits h;

    first = user(t, s, "kept canary");
    user(t, s, "gone canary");
    fork = fork_at(t, s, first);
    CHECK_STR("gone [canary]|kept [canary]", found(t, "canary"));
    CHECK_OK(bough_session_purge(t->store, t->arena, s, NULL, &t->err));
    h = search_as(t, &(struct bough_search_options){ .query = "canary" });
    CHECK_STR("kept [canary]", shown(t, &h));
    CHECK_STR(fork, h.at[0].session);
    CHECK_STR("", found(t, "purged"));
    CHECK_OK(bough_session_purge(t->store, t->arena, fork, NULL, &t->err));
    CHECK_STR("", found(t, "canary"));
    CHECK_OK(bough_search_rebuild(t->store, &t->err));
    CHECK_STR("", found(t, "canary"));
}

STORE_TEST(entries_purged_before_they_were_indexed_are_never_indexed)
{
    struct bough_search_options quick = { .query = "early", .wait_ms = -1 };
    const char *s = new_session(t, "early title"), *first, *fork;
    struct bough_hits h;

    first = user(t, s, "early kept");
    user(t, s, "early gone");
    fork = fork_at(t, s, first);
    CHECK_OK(bough_session_purge(t->store, t->arena, s, NULL, &t->err));
    CHECK_STR("[early] kept", found(t, "early"));
    h = search_as(t, &quick);
    CHECK_INT(1, h.n);
    CHECK_STR(fork, h.at[0].session);
}

/* ---- regular expressions ---- */

STORE_TEST(P39_re_finds_texts_by_a_regular_expression_whatever_the_case)
{
    const char *s = new_session(t, "Errors of today");

    user(t, s, "open failed: ENOENT at line 12");
    agent(t, s, "that was eacces, not the other");
    user(t, s, "nothing here");
    CHECK_STR("that was [eacces], not the other|open failed: [ENOENT] at line 12",
              found(t, "re:E(NOENT|ACCES)"));
    CHECK_STR("open failed: ENOENT at [line 12]", found(t, "  RE: line \\d+ "));
    CHECK_STR("[Errors] of today", found(t, "re:^errors\\b"));
    CHECK_STR("open failed: [ENOENT] at line 12", found(t, "role:user re:E(NOENT|ACCES)"));
    CHECK_STR("that was [eacces], not the other", found(t, "other re:\"e.c+es\""));
    CHECK_STR("", found(t, "re:wombat"));
}

STORE_TEST(P39_an_expression_that_is_none_or_empty_finds_nothing_and_says_why)
{
    static const char *const wrong[] = { "re:",   "re:  ",     "re:(",      "re:a)",    "re:*",
                                         "re:[a", "re:a{2,1}", "re:(a)\\1", "re:(?=a)", "re:\\" };
    struct bough_hits h;

    user(t, new_session(t, "a"), "a a (");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        h = search_as(t, &(struct bough_search_options){ .query = wrong[i] });
        CHECK_INT(0, h.n);
        CHECK(*h.refused);
    }
    h = search_as(t, &(struct bough_search_options){ .query = "re:a" });
    CHECK_INT(2, h.n);
    CHECK_STR("", h.refused);
}

STORE_TEST(P39_a_quoted_phrase_stands_together_and_an_open_quote_is_plain_words)
{
    const char *s = new_session(t, "T");

    user(t, s, "the  quick\nbrown fox");
    user(t, s, "brown and quick");
    CHECK_STR("the [quick brown] fox", found(t, "\"Quick   brown\""));
    CHECK_STR("[brown] and [quick]|the [quick] [brown] fox", found(t, "\"quick brown"));
}

STORE_TEST(an_expression_goes_page_by_page_and_within_a_session)
{
    const char *one = new_session(t, "one"), *two = new_session(t, "two");
    struct bough_search_options in = { .query = "re:^n[0-9]$", .limit = 3 };
    struct bough_hits h;
    int64_t all = 0;

    for (int i = 0; i < 8; i++) {
        char text[16];

        snprintf(text, sizeof text, "n%d", i);
        user(t, one, text);
        user(t, two, "no");
    }
    do {
        h = search_as(t, &in);
        CHECK(h.n <= 3);
        all += (int64_t)h.n;
        in.cursor = h.next;
    } while (*h.next);
    CHECK_INT(8, all);
    in = (struct bough_search_options){ .query = "re:n", .session = two };
    CHECK_INT(8, search_as(t, &in).n);
}

/* Expressions that make backtracking engines hang. */
STORE_TEST(no_expression_can_make_a_search_hang)
{
    static const char *const hard[] = { "re:(a+)+$", "re:(a|a)*b", "re:(a*)*b",
                                        "re:(a?){100}a{100}b", "re:(.*)(.*)(.*)(.*)(.*)(.*)(.*)x" };
    char *text = arena_alloc(t->arena, 20001);

    memset(text, 'a', 20000);
    text[20000] = '\0';
    user(t, new_session(t, "T"), text);
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++)
        CHECK_INT(i == 0, search_as(t, &(struct bough_search_options){ .query = hard[i] }).n);
}
