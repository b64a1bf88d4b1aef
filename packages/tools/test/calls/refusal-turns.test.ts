import { expect, it } from 'vitest';
import { createTools } from '../../src/create-tools.js';
import { createToolPolicy } from '../../src/permissions/tool-policy.js';
import { fakeHost, tool } from '../support/fake-host.js';

it.each(['mcp__s__denied', 'mcp__s__asks', 'absent'])(
  'a loop of calls of %s that is refused leaves turns to timers and sockets',
  async (name) => {
    const policy = createToolPolicy({ servers: { s: { deniedTools: ['denied'], writePermission: 'ask' } } });
    await using tools = createTools(fakeHost([tool('denied'), tool('asks')]), { policy });
    const turn = tools.snapshot();
    let turns = 0;
    let open = true;
    const count = (): void => {
      turns++;
      if (open) setImmediate(count);
    };
    setImmediate(count);
    for (let time = 0; time < 50; time++) expect((await turn.run(name, {})).type).toBe('error');
    open = false;
    expect(turns).toBeGreaterThan(20);
  },
);
