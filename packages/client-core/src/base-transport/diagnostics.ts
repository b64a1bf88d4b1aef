/** Reports the first, tenth, hundredth … occurrence of a thing, so that a flood of it costs next to nothing. */
export interface Diagnostics {
  /** `describe` is called only when there is something to report. */
  count(kind: string, describe: (times: number) => Error): void;
  /** How often each kind was counted. */
  readonly counts: Readonly<Record<string, number>>;
}

export function createDiagnostics(report: (error: Error) => void): Diagnostics {
  const counts: Record<string, number> = {};
  return {
    count(kind, describe) {
      const times = (counts[kind] ?? 0) + 1;
      counts[kind] = times;
      if (Number.isInteger(Math.log10(times))) report(describe(times));
    },
    counts,
  };
}
