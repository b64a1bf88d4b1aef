/** Bytes in one block of memory that grows in place, see {@link createLargeBytes}. */
export interface LargeBytes {
  /** Number of bytes. */
  readonly size: number;
  /** Adds a copy of the bytes. Returns false, and adds nothing, if there is no more room. */
  add(part: Uint8Array): boolean;
  /** Returns the bytes from `start` to `end` without copying them. {@link clear} empties the result. */
  view(start?: number, end?: number): Uint8Array;
  /** Returns the memory to the system at once, without waiting for a garbage collection. */
  clear(): void;
}

interface ResizableBuffer extends ArrayBuffer {
  resize(bytes: number): void;
}

/** Memory is added in steps of this many bytes. */
const STEP_BYTES = 1024 * 1024;
/** No runtime has longer strings, so that more bytes could not be decoded. Only addresses are reserved, not memory. */
const MOST_BYTES = 1024 * 1024 * 1024;

/**
 * Creates a place for the bytes of one large message. Returns undefined if the runtime does not have resizable buffers, or if its
 * `TextDecoder` refuses them, as the standard permits and Deno does.
 *
 * The parts of a message, the joined bytes, the text and the parsed value live at once if each is left to the garbage collector:
 * four times the message. In place, and emptied before the text is parsed, it is 2.2 to 2.8 times (50 MB, Node.js 20 to 26).
 * @see https://encoding.spec.whatwg.org/#interface-textdecoder (`AllowShared`, without `AllowResizable`)
 */
export function createLargeBytes(maxBytes: number): LargeBytes | undefined {
  const most = Math.min(maxBytes, MOST_BYTES);
  let buffer: ResizableBuffer;
  try {
    buffer = createResizable(most);
    new TextDecoder().decode(new Uint8Array(buffer));
  } catch {
    return undefined;
  }
  const bytes = new Uint8Array(buffer);
  let size = 0;
  return {
    get size() {
      return size;
    },
    add(part) {
      const needed = size + part.length;
      if (needed > most) return false;
      try {
        if (needed > buffer.byteLength) buffer.resize(Math.min(most, needed + STEP_BYTES));
      } catch {
        // No memory: the caller decides.
        return false;
      }
      bytes.set(part, size);
      size = needed;
      return true;
    },
    view: (start = 0, end = size) => bytes.subarray(start, end),
    clear() {
      size = 0;
      buffer.resize(0);
    },
  };
}

function createResizable(maxByteLength: number): ResizableBuffer {
  // The types of the standard library have it since ES2024.
  const buffer: unknown = Reflect.construct(ArrayBuffer, [1, { maxByteLength }]);
  if (!(buffer instanceof ArrayBuffer) || !('resize' in buffer)) throw new TypeError('not resizable');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was checked above
  return buffer as ResizableBuffer;
}
