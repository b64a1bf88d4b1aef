/**
 * For authors of a store or a cache: files that other users of the machine can neither read nor replace. Node.js only.
 *
 * @packageDocumentation
 */
export {
  assertKeepsItsPlace,
  checkPrivateDirectory,
  ensurePrivateDirectory,
} from './files/private-directory.js';
export {
  readPrivateFile,
  readPrivateFileSync,
  removePrivateFile,
  writePrivateFile,
  type WriteOptions,
} from './files/private-file.js';
export {
  identifyProcess,
  isMarkOfDeadProcess,
  makeProcessMark,
  type ProcessIdentity,
} from './files/process-identity.js';
