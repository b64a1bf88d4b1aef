// A server on SDK v2 over stdio with the Tasks extension, whose tasks outlive its process: they are files in a folder.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { ProtocolError, Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const folder = process.argv[2] ?? '.';
const log = (line) => appendFileSync(join(folder, 'log'), `${line}\n`);
const extensions = { 'io.modelcontextprotocol/tasks': {} };
const times = {
  createdAt: '2026-07-28T10:00:00Z',
  lastUpdatedAt: '2026-07-28T10:00:00Z',
  ttlMs: 60_000,
  pollIntervalMs: 10,
};
const params = { params: z.object({ taskId: z.string() }) };

function fileOf(taskId) {
  const file = join(folder, `${taskId}.task`);
  if (!existsSync(file)) throw new ProtocolError(-32_602, 'Task not found');
  return file;
}

serveStdio(() => {
  const server = new Server({ name: 'durable', version: '1' }, { capabilities: { tools: {}, extensions } });
  server.setRequestHandler('tools/list', () => ({
    tools: [{ name: 'render', inputSchema: { type: 'object' } }],
  }));
  server.setRequestHandler('tools/call', () => {
    const taskId = randomUUID();
    writeFileSync(join(folder, `${taskId}.task`), 'working');
    log(`created ${process.pid}`);
    return { resultType: 'task', taskId, status: 'working', ...times };
  });
  server.setRequestHandler('tasks/get', params, ({ taskId }) => {
    const state = readFileSync(fileOf(taskId), 'utf8');
    log(`get ${process.pid}`);
    if (!existsSync(join(folder, 'release'))) return { taskId, status: state, ...times };
    return {
      taskId,
      status: 'completed',
      ...times,
      result: { content: [{ type: 'text', text: 'rendered' }] },
    };
  });
  server.setRequestHandler('tasks/cancel', params, ({ taskId }) => {
    writeFileSync(fileOf(taskId), 'cancelled');
    log(`cancel ${process.pid}`);
    return {};
  });
  return server;
});
