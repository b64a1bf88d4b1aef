import { describe, expect, it } from 'vitest';
import { withSafeSearch } from '../src/programs/search-path.js';

describe('the PATH of a program that looks for programs itself', () => {
  it.each([
    ['linux', '/usr/bin::.:bin:/opt/node/bin', '/usr/bin:/opt/node/bin'],
    [
      'win32',
      String.raw`C:\nodejs;.;;bin;C:tools;"C:\Program Files\uv"`,
      String.raw`C:\nodejs;C:\Program Files\uv`,
    ],
  ] as const)('has the absolute directories only, on %s', (platform, path, safe) => {
    expect(withSafeSearch({ PATH: path, A: 'b' }, platform)).toMatchObject({ PATH: safe, A: 'b' });
  });

  it('is never empty on POSIX, where that would mean the working directory', () => {
    expect(withSafeSearch({ PATH: '.:bin' }, 'linux')).toEqual({ PATH: '/usr/bin:/bin' });
  });
});
