/* JSON Schemas of what the API takes and gives, by name. Rows of routes name them. */
#include "api/api.h"

const struct api_schema api_schemas[] = {
    { "About", "{\"type\":\"object\",\"required\":[\"version\",\"store\",\"backend\",\"epoch\","
               "\"last_no\",\"who\",\"scopes\",\"project\"],\"properties\":{"
               "\"version\":{\"type\":\"string\"},\"store\":{\"type\":\"string\"},"
               "\"backend\":{\"type\":\"string\"},\"epoch\":{\"type\":\"integer\"},"
               "\"last_no\":{\"type\":\"integer\"},\"who\":{\"type\":\"string\"},"
               "\"scopes\":{\"type\":\"string\"},\"project\":{\"type\":[\"string\",\"null\"]}}}" },
    { "AlkhubMessage",
      "{\"type\":\"object\",\"required\":[\"id\",\"metadata\",\"createdAt\",\"updatedAt\",\"sess"
      "ionId\",\"role\",\"data\",\"parts\"],\"properties\":{\"parts\":{\"type\":\"array\",\"items"
      "\":{\"type\":\"object\"}}}}" },
    { "AlkhubMessageNew",
      "{\"type\":\"object\",\"required\":[\"role\",\"parts\"],\"properties\":{\"role\":{\"enum\":"
      "[\"user\",\"assistant\",\"system\"]},\"data\":{\"type\":\"object\"},\"metadata\":{\"type\""
      ":\"object\"},\"parts\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":[\"t"
      "ype\",\"data\"]}}}}" },
    { "AlkhubPage",
      "{\"type\":\"object\",\"required\":[\"items\",\"next\"],\"properties\":{\"items\":{\"type\""
      ":\"array\",\"items\":{\"type\":\"object\"}},\"next\":{\"type\":[\"string\",\"null\"]}}}" },
    { "AlkhubSession",
      "{\"type\":\"object\",\"required\":[\"id\",\"metadata\",\"createdAt\",\"updatedAt\",\"acco"
      "untId\",\"projectId\",\"workspaceId\",\"parentId\",\"slug\",\"title\",\"status\",\"versi"
      "on\",\"provider\",\"roleName\",\"data\"]}" },
    { "AlkhubSessionEdit",
      "{\"type\":\"object\",\"properties\":{\"title\":{\"type\":\"string\"},\"status\":{\"enum\":"
      "[\"idle\",\"busy\",\"retry\",\"archived\"]},\"owner\":{\"type\":\"string\"},\"leaseMs\":{\""
      "type\":\"integer\"}}}" },
    { "AlkhubSessionNew",
      "{\"type\":\"object\",\"required\":[\"title\",\"projectId\"],\"properties\":{\"title\":{\""
      "type\":\"string\"},\"projectId\":{\"type\":\"string\"},\"slug\":{\"type\":\"string\"},\"da"
      "ta\":{\"type\":\"object\"},\"metadata\":{\"type\":\"object\"}}}" },
    { "Error", "{\"type\":\"object\",\"required\":[\"error\"],\"properties\":{\"error\":{"
               "\"type\":\"object\",\"required\":[\"code\",\"message\"],\"properties\":{"
               "\"code\":{\"type\":\"string\"},\"message\":{\"type\":\"string\"},"
               "\"detail\":{}}}}}" },
    { "HecateExchange",
      "{\"type\":\"object\",\"required\":[\"messages\"],\"properties\":{\"messages\":{\"type\":"
      "\"array\",\"items\":{\"type\":\"object\"}},\"reply\":{\"type\":\"object\"},\"provider_cal"
      "l\":{\"type\":\"object\"},\"owner\":{\"type\":\"string\"}}}" },
    { "HecateExchanged",
      "{\"type\":\"object\",\"required\":[\"object\",\"data\"],\"properties\":{\"object\":{\"con"
      "st\":\"chat_exchange\"},\"data\":{\"type\":\"object\",\"required\":[\"session_id\",\"mat"
      "ched\",\"branched\",\"message_ids\"]}}}" },
    { "HecatePrompt",
      "{\"type\":\"object\",\"required\":[\"object\",\"data\"],\"properties\":{\"object\":{\"con"
      "st\":\"queued_prompt\"},\"data\":{\"type\":\"object\"}}}" },
    { "HecatePromptNew",
      "{\"type\":\"object\",\"required\":[\"content\"],\"properties\":{\"content\":{\"type\":\"s"
      "tring\"}}}" },
    { "HecatePrompts",
      "{\"type\":\"object\",\"required\":[\"object\",\"data\"],\"properties\":{\"object\":{\"con"
      "st\":\"queued_prompts\"},\"data\":{\"type\":\"array\",\"items\":{\"type\":\"object\"}}}}" },
    { "HecateSession",
      "{\"type\":\"object\",\"required\":[\"object\",\"data\"],\"properties\":{\"object\":{\"con"
      "st\":\"chat_session\"},\"data\":{\"type\":\"object\",\"required\":[\"id\",\"title\",\"syst"
      "em_prompt\",\"user\",\"messages\",\"provider_calls\"]}}}" },
    { "HecateSessionEdit",
      "{\"type\":\"object\",\"properties\":{\"title\":{\"type\":\"string\"},\"system_prompt\":{"
      "\"type\":\"string\"}}}" },
    { "HecateSessionNew",
      "{\"type\":\"object\",\"properties\":{\"title\":{\"type\":\"string\"},\"system_prompt\":{"
      "\"type\":\"string\"},\"user\":{\"type\":\"string\"}}}" },
    { "HecateSessions",
      "{\"type\":\"object\",\"required\":[\"object\",\"data\",\"has_more\"],\"properties\":{\"ob"
      "ject\":{\"const\":\"chat_sessions\"},\"data\":{\"type\":\"array\",\"items\":{\"type\":\"ob"
      "ject\"}},\"has_more\":{\"type\":\"boolean\"}}}" },
    { "OpenAPI", "{\"type\":\"object\"}" },
    { "UIMessages", "{\"type\":\"object\",\"required\":[\"messages\",\"open\"],\"properties\":{"
                    "\"messages\":{\"type\":\"array\",\"items\":{\"type\":\"object\"}},"
                    "\"open\":{\"type\":[\"string\",\"null\"]}}}" },
    { 0 },
};
