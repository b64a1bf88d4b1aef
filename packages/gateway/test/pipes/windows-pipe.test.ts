import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { createFrontDoors } from '../../src/front-doors.js';
import { createTestSurface } from '../support/test-surface.js';
import { INITIALIZE } from '../support/test-gateway.js';

describe.runIf(process.platform === 'win32')('a named pipe of Windows', () => {
  const open = () => createFrontDoors(createTestSurface(), () => true, {});

  it('serves its owner without a token', async () => {
    await using gateway = open();
    const socketPath = String.raw`\\.\pipe\fittings-test-${process.pid}`;
    expect(await gateway.listen({ socketPath })).toMatchObject({ address: { socketPath } });
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const answer = await new Promise<string>((resolve, reject) => {
      request({ socketPath, path: '/mcp', method: 'POST', headers }, (response) => {
        text(response).then(resolve, reject);
      })
        .once('error', reject)
        .end(JSON.stringify(INITIALIZE));
    });
    expect(answer).toContain('protocolVersion');
  });

  it('has the name of a pipe', async () => {
    await using gateway = open();
    await expect(gateway.listen({ socketPath: String.raw`C:\gateway.sock` })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      hint: expect.stringContaining(String.raw`\\.\pipe\my-gateway`),
    });
  });
});
