// Texts that would run as script in a careless page, and a session with one of them in every place that takes text.

const hook = "window.__xss=1";
export const payloads = [
  `<script>${hook}</script>`,
  `<img src=x onerror="${hook}">`,
  `<svg onload="${hook}">`,
  `<svg><script>${hook}</script></svg>`,
  `<iframe srcdoc="<script>parent.__xss=1</script>"></iframe>`,
  `<a href="javascript:${hook}">click</a>`,
  `[click](javascript:${hook})`,
  `[click](JaVaScRiPt:${hook})`,
  `[click](java\tscript:${hook})`,
  `[click](data:text/html,<script>${hook}</script>)`,
  `[click](vbscript:${hook})`,
  `![x](x" onerror="${hook})`,
  `![x](javascript:${hook})`,
  `<details open ontoggle="${hook}">x</details>`,
  `<math><mtext><table><mglyph><style><img src=x onerror="${hook}">`,
  `<noscript><p title="</noscript><img src=x onerror=${hook}>">`,
  `<body onload="${hook}">`,
  `<form><button formaction="javascript:${hook}">x</button></form>`,
  `<object data="javascript:${hook}"></object>`,
  `<embed src="javascript:${hook}">`,
  `<link rel=stylesheet href="javascript:${hook}">`,
  `<style>@import 'javascript:${hook}'</style>`,
  `<base href="javascript:${hook}//">`,
  `"><img src=x onerror="${hook}">`,
  `'-${hook}-'`,
  `\`\`\`html\n<img src=x onerror="${hook}">\n\`\`\``,
  `\`\`\`x onmouseover="${hook}"\ncode\n\`\`\``,
  `| a |\n|---|\n| <img src=x onerror="${hook}"> |`,
  `<xmp><img src=x onerror="${hook}"></xmp>`,
  `{{constructor.constructor('${hook}')()}}`,
  `<a href="&#106;avascript:${hook}">x</a>`,
  `[a](&#106;avascript:${hook})`,
  `<img src="x\` \`<script>${hook}</script>"\` \`>`,
  `\u202e<img src=x onerror="${hook}">`,
  `\x1b]8;;javascript:${hook}\x07link\x1b]8;;\x07`,
];

/** Nothing on the page may come from a payload but text. */
export async function inspect(page, root = "app") {
  return page.evaluate((id) => {
    const bad = [];
    if (window.__xss) bad.push("a script ran");
    const app = document.getElementById(id);
    for (const el of app.querySelectorAll(
      "script, iframe, object, embed, base, link, style, form[action], meta",
    ))
      bad.push(el.outerHTML.slice(0, 120));
    for (const el of app.querySelectorAll("*"))
      for (const a of el.attributes)
        if (
          /^on/i.test(a.name) ||
          a.name === "srcdoc" ||
          a.name === "formaction"
        )
          bad.push(`${el.tagName} ${a.name}`);
    for (const a of app.querySelectorAll("a[href]"))
      if (
        !["http:", "https:", "mailto:"].includes(
          new URL(a.href, location.href).protocol,
        )
      )
        bad.push(`link ${a.getAttribute("href")}`);
    for (const i of app.querySelectorAll("img"))
      if (
        !/^(https?:\/\/127\.0\.0\.1|data:image\/(png|jpeg|gif|webp);|blob:)/.test(
          i.src,
        )
      )
        bad.push(`image ${i.src.slice(0, 80)}`);
    return [...bad, ...(window.__violations ?? [])];
  }, root);
}

/** One session a payload, with the payload in every place that takes text. `places` counts them. Most of them are
 * on the path to the entry `last`, at place `at`; the head is on another branch. */
export async function plant(s, p, i) {
  const one = await s.session({
    title: p.slice(0, 200),
    project: `/srv/${p.slice(0, 200)}`,
    account: p.slice(0, 100),
    workspace: p.slice(0, 100),
    role_name: p.slice(0, 60),
    model_provider: p.slice(0, 60),
    model_name: p.slice(0, 60),
    system_prompt: p,
    user_name: p.slice(0, 60),
  });
  const call = {
    provider: p.slice(0, 60),
    model: p.slice(0, 100),
    used: { input: 10, output: 5, cost_nano_usd: 1000 },
    status: "ok",
    duration_ms: 5,
  };
  const { ids } = await s.append(one, [
    { role: "system", text: p },
    {
      role: "user",
      parts: [
        { type: "text", text: p },
        {
          type: "file",
          mime: "image/png",
          filename: p,
          url: "javascript:window.__xss=1",
        },
        {
          type: "file",
          mime: p.slice(0, 60),
          filename: p,
          url: `data:text/html,${p}`,
        },
      ],
    },
  ]);
  await s.append(
    one,
    [
      {
        role: "assistant",
        by_call: true,
        parts: [
          { type: "reasoning", text: p },
          { type: "text", text: p },
          {
            type: "tool_use",
            id: `t${i}`,
            name: p.slice(0, 60),
            input: { command: p, [p]: p },
          },
          {
            type: "tool_use",
            id: `u${i}`,
            name: "Bash",
            input: { command: p },
          },
          {
            type: "tool_use",
            id: `e${i}`,
            name: "Edit",
            input: { file_path: p, old_string: p, new_string: `${p} ${p}` },
          },
          {
            type: "tool_use",
            id: `w${i}`,
            name: "TodoWrite",
            input: { todos: [{ content: p, status: "in_progress" }] },
          },
          {
            type: p.replace(/[^a-z]/gi, "").slice(0, 20) || "odd",
            anything: p,
          },
        ],
      },
    ],
    { call },
  );
  await s.append(one, [
    {
      role: "user",
      parts: [
        {
          type: "tool_result",
          tool_use_id: `t${i}`,
          content: p,
          is_error: true,
        },
        {
          type: "tool_result",
          tool_use_id: `u${i}`,
          content: JSON.stringify({ stdout: p, stderr: p, exit_code: 1 }),
        },
        { type: "tool_result", tool_use_id: `e${i}`, content: p },
      ],
    },
    {
      role: "assistant",
      parts: [{ type: "refusal", refusal: p }],
      error: { message: p, code: p },
    },
    {
      kind: "custom_message",
      role: "custom",
      text: p,
      data: { customType: p.slice(0, 60), display: true },
    },
    { kind: "model_change", data: { modelId: p, provider: p } },
    { kind: "session_info", data: { name: p } },
  ]);
  const marker = await s.api("POST", `/api/v1/sessions/${one.id}/markers`, {
    summary: p,
    tokens_before: 10,
  });
  const { at } = await s.api("GET", `/api/v1/entries/${marker.id}`);
  const other = await s.append(one, [["user", p]], { at: ids[1] });
  await s.api("PUT", `/api/v1/sessions/${one.id}/labels/${ids[1]}`, {
    label: p.replaceAll(/[\n\t]/g, " ").slice(0, 100),
  });
  await s.api("POST", "/api/v1/memories", {
    scope: "session",
    of: one.id,
    content: p,
    title: p.slice(0, 100),
  });
  await s.api("PUT", `/api/v1/sessions/${one.id}/todos`, {
    items: [{ content: p, status: "pending", priority: "high" }],
  });
  await s.session({
    kind: "subagent",
    parent: one.id,
    title: p.slice(0, 200),
    parent_tool_use_id: `u${i}`,
  });
  return {
    session: one,
    last: marker.id,
    at: at.slice(1),
    head: other.head.slice(1),
    places: 38,
  };
}
