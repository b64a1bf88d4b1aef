import { isRecord } from '@mcp-fittings/toolbox/messages';
import { PROJECT_PLACEHOLDER } from '../../layout/layout.js';
import { chain, readFields, sameNames, writeFields, type ClientFormat } from './client-format.js';
import { writeShellVariables } from './client-variables.js';

const TITLE = 'Claude Code';
const FIELDS = sameNames('type', 'command', 'args', 'env', 'url', 'headers', 'timeout');
const OAUTH_FIELDS = ['clientId', 'callbackPort', 'authServerMetadataUrl', 'scopes'];

/** Fields and variables are nearly the same as ours. @see https://code.claude.com/docs/en/mcp */
export const claudeCode: ClientFormat = {
  title: TITLE,
  transports: ['stdio', 'http', 'sse', 'ws'],
  format: 'json',
  servers: [['mcpServers']],
  projectServers: ['projects', PROJECT_PLACEHOLDER, 'mcpServers'],
  files: () => [
    { base: 'project', path: '.mcp.json' },
    { base: 'home', path: '.claude.json' },
  ],
  read: (entry) => readFields('claude-code', entry),
  write(entry) {
    const rules = {
      ...FIELDS,
      oauth: (value: unknown, draft: Record<string, unknown>): string | undefined => {
        if (!isRecord(value)) return `"oauth" has no equivalent in ${TITLE} and was removed.`;
        const kept = Object.entries(value).filter(([field]) => OAUTH_FIELDS.includes(field));
        if (kept.length > 0) draft['oauth'] = Object.fromEntries(kept);
        const lost = Object.keys(value).filter(
          (field) => field !== 'enabled' && !OAUTH_FIELDS.includes(field),
        );
        return lost.length === 0
          ? undefined
          : `${lost.join(', ')} of "oauth" have no equivalent in ${TITLE} and were removed.`;
      },
    };
    return chain(writeFields('claude-code', TITLE, entry, rules), (converted) =>
      writeShellVariables(converted, TITLE),
    );
  },
};
