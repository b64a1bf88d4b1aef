/**
 * For authors of a store or a cache: files that other users of the machine can neither read nor replace, and writes that are atomic. Node.js only.
 *
 * @packageDocumentation
 */
export { createDirectory } from './files/create-directory.js';
export { findReplaceable } from './files/find-replaceable.js';
export { ownFolder } from './files/own-folder.js';
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
} from './files/private-file.js';
export {
  identifyProcess,
  isMarkOfDeadProcess,
  makeProcessMark,
  type ProcessIdentity,
} from './files/process-identity.js';
export { replaceFile, type ReplaceOptions } from './files/replace-file.js';
