import { describe, it } from 'vitest';

/** What a group of tests needs of the system. */
interface Needs {
  /** What of it is not there; an empty list when all is. */
  readonly missing: readonly string[];
  /** Debian packages that have it. */
  readonly packages: string;
}

/** Where something is missing: one test that fails and says what, and how to get it. */
export function describeWith({ missing, packages }: Needs, name: string, define: () => void): void {
  if (missing.length === 0) return void describe(name, define);
  it(name, () => {
    throw new Error(
      `not tested, as these are missing: ${missing.join(', ')} (apt-get install -y ${packages})`,
    );
  });
}
