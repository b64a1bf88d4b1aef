#!/usr/bin/env node
import { answerAtOnce } from './answer-at-once.js';
import { parseCall, parseCallRequest } from './call-request.js';
import { parseListRequest } from './list-request.js';
import { loadCompiled } from './load-compiled.js';
import { directOutput, type DirectIo } from './output/direct-output.js';
import type { ProcessIo } from './process-io.js';

// Every run loads this file: what it imports statically is published as a part of it, and costs `--version` its time.
async function run(argv: readonly string[]): Promise<void> {
  const stdout = directOutput(1);
  if (answerAtOnce(argv, stdout)) return;
  const direct: DirectIo = { stdout, stderr: directOutput(2), env: process.env, cwd: process.cwd() };
  const list = parseListRequest(argv);
  if (list !== undefined) {
    const { exports, keep } = await loadCompiled('list-at-once', () => import('./list-at-once.js'));
    if (await exports.listAtOnce(list, direct)) return keep();
  }
  const call = parseCallRequest(argv, direct);
  if (call?.shared === true) {
    const { exports, keep } = await loadCompiled('call-shared', () => import('./call-shared.js'));
    if (await exports.callShared(call, direct)) return keep();
  } else if (call !== undefined) {
    const { exports, keep } = await loadCompiled('call-local', () => import('./call-local.js'));
    if (await exports.callLocally(call, here())) return keep();
  }
  const { exports, keep } = await loadCompiled('run-process', () => import('./run-process.js'));
  await exports.runProcess(parseCall(argv, process.env));
  keep();
}

/** Opens each stream when it is used: a local server starts meanwhile. */
function here(): Omit<ProcessIo, 'signal'> {
  return {
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return process.stdout;
    },
    get stderr() {
      return process.stderr;
    },
    env: process.env,
    cwd: process.cwd(),
  };
}

void run(process.argv.slice(2));
