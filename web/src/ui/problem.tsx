/** What went wrong, where it was tried; nothing while nothing did. */
export function Problem({ text }: { text: string | undefined }) {
  return text ? (
    <p class="c-fail" role="alert">
      {text}
    </p>
  ) : null;
}
