// Started by close.test.ts: everything that could keep a process alive is under way, then the transport is closed.
import { createHttpTransport } from '../../dist/index.js';

const transport = createHttpTransport({ url: process.argv[2] });
transport.onmessage = () => undefined;
await transport.start();
const call = (id, method) => transport.send({ jsonrpc: '2.0', id, method, params: {} });
await call(1, 'initialize');
await transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
const pending = [call(2, 'polled'), call(3, 'polled'), call(4, 'held'), call(5, 'tools/list')].map((sent) =>
  sent.catch((error) => error.code),
);
process.stdin.resume();
process.stdin.once('data', async () => {
  process.stdin.destroy();
  await transport.close();
  console.log(JSON.stringify(await Promise.all(pending)));
});
