/* The schemas of runs, approvals, grants, activities and tool servers. */
#include "api/schema/schema.h"

#define PLACE "string|null" /* "#branch.depth" */

const struct api_schema api_run_schemas[] = {
    { "Activities", "What a run did, as rows for people.",
      "items:[Activity] main:[Activity] details:[Activity] open:boolean timing:Timing "
      "next:string|null" },
    { "Activity", "One row of what a run did.",
      "id:string type:string status:string kind:string title:string detail:string "
      "created:time|null artifact?:string artifact_size?:integer preview?:string approval?:string "
      "step?:string needs_action:boolean" },
    { "Agent", "An external agent that can be started here.",
      "name:string title:string program:string installed:boolean off:boolean approve:string "
      "mode:string handover:boolean install:string login:string" },
    { "AgentOptions", "Options of the external agent of a session.",
      "adapter:string|null native_id:string|null options:object wanted:object" },
    { "AgentOptionsNew", "Options to set, from the agent's next turn on.", "only options:object",
      .example = "{\"options\":{\"model\":\"large\"}}" },
    { "AgentProbe", "Whether an external agent works.",
      "name:string stage:string status:string program:string agent:string version:string "
      "error:string hint:string stderr:string options:object" },
    { "Agents", "A list of external agents.", "items:[Agent] next:string|null" },
    { "Approval", "A question to a person about one tool call of a run.",
      "id:string session:string run:string entry:string part:integer tool:string kind:string "
      "title:string options:[object] status:ApprovalStatus scope:ApprovalScope path:string "
      "option?:string note:string by:string stop:boolean created:time|null expires:time|null "
      "settled:time|null" },
    { "ApprovalResolve", "The answer of a person.",
      "only decision:'approve'|'reject' scope?:ApprovalScope option?:string note?:string "
      "stop?:boolean",
      .example = "{\"decision\":\"approve\",\"scope\":\"session\"}" },
    { "Approvals", "A list of approvals.", "items:[Approval] next:string|null" },
    { "Artifact", "A file that a run left beside its messages.",
      "id:string entry:string part:integer kind:string mime:string name:string url:string "
      "size:integer preview:string" },
    { "Artifacts", "A list of artifacts.", "items:[Artifact] next:string|null" },
    { "ChangedFile", "A file that a run changed.",
      "path:string status:string additions:integer deletions:integer" },
    { "ChangedFiles", "A list of changed files.", "items:[ChangedFile] next:string|null" },
    { "Grant", "A tool that may be used without asking.",
      "id:string scope:ApprovalScope session:string|null workspace?:string tool:string "
      "approval:string|null by:string created:time|null" },
    { "Grants", "A list of grants.", "items:[Grant] next:string|null" },
    { "Reverted", "Changes that were taken back.", "reverted:boolean files:[ChangedFile]" },
    { "Run", "What answers one prompt of a session: a model, the agent loop or another program.",
      "id:string session:string number:integer runtime:RunRuntime status:RunStatus why:RunWhy "
      "task:string after:string|null by:string adapter?:string native_id?:string provider:string "
      "model:string host:string workspace?:string system_prompt?:string servers:[string] "
      "git:object prompt:string|null first:" PLACE " last:" PLACE " limits:RunLimits "
      "turns:integer tools:integer approvals:integer settled:integer context_used:integer "
      "context_size:integer waited_ms:integer cancel?:RunCancelled error_code?:string "
      "error?:string created:time|null started:time|null ended:time|null updated:time|null" },
    { "RunCancel", "A wish to stop a run.", "only note?:string",
      .example = "{\"note\":\"not needed any more\"}" },
    { "RunCancelled", "Who wished to stop a run, and when.",
      "by:string note:string time:time|null" },
    { "RunDiff", "What a run changed.", "path:string|null diff:string" },
    { "RunLimits", "What a run may use. 0: no limit.",
      "turns:integer time_ms:integer cost_usd:number cost_nano_usd:integer" },
    { "RunLimitsNew", "What a run may use.",
      "only turns?:integer time_ms?:integer cost_usd?:number",
      .example = "{\"turns\":64,\"cost_usd\":2}" },
    { "RunResume", "How to go on with a run.", "only limits?:RunLimitsNew",
      .example = "{\"limits\":{\"turns\":64}}" },
    { "RunRetry", "From where a run is done again.", "only turn?:integer",
      .example = "{\"turn\":2}" },
    { "RunRevert", "Which changes of a run are taken back.", "only paths?:[string]",
      .example = "{\"paths\":[\"src/main.c\"]}" },
    { "Runs", "A list of runs.", "items:[Run] next:string|null" },
    { "Timing", "Where the time of a run went.",
      "total_ms:integer queue_ms:integer model_ms:integer tool_ms:integer "
      "approval_wait_ms:integer overhead_ms:integer turns:integer tools:integer "
      "bottleneck:string bottleneck_ms:integer" },
    { "ToolServer", "A server of tools for the agent loop.",
      "name:string kind:string status:string protocol:string version:string error:string "
      "hint:string stderr:string trusted:boolean tools:integer" },
    { "ToolServers", "A list of tool servers.", "items:[ToolServer] next:string|null" },
    { "Turn", "A run that was begun, or a prompt that waits for its turn.",
      "user:string|null reply:string|null provider:string|null model:string|null "
      "queued:Prompt|null run:Run|null" },
    { "TurnNew", "A prompt to send to a model, to the agent loop or to an external agent.",
      "only content?:string parts?:[object] runtime?:RunRuntime provider?:string model?:string "
      "adapter?:string workspace?:string servers?:[string] limits?:RunLimitsNew "
      "system_prompt?:string at?:string at_root?:boolean retry?:boolean queue?:boolean "
      "max_output_tokens?:integer",
      .example = "{\"content\":\"Run the tests again.\",\"model\":\"claude-sonnet-4-5\"}" },
    { 0 },
};
