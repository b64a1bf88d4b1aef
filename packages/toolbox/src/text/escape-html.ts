const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Escapes text for the content of an HTML element or for a quoted attribute. It does not bound the text, and leaves control characters as
 * they are: `sanitizeText()` removes them.
 * @example
 * `<p title="${escapeHtml(title)}">${escapeHtml(text)}</p>`
 */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? '');
}
