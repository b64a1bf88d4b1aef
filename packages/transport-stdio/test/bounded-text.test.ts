import { array, assert, integer, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBoundedText } from '../src/process/stderr-tail.js';

describe('createBoundedText', () => {
  it('keeps exactly the last characters', () => {
    assert(
      property(
        array(string({ maxLength: 30 }), { maxLength: 40 }),
        integer({ min: 0, max: 50 }),
        (chunks, limit) => {
          const text = createBoundedText(limit);
          for (const chunk of chunks) text.append(chunk);
          const all = chunks.join('');
          expect(text.tail()).toBe(limit === 0 ? '' : all.slice(-limit));
          expect(text.total).toBe(all.length);
        },
      ),
    );
  });
});
