/** Loaded with `--import`: prints the URL of each module that the program loads to stderr. */
import { writeSync } from 'node:fs';
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) register(import.meta.url);

export async function load(url, context, next) {
  writeSync(2, `loaded ${url}\n`);
  return next(url, context);
}
