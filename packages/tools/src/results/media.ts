import type { MediaPart } from './rendering.js';

/** Image and sound types that are passed on, each with the bytes that its data begins with. `-1` is any byte. */
const SIGNATURES: Readonly<Record<string, readonly (readonly number[])[]>> = {
  'image/png': [[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  'image/jpeg': [[0xff, 0xd8, 0xff]],
  'image/gif': [[0x47, 0x49, 0x46, 0x38]],
  'image/webp': [[0x52, 0x49, 0x46, 0x46, -1, -1, -1, -1, 0x57, 0x45, 0x42, 0x50]],
  'audio/wav': [[0x52, 0x49, 0x46, 0x46, -1, -1, -1, -1, 0x57, 0x41, 0x56, 0x45]],
  'audio/mpeg': [
    [0x49, 0x44, 0x33],
    [0xff, 0xfb],
    [0xff, 0xfa],
    [0xff, 0xf3],
    [0xff, 0xf2],
  ],
  'audio/ogg': [[0x4f, 0x67, 0x67, 0x53]],
  'audio/flac': [[0x66, 0x4c, 0x61, 0x43]],
  'audio/mp4': [[-1, -1, -1, -1, 0x66, 0x74, 0x79, 0x70]],
};

const OTHER_NAMES: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/mp3': 'audio/mpeg',
};

export type MediaVerdict =
  { readonly part: MediaPart; readonly problem?: undefined } | { readonly problem: string };

/**
 * Whether these data can be handed to a model as what they claim to be. Vector images are not: they are programs.
 * Nothing is decoded but the first bytes.
 */
export function judgeMedia(data: unknown, claimed: unknown, maxBytes: number): MediaVerdict {
  if (typeof data !== 'string' || typeof claimed !== 'string')
    return { problem: 'it has no data or no type' };
  const [essence = ''] = claimed.toLowerCase().split(';', 1);
  const mimeType = OTHER_NAMES[essence.trim()] ?? essence.trim();
  const signatures = Object.hasOwn(SIGNATURES, mimeType) ? SIGNATURES[mimeType] : undefined;
  if (signatures === undefined) return { problem: 'its type is not passed on' };
  if (byteLength(data) > maxBytes) return { problem: `it is larger than ${readableSize(maxBytes)}` };
  if (data.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) {
    return { problem: 'its data is not valid base64' };
  }
  const start = Buffer.from(data.slice(0, 24), 'base64');
  const matches = signatures.some((bytes) => bytes.every((byte, at) => byte === -1 || byte === start[at]));
  if (!matches) return { problem: 'its data is of another type' };
  return { part: { type: mimeType.startsWith('image/') ? 'image' : 'audio', mimeType, data } };
}

/** Bytes that base64 of this length stands for. */
export function byteLength(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : Number(base64.endsWith('='));
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
}

export function readableSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
