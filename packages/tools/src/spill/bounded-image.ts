import type Sharp from 'sharp';
import type { MediaPart } from '../results/rendering.js';
import type { SpillOptions } from './create-spill.js';
import { readImageSize, type ImageSize } from './image-size.js';
import { positive } from './stored-entries.js';

/** An image that fits, or why it does not. */
export type BoundedImage =
  | {
      readonly part: MediaPart;
      /** The sizes, if `part` is smaller than the image was. */
      readonly scaled?: { readonly from: ImageSize; readonly to: ImageSize } | undefined;
      readonly problem?: undefined;
    }
  | { readonly part?: undefined; readonly scaled?: undefined; readonly problem: string };

const SCALE_SECONDS = 10;
/** Attempts to meet the limit of bytes: of this quality, and of this share of the edges. */
const ATTEMPTS = [
  { quality: 80, share: 1 },
  { quality: 60, share: 1 },
  { quality: 60, share: 0.7 },
  { quality: 50, share: 0.4 },
  { quality: 40, share: 0.2 },
] as const;

/** Scales images down until they fit. One at a time, because a decoded image takes much memory. */
export class ImageScaler {
  readonly #maxPixels: number;
  readonly #maxEdge: number;
  readonly #maxInputPixels: number;
  #last: Promise<unknown> = Promise.resolve();

  constructor(limits: NonNullable<SpillOptions['images']>) {
    const { maxPixels = 2_500_000, maxEdge = 2_000, maxInputPixels = 100_000_000 } = limits;
    this.#maxPixels = positive('images.maxPixels', maxPixels);
    this.#maxEdge = positive('images.maxEdge', maxEdge);
    this.#maxInputPixels = positive('images.maxInputPixels', maxInputPixels);
  }

  /** Resolves with the image, with a smaller one, or with the reason why neither fits. Does not reject. */
  bound(image: MediaPart, maxBytes: number): Promise<BoundedImage> {
    const data = Buffer.from(image.data, 'base64');
    const size = readImageSize(data, image.mimeType);
    if (size !== undefined && this.#fits(size) && data.length <= maxBytes)
      return Promise.resolve({ part: image });
    if (size === undefined) return Promise.resolve({ problem: 'its header is damaged' });
    const inPixels = `${size.width} × ${size.height} pixels`;
    if (size.width * size.height > this.#maxInputPixels)
      return Promise.resolve({ problem: `it has ${inPixels}` });
    const result = this.#last.then(() => this.#scale(image, data, size, maxBytes));
    this.#last = result;
    return result;
  }

  async #scale(image: MediaPart, data: Buffer, size: ImageSize, maxBytes: number): Promise<BoundedImage> {
    const sharp = await loadSharp();
    if (sharp === undefined)
      return {
        problem: `it has ${size.width} × ${size.height} pixels, and sharp is not installed to scale it`,
      };
    const input = { limitInputPixels: this.#maxInputPixels, failOn: 'error', sequentialRead: true } as const;
    try {
      // A photo may be turned by its metadata, which a scaled image does not keep.
      const { autoOrient: from } = await sharp(data, input).metadata();
      const share = Math.min(
        1,
        Math.sqrt(this.#maxPixels / (from.width * from.height)),
        this.#maxEdge / from.width,
        this.#maxEdge / from.height,
      );
      for (const attempt of ATTEMPTS) {
        const edge = (length: number): number => Math.max(1, Math.floor(length * share * attempt.share));
        const to = { width: edge(from.width), height: edge(from.height) };
        const scaled = sharp(data, input)
          .timeout({ seconds: SCALE_SECONDS })
          .autoOrient()
          .resize({ ...to, fit: 'fill' });
        // Text on a screenshot stays readable in PNG. JPEG is smaller and has no transparency.
        const asPng = attempt === ATTEMPTS[0] && image.mimeType === 'image/png';
        const bytes = await (
          asPng ? scaled.png() : scaled.flatten({ background: '#ffffff' }).jpeg({ quality: attempt.quality })
        ).toBuffer();
        if (bytes.length > maxBytes) continue;
        const mimeType = asPng ? 'image/png' : 'image/jpeg';
        return {
          part: { type: 'image', mimeType, data: bytes.toString('base64') },
          scaled: { from: size, to },
        };
      }
      return { problem: 'it cannot be made small enough' };
    } catch {
      // The message is of libvips and says nothing to a model.
      return { problem: 'its data are damaged' };
    }
  }

  #fits({ width, height }: ImageSize): boolean {
    return width <= this.#maxEdge && height <= this.#maxEdge && width * height <= this.#maxPixels;
  }
}

/** Loads `sharp` once an image is too large. Undefined if it is not installed. */
async function loadSharp(): Promise<typeof Sharp | undefined> {
  try {
    const { default: sharp } = await import('sharp');
    return sharp;
  } catch {
    return undefined;
  }
}
