import { byteLength, readableSize } from '../results/media.js';
import type { MediaPart, RenderedPart, Rendering } from '../results/rendering.js';

/** Returns the parts of a result; never an empty list, because some APIs reject a result without content. */
export function contentOf({ parts }: Rendering): readonly RenderedPart[] {
  return parts.length > 0 ? parts : [{ type: 'text', text: '[The tool returned no content.]' }];
}

/** Converts the parts of a result. Media that the API does not accept become text. */
export function mapContent<Out>(
  rendering: Rendering,
  accepts: (part: MediaPart) => boolean,
  fromText: (text: string) => Out,
  fromMedia: (part: MediaPart) => Out,
): Out[] {
  return contentOf(rendering).map((part) => {
    if (part.type === 'text') return fromText(part.text);
    return accepts(part) ? fromMedia(part) : fromText(describeMedia(part));
  });
}

/** Converts a result to text, for APIs that accept no media. */
export function textContent(rendering: Rendering): string {
  return mapContent(
    rendering,
    () => false,
    (text) => text,
    describeMedia,
  ).join('\n');
}

/** Describes an image or audio that an API does not accept. */
export function describeMedia(part: MediaPart): string {
  return `[${part.mimeType}, ${readableSize(byteLength(part.data))}, not shown: this model API does not accept it]`;
}
