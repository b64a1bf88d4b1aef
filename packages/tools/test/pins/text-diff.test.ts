import { describe, expect, it } from 'vitest';
import { diffText } from '../../src/pins/text-diff.js';

/** A small generator with a seed, so that a failure can be repeated. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Applies the changes to the first text, by their content alone. */
function apply(before: string, changes: ReturnType<typeof diffText>): string {
  let [at, done] = [0, ''];
  for (const { lead, removed, added } of changes) {
    let place = at;
    const isHere = (): boolean => before.startsWith(removed, place) && before.slice(0, place).endsWith(lead);
    while (place <= before.length && !isHere()) place++;
    done += before.slice(at, place) + added;
    at = place + removed.length;
  }
  return done + before.slice(at);
}

describe('differences of texts', () => {
  it('shows the words that differ, with what is around them', () => {
    expect(diffText('Pushes commits to a branch.', 'Pushes all commits to a branch.')).toEqual([
      { lead: 'Pushes ', removed: '', added: 'all ', tail: 'commits to a branch.' },
    ]);
    expect(diffText('Reads a note.', 'Reads a note. Then sends it.')).toEqual([
      { lead: 'Reads a note.', removed: '', added: ' Then sends it.', tail: '' },
    ]);
    expect(diffText('same', 'same')).toEqual([]);
    expect(diffText('', 'new text')).toMatchObject([{ removed: '', added: 'new text' }]);
    expect(diffText('old text', '')).toMatchObject([{ removed: 'old text', added: '' }]);
  });

  it('two places far apart are two changes', () => {
    const middle = 'one two three four five six seven eight nine ten';
    const changes = diffText(`first ${middle} last`, `1st ${middle} final`);
    expect(changes.map(({ removed, added }) => [removed.trim(), added.trim()])).toEqual([
      ['first', '1st'],
      ['last', 'final'],
    ]);
  });

  it('two places with more than 40 000 characters between them are one change', () => {
    const middle = 'word '.repeat(4_100);
    const changes = diffText(`start first ${middle}last end`, `start 1st ${middle}final end`);
    expect(changes).toEqual([
      { lead: 'start ', removed: `first ${middle}last`, added: `1st ${middle}final`, tail: ' end' },
    ]);
  });

  it('every difference is in a change: applying the changes gives the second text', () => {
    const next = random(7);
    for (let round = 0; round < 2_000; round++) {
      // All words are different, so that there is one place for each change.
      const words = Array.from({ length: next(30) }, (_, index) => `w${index}`);
      const other = words.flatMap((word) => {
        const dice = next(10);
        return dice === 0
          ? []
          : dice === 1
            ? [word, `new${next(1_000)}`]
            : dice === 2
              ? [`x${next(1_000)}`]
              : [word];
      });
      const [before, after] = [words.join(' '), other.join(' ')];
      expect(apply(before, diffText(before, after)), `${before} -> ${after}`).toBe(after);
    }
  });

  it('texts that differ in everything are one change', () => {
    const before = Array.from({ length: 100_000 }, (_, index) => `a${index}`).join(' ');
    const after = Array.from({ length: 100_000 }, (_, index) => `b${index}`).join(' ');
    expect(diffText(before, after)).toHaveLength(1);
    expect(diffText(before.slice(0, 20_000), after.slice(0, 20_000))).toHaveLength(1);
  });
});
