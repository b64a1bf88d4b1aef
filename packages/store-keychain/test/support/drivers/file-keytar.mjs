// keytar's functions on a directory, given as `?directory=`. With `dieAtSet=n` its process is killed at the n-th write
// of a real item; with `segfault` at any call. With `hang` it never replies and its process does not exit, like one with a
// stuck native thread; `spin` blocks its thread forever.
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const query = new URL(import.meta.url).searchParams;
const dieAtSet = Number(query.get('dieAtSet') ?? 0);
let sets = 0;

function fileOf(service, account) {
  return join(
    query.get('directory'),
    createHash('sha256')
      .update(JSON.stringify([service, account]))
      .digest('hex'),
  );
}

async function misbehave() {
  if (query.has('segfault')) process.kill(process.pid, 'SIGSEGV');
  if (query.has('hang')) {
    setInterval(() => {}, 1000);
    writeFileSync(join(query.get('directory'), 'hangs'), '');
    await new Promise(() => {});
  }
  if (query.has('spin')) for (;;);
}

export async function getPassword(service, account) {
  await misbehave();
  try {
    return JSON.parse(readFileSync(fileOf(service, account), 'utf8')).password;
  } catch {
    return null;
  }
}

export async function setPassword(service, account, password) {
  await misbehave();
  if (!account.includes(':probe:') && ++sets === dieAtSet) process.kill(process.pid, 'SIGKILL');
  writeFileSync(fileOf(service, account), JSON.stringify({ service, account, password }));
}

export async function deletePassword(service, account) {
  await misbehave();
  try {
    rmSync(fileOf(service, account));
    return true;
  } catch {
    return false;
  }
}
