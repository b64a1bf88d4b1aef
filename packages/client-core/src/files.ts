/** For authors of a store or a cache: files that other users of the machine can neither read nor replace. */
export { checkPrivateDirectory, ensurePrivateDirectory } from './files/private-directory.js';
export {
  readPrivateFile,
  removePrivateFile,
  writePrivateFile,
  type WriteOptions,
} from './files/private-file.js';
export { renameFile } from './files/rename-file.js';
export { systemCodeOf } from './files/system-code.js';
