import type { Rendering, RenderedPart } from '../results/rendering.js';
import type { SpilledResult } from '../calls/result-spill.js';
import { renderingOf } from '../results/render-result.js';
import { endOfPage } from './cut-text.js';
import type { WholeResult } from './whole-result.js';

/** Returns the beginning of a result with its media, and a note that says how to read the rest. */
export function previewOf(
  whole: WholeResult,
  spilled: SpilledResult,
  options: {
    readonly length: number;
    readonly readerName: string;
    readonly ttlMs: number;
    readonly isError: boolean;
  },
): Rendering {
  const end = endOfPage(whole.text, options.length);
  const note: RenderedPart = { type: 'text', text: noteOf(spilled, end, options) };
  return renderingOf([...partsOf(whole, end), note], options.isError);
}

/** Returns the text up to `end`, and all media at their places. */
export function partsOf({ text: whole, media }: WholeResult, end: number): readonly RenderedPart[] {
  const parts: RenderedPart[] = [];
  let from = 0;
  const addText = (to: number): void => {
    // The break between the text and the media before it.
    const text = whole.slice(from, Math.min(to, end)).replace(from > 0 ? /^\n/ : '', '');
    // Some model APIs reject text that is only white space.
    if (text.trim() !== '') parts.push({ type: 'text', text });
    from = Math.max(from, Math.min(to, end));
  };
  for (const { at, line, part } of media) {
    addText(at);
    // Its line is beyond the end of the text.
    if (at > end) parts.push({ type: 'text', text: line });
    parts.push(part);
  }
  addText(end);
  return parts;
}

function noteOf(
  { reference, characters, lines, items }: SpilledResult,
  end: number,
  { readerName, ttlMs }: { readonly readerName: string; readonly ttlMs: number },
): string {
  const kept = items === 0 ? '' : `, ${items} ${items === 1 ? 'item' : 'items'}`;
  const what = `${characters} characters, ${lines} ${lines === 1 ? 'line' : 'lines'}${kept}`;
  const next =
    end < characters
      ? `{"reference":"${reference}","offset":${end}}`
      : `{"reference":"${reference}","item":1}`;
  const shown =
    end < characters
      ? `The first ${end} characters are shown.`
      : 'Some media are not shown, or smaller than they were.';
  return `[Large result: ${what}. ${shown} Call ${readerName} with ${next} for more${end < characters ? ', or with a pattern to search it' : ''}. It is kept for ${duration(ttlMs)}.]`;
}

/** Formats a duration, such as `60 minutes`. */
function duration(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return 'less than a minute';
  return minutes === 1 ? '1 minute' : `${minutes} minutes`;
}
