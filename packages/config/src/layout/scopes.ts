/**
 * Source of a definition, which decides its precedence. Lowest first, unless {@link Layout.order} is set: of two servers with one name, the
 * one whose scope comes later wins.
 *
 * - `enterprise`: an administrator's defaults, which every other scope may replace
 * - `remote`: a list from a remote service ({@link LoadConfigOptions.remote})
 * - `user`: the user's files in the home directory
 * - `project`: files of the project, shared by everyone who clones it; its servers need approval
 * - `local`: the user's own settings for one project
 * - `cli`: the command line ({@link LoadConfigOptions.cli})
 * - `dynamic`: added by the host at run time ({@link LoadConfigOptions.dynamic})
 * - `managed`: an administrator's servers, which no other scope may replace
 */
export type ConfigScope =
  'enterprise' | 'remote' | 'user' | 'project' | 'local' | 'cli' | 'dynamic' | 'managed';

/** The order of precedence that layouts use unless they set {@link Layout.order}. */
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
