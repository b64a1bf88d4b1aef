import { deflateSync } from 'node:zlib';
import type { ToolResult } from '@mcp-fittings/host';
import sharp from 'sharp';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { MediaPart, RenderedPart } from '../../src/results/rendering.js';
import { readImageSize } from '../../src/spill/image-size.js';
import { memorySpillStore, type SpillOptions } from '../../src/spill.js';
import { referenceOf, spilling, textPart } from './support.js';

type Format = 'png' | 'jpeg' | 'webp' | 'gif';
const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#336699' } });
const imageOf = async (format: Format, width: number, height: number): Promise<Buffer> =>
  picture(width, height).toFormat(format).toBuffer();
/** An image that does not compress. */
const noise = async (format: Format, width: number, height: number): Promise<Buffer> =>
  sharp({
    create: {
      width,
      height,
      channels: 3,
      background: '#000',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  })
    .toFormat(format)
    .toBuffer();

const block = (data: Uint8Array, mimeType = 'image/png') => ({
  type: mimeType.split('/')[0] ?? '',
  data: Buffer.from(data).toString('base64'),
  mimeType,
});
const media = (parts: readonly RenderedPart[]): readonly MediaPart[] =>
  parts.filter((part): part is MediaPart => part.type !== 'text');
const dataOf = ({ data }: MediaPart): Buffer => Buffer.from(data, 'base64');

const images = (blocks: readonly object[], options: SpillOptions['images'], rendering = {}) =>
  spilling(
    { content: [{ type: 'text', text: 'before' }, ...blocks, { type: 'text', text: 'after' }] } as ToolResult,
    { images: options, maxCharacters: 10_000 },
    { rendering },
  );

/** The checksum of a PNG chunk. */
function crc32(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

/** A valid PNG of one color: a few kilobytes for any size. `lie` is the size that its header gives. */
function flatPng(width: number, height: number, lie = { width, height }): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(lie.width, 0);
  header.writeUInt32BE(lie.height, 4);
  header[8] = 1; // one bit for each pixel
  const rows = Buffer.alloc((Math.ceil(width / 8) + 1) * height);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

describe('images in pixels', () => {
  it.each(['png', 'jpeg', 'webp', 'gif'] as const)('reads the size of a %s', async (format) => {
    for (const [width, height] of [
      [1, 1],
      [300, 2],
      [1_234, 567],
    ] as const)
      expect(readImageSize(await imageOf(format, width, height), `image/${format}`)).toEqual({
        width,
        height,
      });
    const lossless = await picture(77, 33).webp({ lossless: true }).toBuffer();
    expect(readImageSize(lossless, 'image/webp')).toEqual({ width: 77, height: 33 });
    const animated = await picture(40, 30).ensureAlpha(0.5).webp().toBuffer();
    expect(readImageSize(animated, 'image/webp')).toEqual({ width: 40, height: 30 });
  });

  it.each(['png', 'jpeg', 'webp', 'gif'] as const)(
    'every beginning of a %s has a size or none, and never throws',
    async (format) => {
      const whole = await imageOf(format, 30, 20);
      for (let end = 0; end < whole.length; end++) {
        const size = readImageSize(whole.subarray(0, end), `image/${format}`);
        if (size !== undefined) expect(size).toEqual({ width: 30, height: 20 });
      }
      for (let seed = 0; seed < 300; seed++) {
        const damaged = Buffer.from(
          whole.map((byte, at) => ((at * 31 + seed * 17) % 23 === 0 ? (byte * 7 + seed) & 255 : byte)),
        );
        expect(() => readImageSize(damaged, `image/${format}`)).not.toThrow();
      }
    },
  );

  it.each(['png', 'jpeg', 'webp', 'gif'] as const)(
    'a %s that is too large is scaled down, and says so',
    async (format) => {
      const data = await imageOf(format, 3_000, 1_500);
      const { big, read } = images([block(data, `image/${format}`)], { maxPixels: 500_000, maxEdge: 900 });
      const event = await big();
      const reference = referenceOf(event);
      const [image] = media(event.rendering.parts);
      const size = await sharp(dataOf(image ?? expect.unreachable())).metadata();
      expect(size).toMatchObject({ width: 900, height: 450, format: format === 'png' ? 'png' : 'jpeg' });
      expect(image?.mimeType).toBe(`image/${size.format}`);
      expect(event.rendering.parts.map((part) => (part.type === 'text' ? part.text : part.type))).toEqual([
        expect.stringMatching(
          /^before\n\[item 1, image\/\w+, [\d.]+ k?B(ytes)?, scaled from 3000 × 1500 to 900 × 450 pixels\]$/i,
        ),
        'image',
        'after',
        expect.stringContaining(`Call read_result with {"reference":"${reference}","item":1}`),
      ]);
      // A page of the image is bounded too.
      const again = await read({ reference, item: 1 });
      expect(media(again.rendering.parts)[0]).toEqual(image);
      expect(again.rendering.text).toContain(`Item 1 of 1 of ${reference}`);
    },
  );

  it('an image of one row keeps its row', async () => {
    const { big } = images([block(await imageOf('png', 3_000, 1))], { maxEdge: 900 });
    expect((await big()).rendering.text).toContain('scaled from 3000 × 1 to 900 × 1 pixels');
  });

  it('an image that fits is passed on unchanged, byte by byte', async () => {
    const data = await imageOf('png', 800, 600);
    const { big } = images([block(data)], {});
    const event = await big();
    expect(event).not.toHaveProperty('spilled');
    expect(media(event.rendering.parts).map(dataOf)).toEqual([data]);
    expect(event.rendering.parts.map(({ type }) => type)).toEqual(['text', 'image', 'text']);
  });

  it('the pixels of a photo are turned as its metadata asks', async () => {
    const red = await sharp({ create: { width: 800, height: 800, channels: 3, background: '#ff0000' } })
      .png()
      .toBuffer();
    // The left half is red; turned by a quarter, it is the upper one.
    const data = await sharp({ create: { width: 1_600, height: 800, channels: 3, background: '#0000ff' } })
      .composite([{ input: red, left: 0, top: 0 }])
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const { big } = images([block(data, 'image/jpeg')], { maxEdge: 400 });
    const [image] = media((await big()).rendering.parts);
    const scaled = dataOf(image ?? expect.unreachable());
    expect(await sharp(scaled).metadata()).toMatchObject({ width: 200, height: 400 });
    const pixels = await sharp(scaled).raw().toBuffer();
    const redAt = (row: number): number => pixels[(row * 200 + 100) * 3] ?? 0;
    expect(redAt(50)).toBeGreaterThan(200);
    expect(redAt(350)).toBeLessThan(50);
  });

  it('an image with too many bytes becomes small enough', async () => {
    const data = await noise('png', 700, 700);
    expect(data.length).toBeGreaterThan(500_000);
    const { big } = images([block(data)], {}, { maxMediaBytes: 60_000 });
    const [image] = media((await big()).rendering.parts);
    expect(dataOf(image ?? expect.unreachable()).length).toBeLessThanOrEqual(60_000);
    const { big: tiny } = images([block(data)], {}, { maxMediaBytes: 200 });
    const event = await tiny();
    expect(media(event.rendering.parts)).toEqual([]);
    expect(event.rendering.text).toContain('not shown: it cannot be made small enough');
  });

  it('transparency becomes white in a JPEG', async () => {
    const data = await sharp({
      create: { width: 500, height: 500, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } },
    })
      .webp()
      .toBuffer();
    const { big } = images([block(data, 'image/webp')], { maxEdge: 100 });
    const [image] = media((await big()).rendering.parts);
    const { dominant } = await sharp(dataOf(image ?? expect.unreachable())).stats();
    expect(dominant.r).toBeGreaterThan(240);
  });
});

describe('hostile images', () => {
  it('a decompression bomb is described and never decoded', async () => {
    const bomb = flatPng(30_000, 30_000);
    expect(bomb.length).toBeLessThan(200_000);
    const before = process.memoryUsage().rss;
    const { big } = images([block(bomb)], {});
    const event = await big();
    expect(media(event.rendering.parts)).toEqual([]);
    expect(event.rendering.text).toContain('not shown: it has 30000 × 30000 pixels');
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
  });

  it('a bomb whose header lies is stopped by the library', async () => {
    // The header says less than the limit and more than is shown; the data decode to much more.
    const data = flatPng(20_000, 20_000, { width: 5_000, height: 5_000 });
    const { big } = images([block(data)], {});
    const event = await big();
    for (const image of media(event.rendering.parts))
      expect((await sharp(dataOf(image)).metadata()).width).toBeLessThanOrEqual(2_000);
    expect(event.type).toBe('result');
  });

  it.each([
    [
      'truncated',
      async () => (await noise('png', 3_000, 300)).subarray(0, 200_000),
      'image/png',
      'its data are damaged',
    ],
    [
      'truncated',
      async () => (await noise('jpeg', 3_000, 300)).subarray(0, 20_000),
      'image/jpeg',
      'its data are damaged',
    ],
    ['only a signature', () => Buffer.from('89504e470d0a1a0a', 'hex'), 'image/png', 'its header is damaged'],
    [
      'a header and noise',
      async () => Buffer.concat([(await imageOf('png', 5_000, 10)).subarray(0, 33), Buffer.alloc(500, 7)]),
      'image/png',
      'its data are damaged',
    ],
    [
      'of another type than it says',
      () => imageOf('png', 3_000, 10),
      'image/jpeg',
      'its data does not match its MIME type',
    ],
    [
      'SVG that says it is PNG',
      () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
      'image/png',
      'its data does not match',
    ],
    ['of zero pixels', () => flatPng(8, 8, { width: 0, height: 0 }), 'image/png', 'its header is damaged'],
  ])('an image that is %s is described: %s', async (_, data, mimeType, reason) => {
    const { big } = images([block(await data(), mimeType)], {});
    const event = await big();
    expect(event.type).toBe('result');
    expect(media(event.rendering.parts)).toEqual([]);
    expect(event.rendering.text).toContain(`not shown: ${reason}`);
  });

  it('fifty large images: the first twenty are scaled one after another, the others can be read', async () => {
    const data = await imageOf('png', 1_000, 1_000);
    const { big, read } = images(
      Array.from({ length: 50 }, () => block(data)),
      { maxEdge: 200 },
    );
    const event = await big();
    expect(media(event.rendering.parts)).toHaveLength(20);
    expect(event.rendering.text).toContain('[item 50, image/png, ');
    expect(event.rendering.text).toContain('not shown: the result has too many media');
    const { rendering } = await read({ reference: referenceOf(event), item: 50 });
    expect(media(rendering.parts)).toHaveLength(1);
    const { rendering: none } = await read({ reference: referenceOf(event), item: 51 });
    expect(none).toMatchObject({ isError: true, text: expect.stringContaining('has 50 items') });
  });
});

describe('without the library', () => {
  afterEach(() => {
    vi.doUnmock('sharp');
  });

  it('an image with too many pixels is described with its size and reference', async () => {
    vi.doMock('sharp', () => {
      throw new Error("Cannot find package 'sharp'");
    });
    const { big, read } = images([block(await imageOf('png', 3_000, 2_000))], {});
    const event = await big();
    expect(media(event.rendering.parts)).toEqual([]);
    expect(event.rendering.text).toContain(
      'not shown: it has 3000 × 2000 pixels, and sharp is not installed to scale it',
    );
    const page = await read({ reference: referenceOf(event), item: 1 });
    expect(page.rendering.text).toContain('not shown: it has 3000 × 2000 pixels');
  });

  it('without `images`, images are bounded in bytes, and what is not shown can be read when the limit allows', async () => {
    const data = await imageOf('png', 3_000, 2_000);
    const shown = images([block(data)], undefined);
    expect(media((await shown.big()).rendering.parts).map(dataOf)).toEqual([data]);
    const { big } = images([block(data)], undefined, { maxMediaBytes: 1_000 });
    const event = await big();
    expect(event.rendering.text).toContain('not shown: it is larger than 1.0 kB');
    referenceOf(event);
  });

  it('audio is bounded in bytes, and kept whole', async () => {
    const wav = Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVEfmt '), Buffer.alloc(9_000, 5)]);
    const { big, read } = images([block(wav, 'audio/wav'), block(wav, 'audio/wav')], {}, { maxMedia: 1 });
    const event = await big();
    expect(media(event.rendering.parts)).toHaveLength(1);
    const page = await read({ reference: referenceOf(event), item: 2 });
    expect(media(page.rendering.parts).map(dataOf)).toEqual([wav]);
    const { big: whole } = images([block(wav, 'audio/wav')], {}, { maxMediaBytes: wav.length });
    expect(media((await whole()).rendering.parts)).toHaveLength(1);
    const { big: larger } = images([block(wav, 'audio/wav')], {}, { maxMediaBytes: wav.length - 1 });
    expect(media((await larger()).rendering.parts)).toEqual([]);
    const { big: small } = images([block(wav, 'audio/wav')], {}, { maxMediaBytes: 100 });
    expect((await small()).rendering.text).toContain(
      '[item 1, audio/wav, 9.0 kB, not shown: it is larger than 100 bytes]',
    );
  });
});

it('an image after the end of the preview has its number before it', async () => {
  const content = [
    { type: 'text', text: 'x'.repeat(5_000) },
    block(await imageOf('png', 30, 10)),
    { type: 'text', text: 'end' },
  ];
  const { big } = spilling({ content } as ToolResult);
  const { rendering } = await big();
  expect(rendering.parts.map((part) => (part.type === 'text' ? part.text : part.type))).toEqual([
    'x'.repeat(100),
    expect.stringMatching(/^\[item 1, image\/png, \d+ bytes\]$/),
    'image',
    expect.stringContaining('The first 100 characters are shown'),
  ]);
});

it('if the store fails, images are still bounded', async () => {
  const { big } = spilling({ content: [block(await imageOf('png', 3_000, 100))] } as ToolResult, {
    images: { maxEdge: 300 },
    store: { ...memorySpillStore(), put: () => Promise.reject(new Error('full')) },
  });
  const { rendering } = await big();
  expect(await sharp(dataOf(media(rendering.parts)[0] ?? expect.unreachable())).metadata()).toMatchObject({
    width: 300,
  });
  expect(textPart(rendering.parts.at(-1))).toContain('could not be kept');
});
