/** The size of an image as its beginning says, in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/**
 * Reads the size of a PNG, JPEG, GIF or WebP image without decoding it. Returns undefined if the header is incomplete or says
 * nothing; the data may still be damaged.
 */
export function readImageSize(bytes: Buffer, mimeType: string): ImageSize | undefined {
  try {
    const size = sizeOf(bytes, mimeType);
    return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
  } catch (error) {
    // The header ends too early.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function sizeOf(bytes: Buffer, mimeType: string): ImageSize | undefined {
  switch (mimeType) {
    case 'image/png':
      return bytes.toString('latin1', 12, 16) === 'IHDR'
        ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
        : undefined;
    case 'image/gif':
      return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
    case 'image/webp':
      return webpSize(bytes);
    case 'image/jpeg':
      return jpegSize(bytes);
    default:
      return undefined;
  }
}

/** @see https://developers.google.com/speed/webp/docs/riff_container */
function webpSize(bytes: Buffer): ImageSize | undefined {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}

/** Markers of a JPEG frame: SOF0 to SOF15 without DHT, JPG and DAC. */
const NOT_A_FRAME = new Set([0xc4, 0xc8, 0xcc]);
const START_OF_SCAN = 0xda;

function jpegSize(bytes: Buffer): ImageSize | undefined {
  for (let at = 2; ;) {
    if (bytes.readUInt8(at) !== 0xff) return undefined;
    const marker = bytes.readUInt8(at + 1);
    if (marker === 0xff) {
      at++;
      continue;
    }
    if (marker >= 0xc0 && marker <= 0xcf && !NOT_A_FRAME.has(marker))
      return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    if (marker === START_OF_SCAN) return undefined;
    at += 2 + bytes.readUInt16BE(at + 2);
  }
}
