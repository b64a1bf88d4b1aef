/** `ENOENT`, `EACCES` …, where Node gave one. */
export function systemCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
