/** What a tool gave, made fit for a model: bounded, without control sequences, and with no base64 in its texts. */
export interface Rendering {
  readonly parts: readonly RenderedPart[];
  /** All texts among the parts. */
  readonly text: string;
  /** The tool, or the call, failed: the model should read why. */
  readonly isError: boolean;
}

export type RenderedPart = { readonly type: 'text'; readonly text: string } | MediaPart;

export interface MediaPart {
  readonly type: 'image' | 'audio';
  /** Base64, checked; its first bytes are those of `mimeType`. */
  readonly data: string;
  readonly mimeType: string;
}

export interface RenderOptions {
  /** Characters of all texts together, the note of a cut included. Default 100 000. */
  readonly maxCharacters?: number | undefined;
  /** Bytes of one image or sound. Default 5 000 000. */
  readonly maxMediaBytes?: number | undefined;
  /** Images and sounds in one result. Default 20. */
  readonly maxMedia?: number | undefined;
}

export const DEFAULT_MAX_CHARACTERS = 100_000;
export const DEFAULT_MAX_MEDIA_BYTES = 5_000_000;
export const DEFAULT_MAX_MEDIA = 20;
