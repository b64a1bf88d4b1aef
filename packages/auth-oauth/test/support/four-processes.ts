import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import type { TokenStore } from '@mcp-fittings/client-core';
import { rounds } from '../../../../scripts/rounds.js';
import type { World } from './world.js';

export const ROUNDS = rounds(24);

/** The server now refuses every token that it has seen, although they are valid. */
export function kill({ resource }: World): void {
  for (const authorization of resource.seen) {
    const token = authorization?.split(' ')[1];
    if (token !== undefined) resource.dead.add(token);
  }
}

export function refreshes({ as }: World): number {
  return as.tokenRequests.filter(({ grant }) => grant === 'refresh_token').length;
}

/**
 * Four host processes that keep their tokens in one store, where the person has signed in before: in every round each of
 * them makes five calls at once on a dead token. `others` says how they open the store.
 */
export async function fourProcesses(
  world: World,
  store: TokenStore,
  others: Readonly<Record<string, unknown>>,
): Promise<void> {
  await world.use(world.provider({ store }));
  const processes = Array.from({ length: 4 }, () => {
    const argument = JSON.stringify({ url: world.resource.url, ...others });
    const script = join(import.meta.dirname, 'caller.mjs');
    const child = spawn(process.execPath, [script, argument], { stdio: ['pipe', 'pipe', 'inherit'] });
    return { child, lines: createInterface({ input: child.stdout }) };
  });
  try {
    await Promise.all(processes.map(({ lines }) => once(lines, 'line')));
    for (let round = 1; round <= ROUNDS; round++) {
      kill(world);
      const answers = await Promise.all(
        processes.map(async ({ child, lines }) => {
          const answer = once(lines, 'line');
          child.stdin.write('go\n');
          const [line] = await answer;
          return JSON.parse(String(line));
        }),
      );
      expect(answers, `round ${round}`).toEqual(Array.from({ length: 4 }, () => ({ good: 5, trouble: '' })));
      expect(refreshes(world), `round ${round}`).toBe(round);
    }
  } finally {
    for (const { child } of processes) {
      child.stdin.end();
      await once(child, 'exit');
    }
  }
}
