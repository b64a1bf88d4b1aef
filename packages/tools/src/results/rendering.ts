import type { ModelTool } from '../model-tools/model-tool.js';

/** A result in a form that is safe for a model: bounded, without control sequences, and without base64 in its text. */
export interface Rendering {
  /** The text and media of the result, in order. */
  readonly parts: readonly RenderedPart[];
  /** The text of all parts, joined by line breaks. */
  readonly text: string;
  /** True if the call or the tool failed. `text` then says why. */
  readonly isError: boolean;
  /** With `defer.native`, the tools that a search found, for the converter of that model API. Otherwise undefined. */
  readonly toolReferences?: readonly ModelTool[] | undefined;
}

/** A piece of text, or an image or audio whose data match its type. */
export type RenderedPart =
  | { readonly type: 'text'; readonly text: string }
  | {
      /** The kind of media. */
      readonly type: 'image' | 'audio';
      /** Valid base64. Its first bytes are those of `mimeType`. */
      readonly data: string;
      /** `image/png`, `image/jpeg`, `image/gif`, `image/webp`, or one of six audio types such as `audio/mpeg`. */
      readonly mimeType: string;
    };

export type MediaPart = Exclude<RenderedPart, { readonly type: 'text' }>;

/** Limits the part of a result that is rendered. */
export interface RenderOptions {
  /** Maximum characters of all text together, including the note about truncation. Default 100 000. */
  readonly maxCharacters?: number | undefined;
  /** Maximum bytes of one image or audio; larger ones are described in the text. Default 5 000 000. */
  readonly maxMediaBytes?: number | undefined;
  /** Maximum number of images and audio in one result; further ones are described in the text. Default 20. */
  readonly maxMedia?: number | undefined;
}
