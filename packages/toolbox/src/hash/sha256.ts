/**
 * Returns the SHA-256 of bytes. A browser has only an asynchronous one; where there is Node.js, sha256-node.ts takes its place.
 * @see https://doi.org/10.6028/NIST.FIPS.180-4
 */
export function sha256(bytes: Uint8Array): Uint8Array {
  const primes = firstPrimes(64);
  const constants = primes.map((prime) => fractionBits(Math.cbrt(prime)));
  const state = Uint32Array.from(primes.slice(0, 8), (prime) => fractionBits(Math.sqrt(prime)));
  const view = padded(bytes);
  for (let at = 0; at < view.byteLength; at += BLOCK) addBlock(state, view, at, constants);
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, index) => digest.setUint32(4 * index, word));
  return new Uint8Array(digest.buffer);
}

const BLOCK = 64;

/** Adds a one, zeros and the length in bits, which fill the last block. */
function padded(bytes: Uint8Array): DataView {
  const whole = new Uint8Array(Math.ceil((bytes.length + 9) / BLOCK) * BLOCK);
  whole.set(bytes);
  whole[bytes.length] = 0x80;
  const view = new DataView(whole.buffer);
  view.setBigUint64(whole.length - 8, BigInt(bytes.length) * 8n);
  return view;
}

function addBlock(state: Uint32Array, view: DataView, at: number, constants: readonly number[]): void {
  const words = constants.map((_, index) => (index < 16 ? view.getUint32(at + 4 * index) : 0));
  const word = (index: number): number => words[index] ?? 0;
  for (let index = 16; index < 64; index++) {
    const [w15, w2] = [word(index - 15), word(index - 2)];
    const s0 = rotate(w15, 7) ^ rotate(w15, 18) ^ (w15 >>> 3);
    const s1 = rotate(w2, 17) ^ rotate(w2, 19) ^ (w2 >>> 10);
    words[index] = (word(index - 16) + s0 + word(index - 7) + s1) >>> 0;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  constants.forEach((constant, index) => {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const first = (h + s1 + ((e & f) ^ (~e & g)) + constant + word(index)) >>> 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const second = (s0 + ((a & b) ^ (a & c) ^ (b & c))) >>> 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) >>> 0, c, b, a, (first + second) >>> 0];
  });
  [a, b, c, d, e, f, g, h].forEach((value, index) => (state[index] = (state[index] ?? 0) + value));
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

function firstPrimes(count: number): readonly number[] {
  const primes: number[] = [];
  for (let next = 2; primes.length < count; next++)
    if (primes.every((prime) => next % prime !== 0)) primes.push(next);
  return primes;
}

/** Returns the first 32 bits behind the point. */
function fractionBits(root: number): number {
  return Math.floor((root % 1) * 2 ** 32);
}
