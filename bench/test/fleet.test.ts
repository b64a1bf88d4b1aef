import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { judge } from '../chaos/judge.mjs';
import { startBalancer } from '../fleet/balancer.mjs';
import { freePort } from '../../scripts/free-port.mjs';

describe('the verdict of a chaos run', () => {
  const verdict = (kind: string, count: number) => judge(new Map([['n', { kind }]]), new Map([['n', count]]));

  it.each([
    ['ok', 1],
    ['not-sent', 0],
    ['rejected', 0],
    ['unknown', 0],
    ['unknown', 1],
  ])('%s of a call that was carried out %i times is true', (kind, count) => {
    expect(verdict(kind, count)).toMatchObject({ untruthful: 0, unsettled: 0, twice: 0, examples: [] });
  });

  it.each([
    ['ok', 0, { untruthful: 1 }],
    ['not-sent', 1, { untruthful: 1 }],
    ['rejected', 1, { untruthful: 1 }],
    ['no-delivery', 0, { untruthful: 1 }],
    ['ok', 2, { twice: 1 }],
    ['unknown', 2, { twice: 1 }],
    ['unsettled', 0, { unsettled: 1 }],
  ])('%s of a call that was carried out %i times is a violation', (kind, count, found) => {
    expect(verdict(kind, count)).toMatchObject({ ...found, examples: [expect.any(String)] });
  });
});

describe('the balancer', () => {
  const opened: { close(): void; closeAllConnections?(): void }[] = [];
  afterEach(() => {
    for (const each of opened.splice(0)) {
      each.close();
      each.closeAllConnections?.();
    }
  });
  const serve = async (answer: RequestListener): Promise<number> => {
    const server: Server = createServer(answer).listen(0, '127.0.0.1');
    opened.push(server);
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  };

  it('asks the next replica if one refuses the connection, and no other one if it has received the request', async () => {
    let received = 0;
    const dying = await serve((request) => {
      received++;
      request.socket.resetAndDestroy();
    });
    const alive = await serve((request, response) => void request.pipe(response));
    const nothing = await freePort();
    const balancer = await startBalancer([nothing, alive, dying]);
    opened.push(balancer);
    const post = async (body: string): Promise<string> =>
      (await fetch(`http://127.0.0.1:${balancer.port}/`, { method: 'POST', body })).text();
    expect(await post('one')).toBe('one');
    await expect(post('two')).rejects.toMatchObject({ cause: { code: 'UND_ERR_SOCKET' } });
    expect(received).toBe(1);
    expect(await post('three')).toBe('three');
    expect(balancer.counts).toMatchObject({ requests: 3, cut: 1, refused: 0 });
  });
});
