/* What simdjson says about a text, for the differential half of fuzz_json.c. */
#include <simdjson.h>

extern "C" int simdjson_accepts(const char *p, size_t n)
{
    simdjson::dom::parser parser;
    simdjson::padded_string text(p, n);
    simdjson::dom::element root;
    auto error = parser.parse(text).get(root);

    switch (error) {
    case simdjson::SUCCESS:
        return 1;
    case simdjson::CAPACITY:
    case simdjson::MEMALLOC:
    case simdjson::DEPTH_ERROR:
    case simdjson::NUMBER_ERROR: /* also for numbers out of range, which we keep as text */
        return -1;
    default:
        return 0;
    }
}
