import { InvalidArgumentError } from 'commander';

/** Every `--timeout` of the command line is in seconds; fractions are allowed. */
export function seconds(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('It must be a number of seconds greater than zero.');
  return value;
}
