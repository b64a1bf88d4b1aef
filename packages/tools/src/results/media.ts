import type { MediaPart } from './rendering.js';

/** The image and audio types that are passed on, each with the first bytes of its data. `-1` matches any byte. */
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

const ALIASES: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/mp3': 'audio/mpeg',
};

/** Valid media, or why they are not valid. */
export type MediaCheck =
  { readonly part: MediaPart; readonly problem?: undefined } | { readonly problem: string };

/**
 * Checks whether data have the media type that they claim. Only the first bytes are decoded. Vector images are rejected,
 * because they can contain scripts.
 */
export function checkMedia(data: unknown, claimed: unknown, maxBytes: number): MediaCheck {
  if (typeof data !== 'string' || typeof claimed !== 'string')
    return { problem: 'it has no data or no MIME type' };
  const [essence = ''] = claimed.toLowerCase().split(';', 1);
  const mimeType = ALIASES[essence.trim()] ?? essence.trim();
  const signatures = Object.hasOwn(SIGNATURES, mimeType) ? SIGNATURES[mimeType] : undefined;
  if (signatures === undefined) return { problem: 'its MIME type is not supported' };
  if (byteLength(data) > maxBytes) return { problem: `it is larger than ${readableSize(maxBytes)}` };
  if (data.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) {
    return { problem: 'its data is not valid base64' };
  }
  const start = Buffer.from(data.slice(0, 24), 'base64');
  const matches = signatures.some((bytes) => bytes.every((byte, at) => byte === -1 || byte === start[at]));
  if (!matches) return { problem: 'its data does not match its MIME type' };
  return { part: { type: mimeType.startsWith('image/') ? 'image' : 'audio', mimeType, data } };
}

/** Returns the number of bytes that a base64 string encodes. */
export function byteLength(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : Number(base64.endsWith('='));
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
}

/** Formats a number of bytes, such as `1.2 MB`. */
export function readableSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
