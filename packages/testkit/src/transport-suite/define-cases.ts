import type { TestRunner } from './options.js';

/** One rule of a contract, and the test that shows it. */
interface Case<Bench, Capabilities> {
  readonly name: string;
  /** For which subjects the case exists. Default all. */
  readonly when?: (capabilities: Capabilities) => boolean;
  readonly run: (bench: Bench) => Promise<void>;
}

export interface CaseGroup<Bench, Capabilities> {
  readonly name: string;
  readonly cases: readonly Case<Bench, Capabilities>[];
}

/** Defines a test for each case that exists with these capabilities. `test` runs one. */
export function defineCases<Bench, Capabilities>(
  runner: TestRunner,
  title: string,
  groups: readonly CaseGroup<Bench, Capabilities>[],
  capabilities: Capabilities,
  test: (one: Case<Bench, Capabilities>) => Promise<void>,
): void {
  runner.describe(title, () => {
    for (const group of groups) {
      const cases = group.cases.filter(({ when }) => when?.(capabilities) !== false);
      // Test runners report an empty group as a mistake.
      if (cases.length === 0) continue;
      runner.describe(group.name, () => {
        for (const one of cases) runner.it(one.name, () => test(one));
      });
    }
  });
}

/** Runs a case with a fixture, which is torn down in any case. */
export async function withFixture<Fixture extends { readonly teardown: () => Promise<void> }>(
  opening: Promise<Fixture>,
  run: (fixture: Fixture) => Promise<void>,
): Promise<void> {
  const fixture = await opening;
  try {
    await run(fixture);
  } finally {
    await fixture.teardown();
  }
}
