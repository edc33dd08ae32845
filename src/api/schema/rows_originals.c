/* The schemas of the HTTP interfaces of other programs: Hecate, alkhub, the AI SDK. */
#include "api/schema/schema.h"

#define COMMON "id:string metadata:object createdAt:time|null updatedAt:time|null "
#define HECATE_TIMES "created_at?:time updated_at?:time "

const struct api_schema api_original_schemas[] = {
    { "AlkhubMessage", "A message with its parts.",
      COMMON "sessionId:string role:Role data:object parts:[AlkhubPart]" },
    { "AlkhubMessageNew", "A message to add, with its parts.",
      "only role:AlkhubRole data?:object metadata?:object parts:[AlkhubPartNew] owner?:string",
      .example = "{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"data\":{\"text\":\"Hi\"}}]}" },
    { "AlkhubMessageRow", "A message without its parts.",
      COMMON "sessionId:string role:Role data:object" },
    { "AlkhubMessages", "A page of messages.", "items:[AlkhubMessageRow] next:string|null" },
    { "AlkhubPart", "A part of a message.",
      COMMON "messageId:string sessionId:string type:string data:object" },
    { "AlkhubPartNew", "A part to add.",
      "only type:string data:object id?:string metadata?:object messageId?:string "
      "sessionId?:string createdAt?:any updatedAt?:any",
      .example = "{\"type\":\"text\",\"data\":{\"text\":\"Hi\"}}" },
    { "AlkhubParts", "A page of parts.", "items:[AlkhubPart] next:string|null" },
    { "AlkhubSession", "A session of alkhub.",
      COMMON "accountId:string|null projectId:string workspaceId:string|null "
             "parentId:string|null slug:string title:string status:SessionStatus version:string "
             "provider:string|null roleName:string|null data:object" },
    { "AlkhubSessionEdit", "The columns to change, or the status; not both in one request.",
      "only accountId?:string workspaceId?:string title?:string version?:string provider?:string "
      "roleName?:string data?:object metadata?:object status?:SessionStatus owner?:string "
      "leaseMs?:integer",
      .example = "{\"title\":\"Green build\"}" },
    { "AlkhubSessionNew", "A session to create.",
      "only title:string projectId?:string accountId?:string workspaceId?:string "
      "parentId?:string slug?:string version?:string provider?:string roleName?:string "
      "data?:object metadata?:object",
      .example = "{\"title\":\"Red build\",\"projectId\":\"/srv/shop\"}" },
    { "AlkhubSessions", "A page of sessions.", "items:[AlkhubSession] next:string|null" },
    { "HecateCall", "One request to a model provider.",
      "id:string request_id:string requested_provider?:string provider:string "
      "provider_kind?:string requested_model?:string model:string cost_micros_usd:integer "
      "cost_usd:string prompt_tokens:integer completion_tokens:integer total_tokens:integer "
      "created_at?:time" },
    { "HecateCallNew", "A provider call to store.",
      "more request_id?:string requested_provider?:string provider?:string "
      "provider_kind?:string requested_model?:string model?:string cost_micros_usd?:integer "
      "prompt_tokens?:integer completion_tokens?:integer total_tokens?:integer",
      .example = "{\"request_id\":\"req_1\",\"provider\":\"openai\",\"model\":\"gpt-5\","
                 "\"prompt_tokens\":120,\"completion_tokens\":9}" },
    { "HecateChat", "A chat session with its messages and provider calls.",
      "id:string title:string system_prompt:string user:string " HECATE_TIMES
      "messages:[HecateMessage] provider_calls:[HecateCall]" },
    { "HecateExchange", "All messages the client sent, the reply and the call.",
      "only messages:[HecateMessageNew] reply?:HecateMessageNew provider_call?:HecateCallNew "
      "owner?:string",
      .example = "{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}],"
                 "\"reply\":{\"role\":\"assistant\",\"content\":\"Hello\"}}" },
    { "HecateExchangeResult", "What was new in an exchange.",
      "session_id:string matched:integer branched:boolean call_id?:string "
      "message_ids:[string]" },
    { "HecateExchanged", "The answer to an exchange.",
      "object:'chat_exchange' data:HecateExchangeResult" },
    { "HecateMessage", "A message. Members that Hecate does not know come back as they came.",
      "more id:string sequence:integer produced_by_call_id?:string role:RoleWord "
      "content:string|null name?:string tool_call_id?:string tool_calls?:[object] "
      "content_blocks?:[object] tool_error?:boolean created_at?:time" },
    { "HecateMessageNew", "A message to store. Other members are kept.",
      "more role:RoleWord content?:string|null|[object] name?:string tool_call_id?:string "
      "produced_by_call_id?:string "
      "tool_calls?:[object] content_blocks?:[object] tool_error?:boolean",
      .example = "{\"role\":\"user\",\"content\":\"Hi\"}" },
    { "HecatePrompt", "A queued prompt.", "object:'queued_prompt' data:HecateQueued" },
    { "HecatePromptEdit", "The new text of a queued prompt.", "only content:string",
      .example = "{\"content\":\"Run the tests again.\"}" },
    { "HecatePromptNew", "A prompt to add to the queue.",
      "only content:string runtime_kind?:string provider_filter?:string model?:string "
      "workspace?:string system_prompt?:string adapter_id?:string",
      .example = "{\"content\":\"Run the tests again.\"}" },
    { "HecatePrompts", "The queued prompts, the next one first.",
      "object:'queued_prompts' data:[HecateQueued]" },
    { "HecateQueued", "A prompt, with the settings it was queued with.",
      "id:string session_id:string content:string runtime_kind:string provider_filter:string "
      "model:string workspace:string system_prompt:string adapter_id:string created_at?:time" },
    { "HecateSession", "A chat session.", "object:'chat_session' data:HecateChat" },
    { "HecateSessionEdit", "The fields to change; at least one.",
      "only title?:string system_prompt?:string", .example = "{\"title\":\"Green build\"}" },
    { "HecateSessionNew", "A chat session to create.",
      "only title?:string system_prompt?:string user?:string",
      .example = "{\"title\":\"Red build\"}" },
    { "HecateSessions", "A page of chat sessions, newest first.",
      "object:'chat_sessions' data:[HecateSummary] has_more:boolean" },
    { "HecateSummary", "A chat session in a list.",
      "id:string title:string message_count:integer provider_call_count:integer " HECATE_TIMES
      "last_model?:string last_provider?:string last_cost_usd?:string "
      "last_request_id?:string" },
    { "UIMessage", "A message as the AI SDK's `useChat` shows it.",
      "id:string role:UIRole parts:[UIPart] metadata?:any" },
    { "UIMessages", "The messages of a path, and the id of the open one.",
      "messages:[UIMessage] open:string|null" },
    { "UIPart", "A part of a UIMessage; its other members depend on its type.",
      "more type:string" },
    { 0 },
};
