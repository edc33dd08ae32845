// Files that go with a prompt: pasted, dropped or chosen. They are uploaded at once.
import { ApiError } from "../../api/client";
import { bytes } from "../../lib/format";
import { visible } from "../../lib/ansi";
import type { Attached } from "../../state/composer";
import { IconButton } from "../../ui/button";
import { Icon } from "../../ui/icon";

export async function upload(file: File): Promise<Attached> {
  const r = await fetch("/api/v1/attachments", {
    method: "POST",
    body: file,
    credentials: "same-origin",
    headers: { "content-type": "application/octet-stream" },
  });
  const body = (await r.json().catch(() => ({}))) as { url?: string; error?: { code?: string; message?: string } };
  if (!r.ok || !body.url)
    throw new ApiError(r.status, body.error?.code ?? "http", body.error?.message ?? `the server answered ${r.status}`);
  return { name: file.name || "pasted", mime: file.type || "application/octet-stream", url: body.url, size: file.size };
}

export function Attachments({ files, remove }: { files: Attached[]; remove: (index: number) => void }) {
  if (!files.length) return null;
  return (
    <ul class="attached" aria-label="Attached files">
      {files.map((f, i) => (
        <li key={f.url + i}>
          <Icon name={f.mime.startsWith("image/") ? "img" : "file"} small />
          <span class="clip">{visible(f.name)}</span>
          <span class="t3 small num">{bytes(f.size)}</span>
          <IconButton icon="x" name={`Remove ${f.name}`} onClick={() => remove(i)} />
        </li>
      ))}
    </ul>
  );
}
