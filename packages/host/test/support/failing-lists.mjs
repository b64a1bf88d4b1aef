/**
 * A server on stdio whose `tools/list` fails: with the argument `always`, or in its first run when the argument is a path
 * of a file that does not exist yet. With `prompts` its `prompts/list` fails instead.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [, , mood] = process.argv;
const isFile = mood !== undefined && mood !== 'always' && mood !== 'prompts';
const fails = mood === 'always' || (isFile && !existsSync(mood));
if (isFile) writeFileSync(mood, '');

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  if (method === 'initialize') {
    const { protocolVersion } = params;
    const serverInfo = { name: 'failing', version: '1.0.0' };
    return send({ id, result: { protocolVersion, capabilities: { tools: {}, prompts: {} }, serverInfo } });
  }
  if (method === 'prompts/list' && mood === 'prompts')
    return send({ id, error: { code: -32603, message: 'no ink' } });
  if (method !== 'tools/list') return send({ id, error: { code: -32601, message: `no ${method}` } });
  if (fails) return send({ id, error: { code: -32603, message: 'out of order' } });
  send({ id, result: { tools: [{ name: 'one', inputSchema: { type: 'object' } }] } });
});
