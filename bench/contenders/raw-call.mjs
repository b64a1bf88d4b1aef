/** One call of a stdio server with pipes and JSON alone: what starting it and asking it costs at least. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const [server, text] = process.argv.slice(2);
const child = spawn(process.execPath, [server], { stdio: ['pipe', 'pipe', 'inherit'] });
const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const clientInfo = { name: 'raw', version: '1' };
send({
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
});
createInterface({ input: child.stdout }).on('line', (line) => {
  const { id, result } = JSON.parse(line);
  if (id === 1) {
    send({ method: 'notifications/initialized' });
    send({ id: 2, method: 'tools/call', params: { name: 'echo', arguments: { text } } });
  } else if (id === 2) {
    process.stdout.write(`${result.content[0].text}\n`);
    child.stdin.end();
  }
});
