import type { TestAuthorizationServer } from './authorization-server.mjs';
import { startTokenedServer } from './tokened-server.js';

/** One request that came with a token. */
export interface SeenRequest {
  readonly token: string;
  /** Whom the authorization server gave the token to; undefined if it is not, or no longer, a token of its own. */
  readonly account: string | undefined;
  /** Whom the caller said it is: the argument `as` of a call. */
  readonly calledAs: string | undefined;
}

/** Two MCP servers of the official SDK, at `/one` and `/two`, that require a token and know whose it is. */
export interface PersonalServers extends AsyncDisposable {
  readonly origin: string;
  readonly one: string;
  readonly two: string;
  readonly seen: SeenRequest[];
  /** Tokens that are refused although their time is not over. */
  readonly dead: Set<string>;
}

export async function startPersonalServers(
  authorization: () => Pick<TestAuthorizationServer, 'find' | 'origin'>,
): Promise<PersonalServers> {
  const seen: SeenRequest[] = [];
  const dead = new Set<string>();
  const server = await startTokenedServer({
    issuer: () => authorization().origin,
    async personOf({ token, body }) {
      const account = dead.has(token) ? undefined : (await authorization().find(token))?.accountId;
      seen.push({ token, account, calledAs: /"as":"(\w+)"/.exec(body)?.[1] });
      return account;
    },
    whoami: (account) => `you are ${account}`,
    addTools: (mcp, account) =>
      mcp.registerTool(`tool_of_${account}`, { description: `For ${account}` }, () => ({ content: [] })),
  });
  return { ...server, one: `${server.origin}/one`, two: `${server.origin}/two`, seen, dead };
}
