/* Search: parsing queries, words of an entry, matching, snippets. */
#include "core/search/search.h"

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/part/part.h"
#include "lib/test.h"

#define NOW INT64_C(1794700800000) /* 2026-11-15 00:00 UTC */

/* Terms as "-words*@fields", joined by '|'. */
static const char *terms(struct test *t, struct bough_str text, struct search_query *q)
{
    const char *all = "";

    search_parse(t->arena, text, NOW, q);
    for (size_t i = 0; i < q->n; i++) {
        const struct search_term *x = &q->terms[i];
        const char *field = "";

        for (int f = 0; f < SEARCH_FIELDS; f++)
            if (x->fields == 1u << f)
                field = arena_printf(t->arena, "@%s", search_field_name((enum search_field)f));
        all = arena_printf(t->arena, "%s%s%s%s%s%s", all, i ? "|" : "", x->negated ? "-" : "",
                           x->words.p, x->prefix ? "*" : "", field);
    }
    return all;
}

#define TERMS(want, text) CHECK_STR(want, terms(t, str_of(text), &q))

TEST(a_query_is_words_phrases_not_and_prefixes)
{
    struct search_query q;

    TERMS("", "");
    TERMS("foo|bar", "  Foo \t bar\n");
    TERMS("foo bar|baz", "\"foo, bar\" baz");
    TERMS("foo bar", "\xe2\x80\x9c"
                     "foo bar\xe2\x80\x9d");
    TERMS("-foo|-a b|c", "-foo -\"a b\" c");
    TERMS("foo*|a b*", "foo* \"a b\"*");
    TERMS("foo bar", "foo*bar");
    TERMS("foo bar c", "foo_bar.c");
    TERMS("force", "--force");
    TERMS("a|b", "a\xe3\x80\x80"
                 "b");
}

TEST(a_query_never_fails)
{
    struct search_query q;

    TERMS("", "\" - * : -- -* \"\" ::: ()^{}");
    CHECK(!search_asks(&q));
    TERMS("foo|bar", "\"foo bar");
    TERMS("near a|or|b", "NEAR(a OR b)");
    TERMS("http example com a", "http://example.com/a");
    TERMS("nofield x", "nofield:x");
    TERMS("role banana|kind|since when|branch x", "role:banana kind: since:when branch:x");
    CHECK_INT(0, q.roles);
    CHECK_STR("a|b", terms(t, str_make("a\0b", 3), &q));
    CHECK_STR("a|b", terms(t, str_make("a\xff b", 4), &q));
}

TEST(a_query_is_bounded)
{
    struct search_query q;
    char *many = arena_alloc(t->arena, 40001);

    for (int i = 0; i < 10000; i++)
        memcpy(many + 4 * i, "x\"- ", 4);
    search_parse(t->arena, str_make(many, 40000), NOW, &q);
    CHECK_INT(LIMIT_SEARCH_TERMS, q.n);
    CHECK(q.ignored > 1000);
    memset(many, 'y', 40000);
    search_parse(t->arena, str_make(many, 40000), NOW, &q);
    CHECK_INT(1, q.n);
    many[0] = '"';
    for (int i = 1; i < 4000; i += 2)
        memcpy(many + i, "z ", 2);
    many[4001] = '"';
    search_parse(t->arena, str_make(many, 4002), NOW, &q);
    CHECK_INT(1, q.n);
    CHECK_INT(2 * LIMIT_SEARCH_PHRASE - 1, q.terms[0].words.n);
    CHECK_INT(1, q.ignored);
}

TEST(fields_and_filters_are_taken_out_of_a_query)
{
    struct search_query q;

    TERMS("bash@tool|-a b@output|ls*@input|x", "tool:bash -output:\"a b\" input:ls* x");
    TERMS("x", "role:user role:Assistant -role:tool kind:compaction -kind:label x");
    CHECK_INT(1 << BOUGH_ROLE_USER | 1 << BOUGH_ROLE_ASSISTANT, q.roles);
    CHECK_INT(1 << BOUGH_ROLE_TOOL, q.not_roles);
    CHECK_INT(1 << BOUGH_ENTRY_COMPACTION, q.kinds);
    CHECK_INT(1 << BOUGH_ENTRY_LABEL, q.not_kinds);
    TERMS("", "session:my-slug project:\"a b\" branch:#12");
    CHECK_STR("my-slug", q.session);
    CHECK_STR("a b", q.project);
    CHECK_INT(12, q.branch);
    CHECK(search_asks(&q));
    TERMS("", "since:2026-11-14 before:today");
    CHECK_INT(NOW - 86400000, q.since);
    CHECK_INT(NOW, q.before);
}

TEST(dates_are_days_moments_or_so_long_ago)
{
    static const struct {
        const char *text;
        int64_t want; /* -1: not a date */
    } rows[] = {
        { "2026-11-15", NOW },
        { "2026-11", NOW - 14 * INT64_C(86400000) },
        { "2026", 1767225600000 },
        { "2024-02-29", 1709164800000 },
        { "1970-01-01", 1 },
        { "2026-11-15T10:30", NOW + 37800000 },
        { "2026-11-15t10:30:05Z", NOW + 37805000 },
        { "today", NOW },
        { "Yesterday", NOW - 86400000 },
        { "12h", NOW - 43200000 },
        { "7d", NOW - 7 * INT64_C(86400000) },
        { "2w", NOW - 14 * INT64_C(86400000) },
        { "9999w", 1 },
        { "", -1 },
        { "tomorrow", -1 },
        { "2026-13", -1 },
        { "2026-11-15T10", -1 },
        { "2026-11-15x", -1 },
        { "20261115", -1 },
        { "d", -1 },
        { "-1d", -1 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t got = -1;

        if (!search_date(str_of(rows[i].text), NOW, &got))
            got = -1;
        if (got != rows[i].want)
            FAIL("%s: %lld", rows[i].text, (long long)got);
    }
}

/* ---- words of an entry ---- */

static struct bough_entry entry_of(struct test *t, const char *const *json, size_t n)
{
    struct bough_part *parts = arena_array(t->arena, n + 1, sizeof *parts);
    struct bough_entry e = { .kind = BOUGH_ENTRY_MESSAGE, .role = BOUGH_ROLE_ASSISTANT };

    for (size_t i = 0; i < n; i++) {
        parts[i].json = str_of(json[i]);
        CHECK_OK(bough_part_check(parts[i].json, &parts[i].type, &t->err));
    }
    e.parts = parts;
    e.nparts = n;
    e.data = e.metadata = e.error = str_of("");
    e.kind_name = e.origin = e.finish = e.session = "";
    return e;
}

static struct search_words words_of(struct test *t, const struct bough_entry *e)
{
    struct search_pieces p;
    struct search_words w;

    search_pieces(t->arena, e, &p);
    search_words(t->arena, p.at, p.n, &w);
    return w;
}

TEST(every_kind_of_text_of_an_entry_has_its_field)
{
    const char *const json[] = {
        "{\"type\":\"text\",\"text\":\"Hello\\nthere\"}",
        "{\"type\":\"reasoning\",\"text\":\"I think\"}",
        "{\"type\":\"tool\",\"callID\":\"c\",\"tool\":\"bash\",\"state\":{\"status\":\"completed\","
        "\"input\":"
        "{\"command\":\"ls -la\\ttmp\",\"n\":7},\"output\":\"total "
        "0\",\"title\":\"\",\"metadata\":{},\"time\":"
        "{\"start\":1,\"end\":2}}}",
        "{\"type\":\"file\",\"mime\":\"text/plain\",\"url\":\"file:///a/"
        "b.txt\",\"filename\":\"b.txt\"}",
        "{\"type\":\"text\",\"text\":\"again\"}",
        "{\"type\":\"patch\",\"hash\":\"ff\",\"files\":[\"src/main.c\"]}",
    };
    struct bough_entry e = entry_of(t, json, 6);
    struct search_words w = words_of(t, &e);

    CHECK_SPAN("hello there " SEARCH_GAP " again", w.field[SEARCH_TEXT]);
    CHECK_SPAN("i think", w.field[SEARCH_REASONING]);
    CHECK_SPAN("bash", w.field[SEARCH_TOOL]);
    CHECK_SPAN("ls la tmp 7", w.field[SEARCH_INPUT]);
    CHECK_SPAN("total 0", w.field[SEARCH_OUTPUT]);
    CHECK_SPAN("b txt " SEARCH_GAP " file a b txt " SEARCH_GAP " src main c", w.field[SEARCH_FILE]);
    CHECK_SPAN("", w.field[SEARCH_TITLE]);
}

TEST(results_are_read_through_blocks_strings_of_json_and_bytes)
{
    char *big = arena_alloc(t->arena, 2048);
    const char *json[3];
    struct bough_entry e;
    struct search_words w;

    memset(big, 'A', 1000);
    big[1000] = '\0';
    json[0] = "{\"type\":\"tool_result\",\"tool_use_id\":\"x\",\"content\":[{\"type\":\"text\","
              "\"text\":\"one\"},"
              "{\"type\":\"text\",\"text\":\"two\"}]}";
    json[1] = "{\"type\":\"tool_result\",\"tool_use_id\":\"y\",\"content\":\"{\\\"a\\\":"
              "\\\"x\\\\ny\\\"}\"}";
    json[2] = arena_printf(
        t->arena,
        "{\"type\":\"tool_result\",\"tool_use_id\":\"z\",\"content\":[{\"type\":\"image\","
        "\"data\":\"%s\"},{\"type\":\"text\",\"text\":\"seen\"}]}",
        big);
    e = entry_of(t, json, 3);
    w = words_of(t, &e);
    CHECK_SPAN("one two " SEARCH_GAP " x y " SEARCH_GAP " seen", w.field[SEARCH_OUTPUT]);
}

TEST(long_text_is_cut_outputs_first)
{
    size_t n = 3 * LIMIT_SEARCH_WORDS;
    char *big = arena_alloc(t->arena, n + 1);
    struct search_piece pieces[2];
    struct search_words w;

    for (size_t i = 0; i < n; i++)
        big[i] = i % 2 ? ' ' : 'x';
    pieces[0] = (struct search_piece){ SEARCH_OUTPUT, 0, str_make(big, n) };
    pieces[1] = (struct search_piece){ SEARCH_TEXT, 1, str_of("last but not least") };
    CHECK(search_words(t->arena, pieces, 2, &w));
    CHECK_SPAN("last but not least", w.field[SEARCH_TEXT]);
    CHECK(w.field[SEARCH_OUTPUT].n > LIMIT_SEARCH_WORDS - 1000);
    CHECK(w.field[SEARCH_OUTPUT].n + w.field[SEARCH_TEXT].n <= LIMIT_SEARCH_WORDS);
}

/* ---- matching and snippets ---- */

static bool matches(struct test *t, const char *query, const char *text, const char *other)
{
    struct search_piece pieces[] = { { SEARCH_TEXT, 0, str_of(text) },
                                     { SEARCH_TEXT, 1, str_of(other) } };
    struct search_words w;
    struct search_query q;

    search_words(t->arena, pieces, 2, &w);
    search_parse(t->arena, str_of(query), NOW, &q);
    return search_match(&q, &w);
}

TEST(words_match_whole_and_phrases_stay_in_their_part)
{
    CHECK(matches(t, "fox", "the quick fox", ""));
    CHECK(!matches(t, "fo", "the quick fox", ""));
    CHECK(matches(t, "fo*", "the quick fox", ""));
    CHECK(matches(t, "\"quick f\"*", "the quick fox", ""));
    CHECK(!matches(t, "\"the fox\"", "the quick fox", ""));
    CHECK(matches(t, "the fox", "the quick fox", ""));
    CHECK(!matches(t, "fox -quick", "the quick fox", ""));
    CHECK(!matches(t, "\"fox jumps\"", "the quick fox", "jumps"));
    CHECK(matches(t, "fox jumps", "the quick fox", "jumps"));
    CHECK(matches(t, "text:fox", "the quick fox", ""));
    CHECK(!matches(t, "output:fox", "the quick fox", ""));
}

/* The snippet's text with its matches in brackets. */
static const char *snippet(struct test *t, const char *query, struct search_piece *pieces, size_t n,
                           struct search_snippet *s)
{
    struct search_query q;
    const char *all = "";
    size_t at = 0;

    search_parse(t->arena, str_of(query), NOW, &q);
    CHECK(search_snippet(t->arena, &q, pieces, n, s));
    CHECK(s->text.n <= LIMIT_SNIPPET);
    for (size_t i = 0; i < s->nranges; i++) {
        struct search_range r = s->ranges[i];

        CHECK(r.from >= at && r.n > 0 && r.from + r.n <= s->text.n);
        all = arena_printf(t->arena, "%s%.*s[%.*s]", all, (int)(r.from - at), s->text.p + at,
                           (int)r.n, s->text.p + r.from);
        at = r.from + r.n;
    }
    return arena_printf(t->arena, "%s%s", all, s->text.p + at);
}

TEST(a_snippet_shows_the_part_with_the_most_matches)
{
    struct search_piece pieces[] = {
        { SEARCH_TEXT, 0, str_of("a fox") },
        { SEARCH_OUTPUT, 3,
          str_of("The  quick\n\tbrown FOX, qu\xc3\xad"
                 "ck indeed") },
    };
    struct search_snippet s;

    CHECK_STR("The [quick] brown [FOX], [qu\xc3\xad"
              "ck] indeed",
              snippet(t, "quick fox", pieces, 2, &s));
    CHECK_INT(3, s.part);
    CHECK_INT(SEARCH_OUTPUT, s.field);
    CHECK(!s.cut_front && !s.cut_back);
    CHECK_STR("a [fox]", snippet(t, "text:fox", pieces, 2, &s));
    CHECK_STR("The [quick brown FOX], qu\xc3\xad"
              "ck indeed",
              snippet(t, "\"quick brown fox\"", pieces, 2, &s));
    CHECK_STR("a fox", snippet(t, "-nothing", pieces, 2, &s));
    pieces[0].text = str_of("a \xe6\x90\x9c\xe7\xb4\xa2"); /* two words that touch are one match */
    CHECK_STR("a [\xe6\x90\x9c\xe7\xb4\xa2]",
              snippet(t, "\xe6\x90\x9c \xe7\xb4\xa2", pieces, 1, &s));
}

TEST(words_and_a_phrase_that_covers_them_are_one_range_of_the_snippet)
{
    struct search_piece piece = { SEARCH_TEXT, 0, str_of("one two three") };
    struct search_snippet s;

    CHECK_STR("[one two three]", snippet(t, "one two \"one two three\"", &piece, 1, &s));
    CHECK_INT(1, s.nranges);
    CHECK_STR("[one two] three", snippet(t, "one \"one two\"", &piece, 1, &s));
    piece.text = str_of("a b c d e f g h i j");
    CHECK_STR("[a] b [c] d [e f g h i] j", snippet(t, "a c e f \"e f g h i\"", &piece, 1, &s));
}

TEST(colours_of_a_terminal_are_not_words_and_not_shown)
{
    struct search_piece piece = {
        SEARCH_OUTPUT, 0,
        str_of("\033[1;31mERRO\033[0m[0031] \033[Kg\xc3\xb6t\033[31m \033 x \033[3")
    };
    struct search_snippet s;

    CHECK_STR("[ERRO][0031] [g\xc3\xb6t] x [3", snippet(t, "erro got", &piece, 1, &s));
    CHECK_STR("ERRO[0031] g\xc3\xb6t x [3", snippet(t, "31mERRO kgot", &piece, 1, &s));
}

TEST(a_snippet_is_cut_at_characters_near_the_match)
{
    struct search_snippet s;
    struct search_piece piece = { SEARCH_TEXT, 0, str_of("") };
    char *p = arena_alloc(t->arena, 9001);
    const char *got;

    for (size_t i = 0; i < 9000; i += 3)
        memcpy(p + i, "\xe6\x90\x9c", 3);
    p[9000] = '\0';
    memcpy(p + 4500, "\xe7\xb4\xa2\xe5\xbc\x95", 6);
    piece.text = str_make(p, 9000);
    got = snippet(t, "\xe7\xb4\xa2\xe5\xbc\x95", &piece, 1, &s);
    CHECK(s.cut_front && s.cut_back);
    CHECK_INT(1, s.nranges);
    CHECK_INT(0, s.text.n % 3);
    CHECK(strstr(got, "[\xe7\xb4\xa2\xe5\xbc\x95]"));
}
