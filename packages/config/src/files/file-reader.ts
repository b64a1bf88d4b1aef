import { readTextFile, type ReadOutcome, type ReadRules } from './read-file.js';

/** Reads files, each at most once, so that everything decided in one go is decided on the same bytes. */
export type FileReader = (path: string, rules?: Omit<ReadRules, 'maxBytes'>) => Promise<ReadOutcome>;

export function createFileReader(maxBytes: number): FileReader {
  const read = new Map<string, Promise<ReadOutcome>>();
  return (path, rules = {}) => {
    const key = JSON.stringify([path, rules]);
    const outcome = read.get(key) ?? readTextFile(path, { maxBytes, ...rules });
    read.set(key, outcome);
    return outcome;
  };
}
