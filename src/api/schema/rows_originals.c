/* The schemas of the HTTP interfaces of other programs: Hecate, alkhub, the AI SDK. */
#include "api/schema/schema.h"

#define COMMON "id:string metadata:object createdAt:time|null updatedAt:time|null "
#define HECATE_TIMES "created_at?:time updated_at?:time "
#define HECATE_CHAT_HEAD                                                                           \
    "id:string title:string runtime_kind:string adapter_id?:string driver_kind?:'acp' "            \
    "native_session_id?:string task_id?:string latest_run_id?:string provider?:string "            \
    "model?:string capabilities:object workspace:string workspace_branch?:string status:string "

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
      "only accountId?:string|null workspaceId?:string|null title?:string version?:string "
      "provider?:string|null "
      "roleName?:string|null data?:object|null metadata?:object|null status?:SessionStatus "
      "owner?:string "
      "leaseMs?:integer",
      .example = "{\"title\":\"Green build\"}" },
    { "AlkhubSessionNew", "A session to create.",
      "only title:string projectId?:string accountId?:string workspaceId?:string "
      "parentId?:string slug?:string version?:string provider?:string roleName?:string "
      "data?:object metadata?:object",
      .example = "{\"title\":\"Red build\",\"projectId\":\"/srv/shop\"}" },
    { "AlkhubSessions", "A page of sessions.", "items:[AlkhubSession] next:string|null" },
    { "HecateActivity", "What a run did, as a row for people.",
      "id:string type:string status:string kind?:string title:string detail?:string "
      "created_at?:time artifact_id?:string artifact_size_bytes?:integer "
      "artifact_preview?:string approval_id?:string needs_action?:boolean" },
    { "HecateAdapter", "An external agent.",
      "id:string name:string kind:string command:string args:[string] managed:boolean "
      "available:boolean status:string path?:string error?:string cost_mode:string "
      "version?:string auth_status:string auth_error?:string" },
    { "HecateAdapterHealth", "Whether an agent works.",
      "object:'agent_adapter_health' data:HecateHealth" },
    { "HecateAdapterProbe", "An agent, and whether it works.",
      "object:'agent_adapter_probe' data:HecateProbe" },
    { "HecateAdapters", "The external agents.", "object:'agent_adapters' data:[HecateAdapter]" },
    { "HecateAgentApproval", "What an agent asked for.",
      "id:string session_id:string adapter_id:string workspace?:string tool_kind:string "
      "tool_name:string status:string acp_options:[HecateAgentOption] scope_choices:[string] "
      "selected_option?:string scope?:string decision?:string path?:string "
      "decision_note?:string created_at?:time resolved_at?:time expires_at?:time" },
    { "HecateAgentApprovalAnswer", "An approval of a chat.",
      "object:'agent_chat_approval' data:HecateAgentApproval" },
    { "HecateAgentApprovals", "The approvals of a chat, oldest first.",
      "object:'list' data:[HecateAgentApproval]" },
    { "HecateAgentChat", "An agent chat with its segments and messages.",
      HECATE_CHAT_HEAD "turns_used:integer session_started_at?:time " HECATE_TIMES
                       "segments:[HecateSegment] messages:[HecateAgentMessage]" },
    { "HecateAgentChatAnswer", "An agent chat.",
      "object:'agent_chat_session' data:HecateAgentChat" },
    { "HecateAgentChatNew", "An agent chat to create.",
      "only title?:string runtime_kind?:string adapter_id?:string workspace?:string "
      "provider?:string model?:string",
      .example = "{\"runtime_kind\":\"agent\",\"model\":\"gpt-5\","
                 "\"workspace\":\"/srv/shop\"}" },
    { "HecateAgentChatSummary", "An agent chat in a list.",
      HECATE_CHAT_HEAD "message_count:integer " HECATE_TIMES },
    { "HecateAgentChats", "Agent chats, the last changed first.",
      "object:'agent_chat_sessions' data:[HecateAgentChatSummary]" },
    { "HecateAgentDecision", "What a person decided about an approval.",
      "only decision:string scope?:string selected_option?:string note?:string",
      .example = "{\"decision\":\"approve\",\"scope\":\"session\"}" },
    { "HecateAgentError", "Every error of the agent routes has this form.",
      "error:HecateAgentErrorBody" },
    { "HecateAgentErrorBody", "What went wrong. Some types have more members.",
      "more type:string message:string user_message:string operator_action:string "
      "request_id:string trace_id:string" },
    { "HecateAgentGrant", "What a tool may do without asking.",
      "id:string scope:string adapter_id:string tool_kind:string tool_name:string "
      "workspace?:string session_id?:string decision:'approve' granted_by?:string "
      "granted_at?:time" },
    { "HecateAgentGrants", "Grants, newest first.", "object:'list' data:[HecateAgentGrant]" },
    { "HecateAgentMessage", "A prompt, or all that a run answered.",
      "id:string runtime_kind:string segment_id?:string task_id?:string run_id?:string "
      "request_id?:string role:RoleWord content:string adapter_id?:string adapter_name?:string "
      "driver_kind?:'acp' native_session_id?:string status?:string exit_code?:integer "
      "cost_mode?:'hecate'|'external' provider?:string model?:string capabilities?:object "
      "workspace?:string raw_output?:string diff_stat?:string diff?:string created_at?:time "
      "started_at?:time completed_at?:time duration_ms?:integer error?:string "
      "activities?:[HecateActivity] usage?:HecateUsage timing?:HecateTiming" },
    { "HecateAgentMessageNew", "A message to an agent chat.",
      "only content:string runtime_kind?:string provider?:string model?:string "
      "system_prompt?:string workspace?:string",
      .example = "{\"content\":\"Run the tests again.\"}" },
    { "HecateAgentOption", "An answer that an agent offers.",
      "option_id:string|null kind:string|null name:string|null" },
    { "HecateArtifact", "Something that a run left: output, a diff, a long result.",
      "id:string task_id:string run_id:string step_id?:string kind:string name?:string "
      "storage_kind:string mime_type?:string sha256?:string content_text?:string "
      "size_bytes?:integer status:string created_at?:time" },
    { "HecateArtifactAnswer", "An artifact.", "object:'task_artifact' data:HecateArtifact" },
    { "HecateArtifacts", "Artifacts.", "object:'task_artifacts' data:[HecateArtifact]" },
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
    { "HecateContinue", "Another prompt of a task.", "only prompt:string",
      .example = "{\"prompt\":\"Now the other file.\"}" },
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
    { "HecateFile", "A file that a turn has changed.",
      "path:string additions:integer deletions:integer status:string" },
    { "HecateFileDiff", "The diff of a file.",
      "object:'agent_chat_changed_file_diff' data:HecateFileDiffData" },
    { "HecateFileDiffData", "A file that a turn has changed, with its diff.",
      "path:string additions:integer deletions:integer status:string diff:string" },
    { "HecateFiles", "The files that a turn has changed, by path.",
      "object:'agent_chat_changed_files' data:[HecateFile]" },
    { "HecateHealth", "What a trial of an agent found.",
      "adapter_id:string status:string stage:string path?:string version?:string error?:string "
      "hint?:string stderr?:string duration_ms:integer" },
    { "HecateMessage", "A message. Members that Hecate does not know come back as they came.",
      "more id:string sequence:integer produced_by_call_id?:string role:RoleWord "
      "content:string|null name?:string tool_call_id?:string tool_calls?:[object] "
      "content_blocks?:[object] tool_error?:boolean created_at?:time" },
    { "HecateMessageNew", "A message to store. Other members are kept.",
      "more role:RoleWord content?:string|null|[object] name?:string tool_call_id?:string "
      "produced_by_call_id?:string "
      "tool_calls?:[object] content_blocks?:[object] tool_error?:boolean",
      .example = "{\"role\":\"user\",\"content\":\"Hi\"}" },
    { "HecateProbe", "An agent, and whether it works.",
      "adapter:HecateAdapter health:HecateHealth" },
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
    { "HecateRetry", "Why a task is done again.", "only reason?:string",
      .example = "{\"reason\":\"The provider was down.\"}" },
    { "HecateRetryFromTurn", "From where a run is done again.", "only turn:integer reason?:string",
      .example = "{\"turn\":2}" },
    { "HecateResume", "How a run goes on.", "only reason?:string budget_micros_usd?:integer",
      .example = "{\"budget_micros_usd\":500000}" },
    { "HecateRevert", "The files to take back; none: all.", "only paths?:[string]",
      .example = "{\"paths\":[\"src/main.c\"]}" },
    { "HecateReverted", "What was taken back.",
      "object:'agent_chat_revert' data:HecateRevertedData" },
    { "HecateRevertedData", "The files that were taken back, and those that stay changed.",
      "reverted:boolean paths:[string] files:[HecateFile] diff_stat:string" },
    { "HecateRun", "A run of a task.",
      "id:string task_id:string number:integer status:string orchestrator:string model?:string "
      "provider?:string workspace_path?:string step_count?:integer approval_count?:integer "
      "artifact_count?:integer total_cost_micros_usd?:integer prior_cost_micros_usd?:integer "
      "last_error?:string started_at?:time finished_at?:time" },
    { "HecateRunAnswer", "A run.", "object:'task_run' data:HecateRun" },
    { "HecateRunEvent", "Something that happened in a run.",
      "schema_version:'1' event_id:string run_id:string task_id:string session_id:string "
      "sequence:integer occurred_at?:time type:string data:object" },
    { "HecateRunEvents", "The events of a run, oldest first.",
      "object:'task_run_events' data:[HecateRunEvent] next_after_sequence?:integer" },
    { "HecateRuns", "The runs of a task, newest first.", "object:'task_runs' data:[HecateRun]" },
    { "HecateSegment", "A stretch of a chat that one runtime answered.",
      "id:string runtime_kind:string provider?:string model?:string task_id?:string "
      "latest_run_id?:string workspace?:string status?:string message_count:integer "
      "started_at?:time updated_at?:time" },
    { "HecateServer", "A tool server, by name.", "only name:string",
      .example = "{\"name\":\"files\"}" },
    { "HecateSession", "A chat session.", "object:'chat_session' data:HecateChat" },
    { "HecateSessionEdit", "The fields to change; at least one.",
      "only title?:string system_prompt?:string|null", .example = "{\"title\":\"Green build\"}" },
    { "HecateSessionNew", "A chat session to create.",
      "only title?:string system_prompt?:string user?:string",
      .example = "{\"title\":\"Red build\"}" },
    { "HecateSessions", "A page of chat sessions, newest first.",
      "object:'chat_sessions' data:[HecateSummary] has_more:boolean" },
    { "HecateStep", "A model call or a tool call of a run.",
      "id:string task_id:string run_id:string index:integer kind:string title:string "
      "status:string phase:string tool_name?:string input?:object output_summary?:object "
      "exit_code?:integer error?:string approval_id?:string started_at?:time finished_at?:time" },
    { "HecateStepAnswer", "A step.", "object:'task_step' data:HecateStep" },
    { "HecateSteps", "The steps of a run.", "object:'task_steps' data:[HecateStep]" },
    { "HecateSummary", "A chat session in a list.",
      "id:string title:string message_count:integer provider_call_count:integer " HECATE_TIMES
      "last_model?:string last_provider?:string last_cost_usd?:string "
      "last_request_id?:string" },
    { "HecateTask", "A task: a prompt for an agent, and its runs.",
      "id:string title:string prompt:string system_prompt?:string execution_profile?:string "
      "origin_kind?:string origin_id?:string workspace_mode:string execution_kind:string "
      "working_directory?:string timeout_ms?:integer status:string requested_model?:string "
      "requested_provider?:string budget_micros_usd?:integer latest_run_id?:string "
      "latest_model?:string latest_provider?:string pending_approval_count?:integer "
      "step_count?:integer last_error?:string " HECATE_TIMES
      "started_at?:time finished_at?:time mcp_servers?:[HecateServer]" },
    { "HecateTaskAnswer", "A task.", "object:'task' data:HecateTask" },
    { "HecateTaskApproval", "A tool call that waits for a person, or did.",
      "id:string task_id:string run_id:string step_id:string kind:string status:string "
      "reason:string requested_by:string resolved_by?:string resolution_note?:string "
      "created_at?:time resolved_at?:time" },
    { "HecateTaskApprovalAnswer", "An approval of a task.",
      "object:'task_approval' data:HecateTaskApproval" },
    { "HecateTaskApprovals", "The approvals of a task, oldest first.",
      "object:'task_approvals' data:[HecateTaskApproval]" },
    { "HecateTaskDecision", "What a person decided about a tool call.",
      "only decision:string note?:string", .example = "{\"decision\":\"approve\"}" },
    { "HecateTaskNew", "A task to create.",
      "only prompt:string title?:string system_prompt?:string execution_kind?:string "
      "execution_profile?:string workspace_mode?:string working_directory?:string "
      "requested_model?:string requested_provider?:string budget_micros_usd?:integer "
      "timeout_ms?:integer mcp_servers?:[HecateServer]",
      .example = "{\"prompt\":\"Fix the red test.\",\"requested_model\":\"gpt-5\","
                 "\"working_directory\":\"/srv/shop\"}" },
    { "HecateTasks", "Tasks, the last changed first.", "object:'tasks' data:[HecateTask]" },
    { "HecateTiming", "Where the time of a run went, in milliseconds.",
      "total_ms?:integer queue_ms?:integer model_ms?:integer tool_ms?:integer "
      "approval_wait_ms?:integer overhead_ms?:integer turn_count?:integer tool_count?:integer "
      "bottleneck?:string bottleneck_ms?:integer" },
    { "HecateUsage", "What an agent reported about its context and cost.",
      "context_size?:integer context_used?:integer reported_cost_amount?:string "
      "reported_cost_currency?:string" },
    { "UIMessage", "A message as the AI SDK's `useChat` shows it.",
      "id:string role:UIRole parts:[UIPart] metadata?:any" },
    { "UIMessages", "The messages of a path, and the id of the open one.",
      "messages:[UIMessage] open:string|null" },
    { "UIPart", "A part of a UIMessage; its other members depend on its type.",
      "more type:string" },
    { 0 },
};
