/**
 * For code that starts programs: one search for them, which no file of the working directory can mislead. Node.js only.
 *
 * @packageDocumentation
 */
export {
  findProgram,
  type Program,
  type ProgramFiles,
  type ProgramRequest,
} from './programs/find-program.js';
export { searchedFolders, withSafeSearch, type Environment } from './programs/search-path.js';
export type { ProgramRefusal } from './programs/windows-cmd.js';
