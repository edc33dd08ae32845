/* JSON Schemas of what the API takes and gives, by name. Rows of routes name them. */
#include "api/api.h"

const struct api_schema api_schemas[] = {
    { "About", "{\"type\":\"object\",\"required\":[\"version\",\"store\",\"backend\",\"epoch\","
               "\"last_no\",\"who\",\"scopes\",\"project\"],\"properties\":{"
               "\"version\":{\"type\":\"string\"},\"store\":{\"type\":\"string\"},"
               "\"backend\":{\"type\":\"string\"},\"epoch\":{\"type\":\"integer\"},"
               "\"last_no\":{\"type\":\"integer\"},\"who\":{\"type\":\"string\"},"
               "\"scopes\":{\"type\":\"string\"},\"project\":{\"type\":[\"string\",\"null\"]}}}" },
    { "Error", "{\"type\":\"object\",\"required\":[\"error\"],\"properties\":{\"error\":{"
               "\"type\":\"object\",\"required\":[\"code\",\"message\"],\"properties\":{"
               "\"code\":{\"type\":\"string\"},\"message\":{\"type\":\"string\"},"
               "\"detail\":{}}}}}" },
    { "OpenAPI", "{\"type\":\"object\"}" },
    { 0 },
};
