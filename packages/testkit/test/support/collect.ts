import { transportSuite, type TransportSuiteOptions } from '@mcp-fittings/testkit/transport';

export interface CollectedCase {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** The cases that the suite would define, without running any. */
export function collectCases(options: TransportSuiteOptions): CollectedCase[] {
  const cases: CollectedCase[] = [];
  transportSuite(
    {
      describe: (_name, define) => define(),
      it: (name, run) => void cases.push({ name, run }),
    },
    options,
  );
  return cases;
}
