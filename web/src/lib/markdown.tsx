// Markdown as page elements. The lexer's tokens become elements directly: there is no HTML string between, so text
// of a transcript can never be parsed as HTML. Raw HTML in Markdown is shown as the text it is.
import { type Token, type Tokens, Lexer } from "marked";
import type { ComponentChildren, JSX } from "preact";
import { memo } from "../ui/memo";
import { CodeBlock } from "../parts/code";
import { visible } from "./ansi";

/** Longer texts are shown as they are: nobody reads them as a page, and a lexer takes its time. */
const MOST = 120_000;

export const Markdown = memo(function Markdown({ text }: { text: string }) {
  if (text.length > MOST) return <pre class="plain">{visible(text)}</pre>;
  return <div class="prose">{blocks(new Lexer({ gfm: true, breaks: true }).lex(text))}</div>;
});

/** Where a link may lead. Anything else is shown as text. */
export function safeLink(href: string): string | undefined {
  try {
    const url = new URL(href);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : undefined;
  } catch {
    return undefined; // relative: a file of the agent's machine, not of this server
  }
}

function blocks(tokens: Token[]): ComponentChildren[] {
  return tokens.map((t, i) => block(t, i));
}

function block(t: Token, key: number): ComponentChildren {
  switch (t.type) {
    case "space":
    case "def":
      return null;
    case "heading":
      return heading(t as Tokens.Heading, key);
    case "code":
      return <CodeBlock key={key} lang={(t as Tokens.Code).lang ?? ""} text={(t as Tokens.Code).text} />;
    case "blockquote":
      return <blockquote key={key}>{blocks((t as Tokens.Blockquote).tokens)}</blockquote>;
    case "list":
      return list(t as Tokens.List, key);
    case "table":
      return table(t as Tokens.Table, key);
    case "hr":
      return <hr key={key} />;
    case "html":
      return html(t.raw, key, true);
    case "paragraph":
      return <p key={key}>{spans((t as Tokens.Paragraph).tokens)}</p>;
    case "text": // a list item's text
      return <span key={key}>{spans((t as Tokens.Text).tokens ?? [t])}</span>;
    default:
      return <p key={key}>{visible(t.raw)}</p>;
  }
}

/** Headings of a message lie below those of the page, so they start at h3. */
function heading(t: Tokens.Heading, key: number): JSX.Element {
  const inside = spans(t.tokens);
  if (t.depth === 1)
    return (
      <h3 key={key} class="h1">
        {inside}
      </h3>
    );
  if (t.depth === 2)
    return (
      <h4 key={key} class="h2">
        {inside}
      </h4>
    );
  return (
    <h5 key={key} class="h3">
      {inside}
    </h5>
  );
}

function list(t: Tokens.List, key: number): JSX.Element {
  const items = t.items.map((item, i) => (
    <li key={i} class={item.task ? "task" : undefined}>
      {item.task && <input type="checkbox" checked={item.checked} disabled aria-label={item.checked ? "Done" : "Not done"} />}
      {blocks(item.tokens.filter((x) => (x.type as string) !== "checkbox"))}
    </li>
  ));
  return t.ordered ? (
    <ol key={key} start={Number(t.start) || 1}>
      {items}
    </ol>
  ) : (
    <ul key={key}>{items}</ul>
  );
}

function table(t: Tokens.Table, key: number): JSX.Element {
  const cell = (c: Tokens.TableCell, i: number, Tag: "th" | "td") => (
    <Tag key={i} class={c.align === "right" ? "r" : c.align === "center" ? "mid" : undefined}>
      {spans(c.tokens)}
    </Tag>
  );
  return (
    <div key={key} class="table-scroll" tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>{t.header.map((c, i) => cell(c, i, "th"))}</tr>
        </thead>
        <tbody>
          {t.rows.map((row, i) => (
            <tr key={i}>{row.map((c, k) => cell(c, k, "td"))}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A line break is the only tag that means something here. */
function html(raw: string, key: number, asBlock: boolean): ComponentChildren {
  if (/^<br\s*\/?>\s*$/i.test(raw)) return <br key={key} />;
  return asBlock ? (
    <pre key={key} class="plain">
      {visible(raw.trimEnd())}
    </pre>
  ) : (
    <span key={key}>{visible(raw)}</span>
  );
}

function spans(tokens: Token[] | undefined): ComponentChildren[] {
  return (tokens ?? []).map((t, i) => span(t, i));
}

function span(t: Token, key: number): ComponentChildren {
  switch (t.type) {
    case "strong":
      return <strong key={key}>{spans((t as Tokens.Strong).tokens)}</strong>;
    case "em":
      return <em key={key}>{spans((t as Tokens.Em).tokens)}</em>;
    case "del":
      return <del key={key}>{spans((t as Tokens.Del).tokens)}</del>;
    case "codespan":
      return <code key={key}>{visible((t as Tokens.Codespan).text)}</code>;
    case "br":
      return <br key={key} />;
    case "link":
      return link(t as Tokens.Link, key);
    case "image":
      return image(t as Tokens.Image, key);
    case "html":
      return html(t.raw, key, false);
    case "escape":
      return visible((t as Tokens.Escape).text);
    case "text": {
      const text = t as Tokens.Text;
      return text.tokens ? spans(text.tokens) : visible(text.text);
    }
    default:
      return visible(t.raw);
  }
}

function link(t: Tokens.Link, key: number): JSX.Element {
  const href = safeLink(t.href);
  const inside = spans(t.tokens);
  if (!href) {
    // A path such as src/main.c is worth seeing; a javascript: link is, too, as text.
    const shown = t.text === t.href ? inside : [...inside, ` (${visible(t.href)})`];
    return <span key={key}>{shown}</span>;
  }
  return (
    <a key={key} href={href} title={href} target="_blank" rel="noopener noreferrer nofollow">
      {inside}
    </a>
  );
}

/** Images of other servers are never fetched: a transcript must not tell them that it was read. */
function image(t: Tokens.Image, key: number): JSX.Element {
  if (/^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/.test(t.href)) {
    return <img key={key} class="inline-image" src={t.href} alt={t.text || "Image"} />;
  }
  const href = safeLink(t.href);
  const name = t.text || t.href;
  return href ? (
    <a key={key} href={href} title={href} target="_blank" rel="noopener noreferrer nofollow">
      Image: {visible(name)}
    </a>
  ) : (
    <span key={key}>Image: {visible(name)}</span>
  );
}
