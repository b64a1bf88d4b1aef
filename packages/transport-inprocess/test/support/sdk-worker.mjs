// Another runtime: a thread of its own, reached only by messages.
import { parentPort } from 'node:worker_threads';
import { serveChannel } from '@mcp-fittings/transport-inprocess';
import { portChannel } from './port-channel.mjs';
import { makeServerV1, makeServerV2 } from './sdk-servers.mjs';

if (parentPort !== null) {
  serveChannel(portChannel(parentPort), { servers: { vscode: makeServerV1, jetbrains: makeServerV2 } });
}
