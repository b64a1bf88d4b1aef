import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { call, PATIENT, rejection, type EngineCaseGroup } from './engine-case.js';

export const endCases: EngineCaseGroup = {
  name: 'the end of a connection',
  cases: [
    {
      name: 'a lost connection rejects open calls with its reason, and is reported once',
      async run(bench) {
        const server = bench.server({
          'tools/call': () => {
            server.die();
            return undefined;
          },
        });
        const session = await bench.connect(server);
        const error = await rejection(bench, call(session, 'fatal', PATIENT), 'request()', 'PROCESS_EXITED');
        assert.equal(error.delivery, 'unknown', 'the server may have acted');
        await session.close();
        await setImmediate();
        assert.deepEqual(bench.events, ['closed'], 'closed() is called once');
      },
    },
    {
      name: 'close() closes the transport, rejects open calls, and is reported once',
      async run(bench) {
        const server = bench.server({ 'tools/call': () => undefined });
        const session = await bench.connect(server);
        const rejected = rejection(bench, call(session, 'open', PATIENT), 'request()');
        // Awaited below, unless an assertion fails before.
        rejected.catch(() => undefined);
        await setImmediate();
        await bench.within(session.close(), 'close()');
        assert.ok(server.ended, 'the transport is closed');
        await rejected;
        await setImmediate();
        assert.deepEqual(bench.events, ['closed'], 'closed() is called once');
      },
    },
    {
      name: 'a call after the end rejects, and was not sent',
      async run(bench) {
        const server = bench.server();
        const session = await bench.connect(server);
        await session.close();
        const error = await rejection(bench, call(session, 'late', PATIENT), 'request()');
        assert.equal(error.delivery, 'not-sent', 'delivery is not-sent');
      },
    },
  ],
};
