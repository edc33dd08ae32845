// The checks of the conformance tests that bough is known not to pass, and why. Each must fail: one that passes has to leave the list.

const fixture = "calls a tool of a fixed name that only a test server has";
const prompt = "gets a prompt of a fixed name that only a test server has";
const resource = "reads a resource of a fixed name that only a test server has";
const completion = "completions are not offered";
const subscription = "subscriptions are not offered: no session is told of changes over MCP";
const elicitation = "needs a tool that asks the user something; bough's tools ask nothing";
const sampling = "needs a tool that asks the client's model; bough's tools do not";
const headers = "needs a tool with x-mcp-header; no argument of bough's tools is for proxies";
const input = "needs a tool that asks for more input before it answers; bough's tools ask nothing";

/** 0.1.16, active scenarios, 2025-11-25: "scenario check" and the reason. */
export const older = {
  "completion-complete completion-complete": completion,
  "elicitation-sep1034-defaults elicitation-sep1034-general": elicitation,
  "elicitation-sep1330-enums elicitation-sep1330-general": elicitation,
  "prompts-get-embedded-resource prompts-get-embedded-resource": prompt,
  "prompts-get-simple prompts-get-simple": prompt,
  "prompts-get-with-args prompts-get-with-args": prompt,
  "prompts-get-with-image prompts-get-with-image": prompt,
  "resources-read-binary resources-read-binary": resource,
  "resources-read-text resources-read-text": resource,
  "resources-subscribe resources-subscribe": subscription,
  "resources-templates-read resources-templates-read": resource,
  "resources-unsubscribe resources-unsubscribe": subscription,
  "server-sse-multiple-streams server-sse-multiple-streams-session": "there are no sessions of MCP: any server over the store answers any request",
  "tools-call-audio tools-call-audio": fixture,
  "tools-call-elicitation tools-call-elicitation": elicitation,
  "tools-call-embedded-resource tools-call-embedded-resource": fixture,
  "tools-call-error tools-call-error": fixture,
  "tools-call-image tools-call-image": fixture,
  "tools-call-mixed-content tools-call-mixed-content": fixture,
  "tools-call-sampling tools-call-sampling": sampling,
  "tools-call-simple-text tools-call-simple-text": fixture,
  "tools-call-with-logging tools-call-with-logging": fixture,
  "tools-call-with-progress tools-call-with-progress": fixture,
};

/** 0.2.0-alpha.12, requirements of 2026-07-28 and the pending scenarios that it runs with them. */
export const modern = {
  "completion-complete completion-complete": completion,
  "http-custom-header-server-validation sep-2243-server-decode-base64": headers,
  "http-custom-header-server-validation sep-2243-server-no-xmcp-tool": headers,
  "http-custom-header-server-validation sep-2243-server-reject-invalid-param-chars": headers,
  "http-custom-header-server-validation sep-2243-server-reject-param-mismatch": headers,
  "http-custom-header-server-validation sep-2243-server-validate-param-match": headers,
  "input-required-result-basic-elicitation sep-2322-elicitation-incomplete": input,
  "input-required-result-basic-list-roots sep-2322-list-roots-incomplete": input,
  "input-required-result-basic-sampling sep-2322-sampling-incomplete": input,
  "input-required-result-capability-check sep-2322-respect-client-capabilities": input,
  "input-required-result-ignore-extra-params sep-2322-ignore-unexpected-params": input,
  "input-required-result-missing-input-response sep-2322-missing-response-rerequests": input,
  "input-required-result-multi-round sep-2322-multi-round-r1": input,
  "input-required-result-multiple-input-requests sep-2322-multiple-inputs-incomplete": input,
  "input-required-result-non-tool-request sep-2322-non-tool-incomplete": input,
  "input-required-result-request-state sep-2322-request-state-incomplete": input,
  "input-required-result-result-type sep-2322-result-type-included": input,
  "input-required-result-tampered-state sep-2322-reject-tampered-state": input,
  "json-schema-2020-12 json-schema-2020-12-tool-found": fixture,
  "prompts-get-embedded-resource prompts-get-embedded-resource": prompt,
  "prompts-get-simple prompts-get-simple": prompt,
  "prompts-get-with-args prompts-get-with-args": prompt,
  "prompts-get-with-image prompts-get-with-image": prompt,
  "resources-read-binary resources-read-binary": resource,
  "resources-read-text resources-read-text": resource,
  "resources-templates-read resources-templates-read": resource,
  "server-stateless sep-2575-http-server-no-independent-requests-on-stream": fixture,
  "server-stateless sep-2575-missing-capability-http-400": fixture,
  "server-stateless sep-2575-server-no-log-without-loglevel": fixture,
  "server-stateless sep-2575-server-rejects-undeclared-capability": fixture,
  "tools-call-audio tools-call-audio": fixture,
  "tools-call-embedded-resource tools-call-embedded-resource": fixture,
  "tools-call-error tools-call-error": fixture,
  "tools-call-image tools-call-image": fixture,
  "tools-call-mixed-content tools-call-mixed-content": fixture,
  "tools-call-simple-text tools-call-simple-text": fixture,
  "tools-call-with-progress tools-call-with-progress": fixture,
};

const more = "a result that asks for more input ends the call with an error that says so";

/** Of the client (`bough tools`): "era scenario check" and the reason. */
export const client = {
  "2026-07-28 sep-2322-client-request-state sep-2322-client-request-state-echoed": more,
  "2026-07-28 sep-2322-client-request-state sep-2322-client-jsonrpc-id-different": more,
  "2026-07-28 sep-2322-client-request-state sep-2322-client-no-state-omitted": more,
};
