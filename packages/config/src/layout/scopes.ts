/**
 * Where a definition comes from. `enterprise`: defaults of an administrator, which others may replace. `managed`:
 * set by an administrator with the last word. `remote`: a service gave the list. `user`, `project`, `local`: files.
 * `cli`: the command line. `dynamic`: added at run time by the host.
 */
export type ConfigScope =
  'enterprise' | 'remote' | 'user' | 'project' | 'local' | 'cli' | 'dynamic' | 'managed';

/** Lowest rank first: of two servers with one name the later scope wins. */
export const DEFAULT_SCOPE_ORDER: readonly ConfigScope[] = [
  'enterprise',
  'remote',
  'user',
  'project',
  'local',
  'cli',
  'dynamic',
  'managed',
];
