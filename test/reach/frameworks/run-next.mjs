/** `node run-next.mjs SERVER`: starts the server of a standalone build, asks it for the steps, and ends it after the last one. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { freePort } from '../../../scripts/free-port.mjs';

const port = await freePort();
const env = { ...process.env, PORT: String(port), HOSTNAME: '127.0.0.1', NEXT_TELEMETRY_DISABLED: '1' };
const server = spawn(process.execPath, [process.argv[2]], {
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
});
let asked = false;
for await (const line of createInterface({ input: server.stdout })) {
  console.log(line);
  if (/^(works|fails) end/.test(line)) server.kill();
  if (asked || !line.includes('Ready')) continue;
  asked = true;
  const { status } = await fetch(`http://127.0.0.1:${port}/steps`);
  if (status === 200) continue;
  console.log(`fails steps: ${status}`);
  server.kill();
}
