import { isRecord } from '@mcp-fittings/client-core';
import { convertFields, chain, sameNames, type ClientFormat } from './client-format.js';
import { writeShellVariables } from './client-variables.js';

const TITLE = 'Claude Code';
const FIELDS = sameNames('type', 'command', 'args', 'env', 'url', 'headers', 'timeout');
const OAUTH_FIELDS = ['clientId', 'callbackPort', 'authServerMetadataUrl', 'scopes'];

/** Nearest to our own form; the variables are the same. @see https://code.claude.com/docs/en/mcp */
export const claudeCode: ClientFormat = {
  title: TITLE,
  transports: ['stdio', 'http', 'sse', 'ws'],
  format: 'json',
  servers: [['mcpServers']],
  files: () => [
    { base: 'project', path: '.mcp.json' },
    { base: 'home', path: '.claude.json' },
  ],
  read: (entry) =>
    convertFields(entry, { ...FIELDS, oauth: 'oauth', alwaysLoad: null, description: 'description' }, 'here'),
  write(entry) {
    const rules = {
      ...FIELDS,
      oauth: (value: unknown, draft: Record<string, unknown>): string | undefined => {
        if (!isRecord(value)) return `"oauth" has no counterpart in ${TITLE} and was left out.`;
        const kept = Object.entries(value).filter(([field]) => OAUTH_FIELDS.includes(field));
        if (kept.length > 0) draft['oauth'] = Object.fromEntries(kept);
        const lost = Object.keys(value).filter(
          (field) => field !== 'enabled' && !OAUTH_FIELDS.includes(field),
        );
        return lost.length === 0
          ? undefined
          : `"oauth" lost ${lost.join(', ')}, which ${TITLE} does not keep there.`;
      },
    };
    return chain(convertFields(entry, rules, `in ${TITLE}`), (carried) =>
      writeShellVariables(carried, TITLE),
    );
  },
};
