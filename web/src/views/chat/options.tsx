// What is chosen rarely: system prompt, workspace, tokens of an answer, cost of a run.
import type { Session } from "../../api/client";
import { settingsOf, setSettings } from "../../state/composer";
import { IconButton } from "../../ui/button";
import { ask } from "../../ui/dialog";
import { Menu, type MenuItem } from "../../ui/menu";
import { usdOf } from "../runs/ceiling";

export function MoreMenu({ s }: { s: Session }) {
  const set = settingsOf(s).value;
  const items: MenuItem[] = [
    {
      text: "System prompt",
      icon: "settings",
      hint: set.systemPrompt ? "set" : "",
      act: () =>
        ask({
          title: "System prompt",
          text: "Prompts of this session are sent with it. Empty: that of the session.",
          field: { name: "System prompt", value: set.systemPrompt, rows: 8, optional: true },
          act: "Save",
          run: (systemPrompt) => setSettings(s, { systemPrompt: systemPrompt.trim() }),
        }),
    },
    {
      text: "Choose workspace",
      icon: "folder",
      hint: set.workspace.split("/").pop(),
      act: () =>
        ask({
          title: "Choose workspace",
          text: "The folder on the server that tools and agents work in. It must lie below a root of [workspaces].",
          field: { name: "Folder", value: set.workspace, placeholder: "/srv/shop", optional: true },
          act: "Save",
          run: (workspace) => setSettings(s, { workspace: workspace.trim() }),
        }),
    },
    {
      text: "Longest answer",
      icon: "compact",
      hint: set.maxOutput ? `${set.maxOutput} tokens` : "",
      act: () =>
        ask({
          title: "Longest answer",
          text: "Tokens that an answer may have. Empty: as the provider likes.",
          field: { name: "Tokens", value: set.maxOutput ? String(set.maxOutput) : "", optional: true },
          act: "Save",
          run: (text) => {
            const n = Number(text.trim() || 0);
            if (!Number.isInteger(n) || n < 0) throw new Error("Write a number of tokens");
            setSettings(s, { maxOutput: n });
          },
        }),
    },
    {
      text: "Cost ceiling",
      icon: "cost",
      hint: set.ceiling ? `$${set.ceiling}` : "",
      act: () =>
        ask({
          title: "Cost ceiling",
          text: "A run that has cost this much stops. Empty: no ceiling but budgets.",
          field: { name: "USD", value: set.ceiling ? String(set.ceiling) : "", placeholder: "0.50", optional: true },
          act: "Save",
          run: (text) => setSettings(s, { ceiling: text.trim() ? usdOf(text) : 0 }),
        }),
    },
  ];
  return (
    <Menu
      name="Options"
      items={items}
      button={(toggle, open) => <IconButton icon="settings" name="Options" popup expanded={open} onClick={toggle} />}
    />
  );
}
