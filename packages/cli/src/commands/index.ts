import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import { registerAdd } from './add/command.js';
import { registerApprove } from './approve/command.js';
import { registerChanges } from './change/command.js';
import { registerExport } from './export/command.js';
import { registerImport } from './import/command.js';
import { registerLogin } from './login/command.js';
import { registerCall } from './call/command.js';
import { registerComplete } from './complete/command.js';
import { registerList } from './list/command.js';
import { registerPrompt } from './prompt/command.js';
import { registerRead } from './read/command.js';
import { registerStatus } from './status/command.js';

/** Every command of this folder, in the order of `--help`. */
export const COMMANDS: readonly ((program: Command, context: CommandContext) => void)[] = [
  registerStatus,
  registerList,
  registerCall,
  registerRead,
  registerPrompt,
  registerComplete,
  registerAdd,
  registerChanges,
  registerImport,
  registerExport,
  registerApprove,
  registerLogin,
];
