// Images and other files of a message.
import { useState } from "preact/hooks";
import { visible } from "../lib/ansi";
import { bytes } from "../lib/format";
import { safeLink } from "../lib/markdown";
import type { PartView } from "../state/path";
import { Dialog } from "../ui/dialog";
import { Icon } from "../ui/icon";

/** Only these are drawn; the server sends everything else as a download. */
const drawn = /^image\/(png|jpeg|gif|webp|avif)$/;

function bytesUrl(part: PartView, n = 0): string {
  return `/api/v1/parts/${encodeURIComponent(part.id)}/file${n ? `?index=${n}` : ""}`;
}

export function FilePart({ part }: { part: PartView }) {
  const name = visible(part.filename || part.mime || "file");
  const link = part.url ? safeLink(part.url) : undefined;
  if (part.has_bytes && drawn.test(part.mime ?? "")) return <Picture src={bytesUrl(part)} name={name} size={part.bytes} />;
  const inside = (
    <>
      <Icon name={part.mime?.startsWith("image/") ? "img" : "file"} small />
      {name} {part.bytes !== undefined && <span class="t3 num">{bytes(part.bytes)}</span>}
    </>
  );
  if (part.has_bytes) {
    return (
      <a class="att" href={bytesUrl(part)} download={part.filename || true}>
        {inside}
      </a>
    );
  }
  return link ? (
    <a class="att" href={link} title={link} target="_blank" rel="noopener noreferrer nofollow">
      {inside}
    </a>
  ) : (
    <span class="att" title={part.url ? visible(part.url) : undefined}>
      {inside}
    </span>
  );
}

function Picture({ src, name, size }: { src: string; name: string; size?: number }) {
  const [open, setOpen] = useState(false);
  const [failed, setFailed] = useState(false);
  if (failed) {
    return (
      <span class="att">
        <Icon name="img" small />
        {name} <span class="t3">cannot be shown</span>
      </span>
    );
  }
  return (
    <>
      <button type="button" class="thumb" onClick={() => setOpen(true)} aria-label={`Show ${name}`}>
        <img src={src} alt={name} loading="lazy" onError={() => setFailed(true)} />
        <span class="cap small t3">
          {name} {size !== undefined && bytes(size)}
        </span>
      </button>
      {open && (
        <Dialog title={name} wide class="lightbox" onClose={() => setOpen(false)}>
          <img src={src} alt={name} />
          <div class="dialog-foot">
            <a class="btn" href={src} download={name}>
              <Icon name="dl" small />
              Download
            </a>
          </div>
        </Dialog>
      )}
    </>
  );
}

/** Pictures inside a tool's result. */
export function partImages(part: PartView) {
  const n = part.images ?? 0;
  if (!n) return null;
  return (
    <div class="pics">
      {Array.from({ length: n }, (_, i) => (
        <Picture key={i} src={bytesUrl(part, i + (part.kind === "file" ? 1 : 0))} name={`Image ${i + 1}`} />
      ))}
    </div>
  );
}
