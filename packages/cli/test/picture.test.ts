import { expect, it } from 'vitest';
import { ansiToSvg } from '../scripts/ansi-to-svg.mjs';

it('a picture shows what the terminal did, and refuses what it does not know', () => {
  const svg = ansiToSvg('\u001b[31mred\u001b[39m  <b>\n', { title: 'a "title"' });
  expect(svg).toContain('fill="#ff7b72">red</text>');
  expect(svg).toContain('&lt;b&gt;');
  expect(svg).toContain('aria-label="a &quot;title&quot;"');
  expect(() => ansiToSvg('\u001b[2J', { title: '' })).toThrow('What is');
});
