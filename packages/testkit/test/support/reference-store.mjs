// A token store of a few lines that keeps the contract: a file a key, a lock file a key. With a `flaw` it breaks one
// rule. In JavaScript, because other processes open it too.
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FittingsError } from '@mcp-fittings/client-core';

/** Long enough for a machine that is busy with other tests. */
const STALE_MS = 2000;
export const MAX_VALUE_BYTES = 65_536;

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** `argument` is JSON of the directory and, maybe, the flaw. */
export function openStore(argument) {
  const { directory, flaw } = JSON.parse(argument);
  const is = (name) => flaw === name;
  const refusal = (message) =>
    new FittingsError('STORE_VALUE_INVALID', message, {
      kind: is('refuses for another reason') ? 'config' : 'auth',
    });
  const cache = new Map();
  const held = new Map();
  const queues = new Map();

  const nameOf = (key) => {
    if (is('sanitizes keys')) return key.replaceAll(/\W/g, '_').slice(0, 50);
    if (is('one file for all')) return 'all';
    return createHash('sha256').update(JSON.stringify(key)).digest('hex');
  };
  const pathOf = (key) => join(directory, `${nameOf(key)}.json`);
  const lockOf = (key) => join(directory, `${nameOf(key)}.lock`);

  const textOf = (value) => {
    if (is('takes any value'))
      return JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? 0 : member)) ?? '{}';
    let text;
    try {
      text = JSON.stringify(value);
    } catch {
      throw refusal('no JSON');
    }
    if (Array.isArray(value) || !text?.startsWith('{')) throw refusal('no object');
    if (!is('has no limit') && Buffer.byteLength(text) > MAX_VALUE_BYTES) throw refusal('too large');
    if (is('cuts long values') && text.length > 10_000)
      return JSON.stringify({ text: text.slice(0, 10_000) });
    return is('cuts at NUL') ? text.split('\\u0000').join('') : text;
  };
  const read = (path) => {
    try {
      return JSON.parse(readFileSync(path, 'utf8'));
    } catch {
      return undefined;
    }
  };
  const write = (path, text) => {
    const draft = `${path}.${randomBytes(6).toString('hex')}`;
    writeFileSync(draft, text);
    renameSync(draft, path);
  };
  const assertNotLost = (key) => {
    const lock = held.get(key);
    if (lock === undefined || is('lets a loser write')) return;
    if (read(lockOf(key))?.nonce !== lock.nonce) throw new FittingsError('STORE_LOCK_LOST', 'lost');
  };

  const isAlive = (pid) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  const isFree = (path, holder) => {
    const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    // Without a file it is free already, and the next one may belong to another process.
    if (written === undefined) return false;
    // The file of a process that was killed while it created it has no name in it.
    if (Date.now() - written >= STALE_MS) return true;
    // The second look: one that released it and ended meanwhile leaves it to another process.
    return holder !== undefined && !isAlive(holder.pid) && read(path)?.nonce === holder.nonce;
  };
  const free = (path) => {
    if (is('never takes over')) return;
    if (!isFree(path, read(path))) return;
    // One at a time, and asked again: what one takes from a dead holder, another one must not take from its successor.
    const claim = `${path}.claim`;
    try {
      writeFileSync(claim, '', { flag: 'wx' });
    } catch {
      return;
    }
    if (isFree(path, read(path))) rmSync(path, { force: true });
    rmSync(claim, { force: true });
  };
  const acquire = async (key) => {
    const lock = { nonce: randomBytes(6).toString('hex'), lost: new AbortController() };
    for (;;) {
      try {
        writeFileSync(lockOf(key), JSON.stringify({ pid: process.pid, nonce: lock.nonce }), { flag: 'wx' });
        break;
      } catch {
        free(lockOf(key));
        await delay(5);
      }
    }
    lock.beat = setInterval(() => {
      if (read(lockOf(key))?.nonce === lock.nonce)
        utimesSync(lockOf(key), Date.now() / 1000, Date.now() / 1000);
      else if (!is('keeps silent about a loss')) lock.lost.abort();
    }, 50).unref();
    return lock;
  };
  const release = (key, lock) => {
    if (is('never releases')) return;
    clearInterval(lock.beat);
    if (read(lockOf(key))?.nonce === lock.nonce) rmSync(lockOf(key));
  };

  /** Callers in this process, one after the other. */
  const queued = (key, run) => {
    const before = queues.get(key);
    const result = Promise.resolve(before).then(run);
    queues.set(
      key,
      result.catch(() => {}),
    );
    return result;
  };

  return {
    async get(key) {
      if (is('keeps a copy for itself') && cache.has(key)) return cache.get(key);
      if (is('hands out its own object') && cache.has(key)) return cache.get(key);
      const stored = read(pathOf(key));
      if (is('one file for all')) return stored?.[key];
      if (stored === undefined && is('answers an empty object for nothing')) return {};
      if (stored !== undefined && is('copies with Object.assign')) return Object.assign({}, stored);
      return stored;
    },
    async set(key, value) {
      if (is('forgets before it refuses')) rmSync(pathOf(key), { force: true });
      const text = textOf(value);
      if (is('waits for the lock in set')) while (read(lockOf(key)) !== undefined) await delay(5);
      if (is('hands out its own object') || is('keeps a copy for itself')) cache.set(key, value);
      assertNotLost(key);
      if (is('merges')) return write(pathOf(key), JSON.stringify({ ...read(pathOf(key)), ...value }));
      if (is('deletes before it writes')) {
        rmSync(pathOf(key), { force: true });
        await turn();
      }
      if (is('writes in two steps')) {
        // Each second writer in the other order, so that of two writers at once each has a last word.
        const members = Object.entries(value);
        if (value.writer % 2 === 1) members.reverse();
        for (const [name, member] of members) {
          write(pathOf(key), JSON.stringify({ ...read(pathOf(key)), [name]: member }));
          await turn();
        }
        return;
      }
      if (is('one file for all')) {
        const all = read(pathOf(key)) ?? {};
        await turn();
        return write(pathOf(key), JSON.stringify({ ...all, [key]: value }));
      }
      write(pathOf(key), text);
    },
    async delete(key) {
      cache.delete(key);
      if (is('does not delete')) return;
      if (is('deletes too much')) return rmSync(directory, { recursive: true });
      if (is('one file for all')) return;
      assertNotLost(key);
      rmSync(pathOf(key), { force: true });
    },
    async withLock(key, work) {
      if (is('does not lock')) return work(new AbortController().signal);
      if (is('refuses an empty key') && key === '') throw new Error('the key is empty');
      if (is('makes what it locks') && read(pathOf(key)) === undefined) write(pathOf(key), '{}');
      if (is('locks for itself only')) return queued(key, () => work(new AbortController().signal));
      if (is('waits after the work')) {
        const done = work(new AbortController().signal);
        return queued(key, () => done);
      }
      if (is('swallows the result'))
        return void (await queued(key, () => work(new AbortController().signal)));
      if (is('swallows errors')) return queued(key, () => work(new AbortController().signal)).catch(() => {});
      return queued(key, async () => {
        const lock = await acquire(key);
        held.set(key, lock);
        let result;
        try {
          result = await work(lock.lost.signal);
        } catch (error) {
          if (is('keeps the lock after an error')) throw error;
          release(key, lock);
          throw error;
        } finally {
          held.delete(key);
        }
        release(key, lock);
        return result;
      });
    },
  };
}
