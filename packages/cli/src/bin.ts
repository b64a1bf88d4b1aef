#!/usr/bin/env node
import { answerAtOnce } from './answer-at-once.js';
import { parseCall, parseCallRequest } from './call-request.js';
import { parseListRequest } from './list-request.js';

// Every run loads this file: what it imports statically is published as a part of it, and costs `--version` its time.
async function run(argv: readonly string[]): Promise<void> {
  if (answerAtOnce(argv, process.stdout)) return;
  const request = parseListRequest(argv);
  if (request !== undefined) {
    const { listAtOnce } = await import('./list-at-once.js');
    const { stdout, stderr, env } = process;
    if (await listAtOnce(request, { stdout, stderr, env, cwd: process.cwd() })) return;
  }
  const called = parseCallRequest(argv, process);
  if (called !== undefined) {
    const { callAtOnce } = await import('./call-at-once.js');
    const { stdout, stderr, env } = process;
    if (await callAtOnce(called, { stdout, stderr, env, cwd: process.cwd() })) return;
  }
  const { keepCompiledCode } = await import('./compile-cache.js');
  keepCompiledCode();
  const { runProcess } = await import('./run-process.js');
  await runProcess(parseCall(argv, process.env));
}

void run(process.argv.slice(2));
