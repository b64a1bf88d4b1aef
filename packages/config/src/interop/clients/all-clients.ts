import { claudeCode } from './claude-code.js';
import { claudeDesktop } from './claude-desktop.js';
import type { ClientFormat } from './client-format.js';
import { codex } from './codex.js';
import { cursor } from './cursor.js';
import { gemini } from './gemini.js';
import { mcporter } from './mcporter.js';
import { opencode } from './opencode.js';
import { vscode } from './vscode.js';
import { windsurf } from './windsurf.js';
import { zed } from './zed.js';

/** MCP clients whose configuration {@link importServers} reads and {@link exportServers} writes. */
export type InteropClient =
  | 'claude-code'
  | 'claude-desktop'
  | 'codex'
  | 'cursor'
  | 'gemini'
  | 'mcporter'
  | 'opencode'
  | 'vscode'
  | 'windsurf'
  | 'zed';

/** The configuration format of each client. */
export const clientFormats: Readonly<Record<InteropClient, ClientFormat>> = {
  'claude-code': claudeCode,
  'claude-desktop': claudeDesktop,
  codex,
  cursor,
  gemini,
  mcporter,
  opencode,
  vscode,
  windsurf,
  zed,
};
