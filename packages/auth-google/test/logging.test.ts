import { expect, it, vi } from 'vitest';
import { createWorld } from './support/world.js';

it('Google’s library writes no token to the log, even if its logging is on', async () => {
  await using world = await createWorld({ credentials: ({ userFile }) => userFile });
  vi.stubEnv('GOOGLE_SDK_NODE_LOGGING', 'all');
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const logged = vi.spyOn(console, 'error').mockReturnValue(undefined);
  expect(await world.use(world.provider({ scopes: ['x'] }))).toBe(200);
  const shown = JSON.stringify([write.mock.calls, logged.mock.calls]);
  write.mockRestore();
  logged.mockRestore();
  for (const token of world.google.alive.keys()) expect(shown).not.toContain(token);
});
