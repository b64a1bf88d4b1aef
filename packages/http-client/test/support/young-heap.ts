import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Returns by how many bytes the heap has grown after `work`, which collects young objects now and then. Garbage that an old object
 * still refers to counts: V8 keeps it until it collects everything.
 */
export function grownAfterMinorCollections(work: (collectYoung: () => void) => void): number {
  setFlagsFromString('--expose-gc');
  // The function that V8 adds to a new context then.
  const collect = runInNewContext('gc') as (options?: { readonly type: 'minor' | 'major' }) => void;
  collect({ type: 'major' });
  const before = process.memoryUsage().heapUsed;
  const collectYoung = (): void => collect({ type: 'minor' });
  work(collectYoung);
  for (let time = 0; time < 3; time++) collectYoung();
  return process.memoryUsage().heapUsed - before;
}
