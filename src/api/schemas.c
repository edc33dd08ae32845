/* Schemas of what the API takes and gives, by name; api.h says how they are written. Rows of routes
 * name them. */
#include "api/api.h"

#define PLACE "string|null" /* "#branch.depth" */
#define WHEN "time|integer" /* given: ISO 8601, or milliseconds since 1970 */

const struct api_schema api_schemas[] = {
    { "About", "version:string store:string backend:string epoch:integer last_no:integer "
               "who:string scopes:string project:string|null" },
    { "Error", "{\"type\":\"object\",\"required\":[\"error\"],\"properties\":{\"error\":{"
               "\"type\":\"object\",\"required\":[\"code\",\"message\"],\"properties\":{"
               "\"code\":{\"type\":\"string\"},\"message\":{\"type\":\"string\"},"
               "\"detail\":{}}}}}" },
    { "Fork", "only entry?:string before?:boolean copy?:boolean id?:string title?:string "
              "model_provider?:string model_name?:string" },
    { "Lease", "owner:string epoch:integer since:time|null expires:time|null" },
    { "OpenAPI", "{\"type\":\"object\"}" },
    { "Propagated", "items:[PropagatedRow] truncated:boolean" },
    { "PropagatedRow", "session:string rolled:Totals" },
    { "Purged", "session:string entries:integer records:integer kept:integer keepers:[string] "
                "detached:[string]" },
    { "Session",
      "id:string number:integer slug:string title:string kind:'primary'|'subagent' "
      "status:'idle'|'busy'|'retry'|'archived' lease?:Lease origin?:string parent:string|null "
      "fork_entry?:string parent_tool_use_id?:string project:string workspace?:string "
      "account?:string role_name?:string provider_path?:string model_provider:string "
      "model_name:string system_prompt?:string user_name?:string version?:string first_user:string "
      "last_user:string last_agent:string data?:any metadata?:any messages:integer calls:integer "
      "own:Totals rolled:Totals adjusted?:Totals totals_mode?:string last_provider?:string "
      "last_model?:string last_request_id?:string last_cost_usd?:number created:time|null "
      "updated:time|null modified:time|null deleted:time|null head:" PLACE " rev:integer" },
    { "SessionEdit",
      "only title?:string project?:string workspace?:string account?:string provider_path?:string "
      "role_name?:string model_provider?:string model_name?:string system_prompt?:string "
      "user_name?:string version?:string data?:any metadata?:any" },
    { "SessionNew",
      "only id?:string kind?:'primary'|'subagent' parent?:string fork_entry?:string "
      "parent_tool_use_id?:string title?:string slug?:string project?:string workspace?:string "
      "account?:string provider_path?:string role_name?:string model_provider?:string "
      "model_name?:string system_prompt?:string user_name?:string version?:string data?:any "
      "metadata?:any totals_mode?:'auto'|'manual' created?:" WHEN " require?:['project'|'model']" },
    { "SessionTotals", "own:Totals rolled:Totals adjusted:Totals calls:integer" },
    { "Sessions", "items:[Session] next:string|null" },
    { "Status", "status:'idle'|'busy'|'retry'|'archived' lease?:Lease" },
    { "StatusSet", "only status:'idle'|'busy'|'retry'|'archived' owner?:string lease_ms?:integer" },
    { "Totals", "input:integer output:integer reasoning:integer cache_read:integer "
                "cache_write:integer cost_usd:number" },
    { "TotalsDelta", "only input?:integer output?:integer reasoning?:integer cache_read?:integer "
                     "cache_write?:integer cost_usd?:number" },
    { 0 },
};
