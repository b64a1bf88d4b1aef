import type { AuthProvider } from '@mcp-fittings/client-core';
import { memoryStore } from '@mcp-fittings/store-file';
import { createOAuthProvider, type Interaction, type OAuthProviderOptions } from '@mcp-fittings/auth-oauth';
import { REDIRECT, type FalseServer } from './false-server.js';

/** A person who signs in at once, and the pages that they were shown. */
export interface ScriptedSignIn {
  readonly opened: URL[];
  /** How each sign-in ended, as the person was told. */
  readonly shown: string[];
  /** The parameters of the redirect. */
  answer: (state: string) => string;
  readonly interaction: Interaction;
  provider(options?: Partial<OAuthProviderOptions>): AuthProvider;
  /** A provider that is signed in. */
  signedIn(options?: Partial<OAuthProviderOptions>): Promise<AuthProvider>;
  /** `signed in`, or the error. */
  signIn(options?: Partial<OAuthProviderOptions>): Promise<unknown>;
}

export function scriptSignIn(server: Pick<FalseServer, 'url'>): ScriptedSignIn {
  const scripted: ScriptedSignIn = {
    opened: [],
    shown: [],
    answer: (state) => `code=abc&state=${state}`,
    interaction: {
      async begin() {
        return {
          redirectUri: REDIRECT,
          async authorize({ url, state }) {
            scripted.opened.push(url);
            return new URLSearchParams(scripted.answer(state));
          },
          async finish(outcome) {
            scripted.shown.push(outcome);
          },
          async [Symbol.asyncDispose]() {},
        };
      },
    },
    provider: (options = {}) =>
      createOAuthProvider({
        url: server.url,
        server: 'test',
        store: memoryStore(),
        clientName: 'tests',
        interaction: scripted.interaction,
        ...options,
      }),
    async signedIn(options) {
      const provider = scripted.provider(options);
      await provider.signIn?.({});
      return provider;
    },
    async signIn(options) {
      try {
        await scripted.provider(options).signIn?.({ challenge: { url: new URL(server.url), status: 401 } });
        return 'signed in';
      } catch (error) {
        return error;
      }
    },
  };
  return scripted;
}

/** The MCP server whose documents `remoteDocuments` has. */
export const REMOTE = 'https://mcp.example/api';
/** Its authorization server. */
export const REMOTE_ISSUER = 'https://login.example';

/** Plain metadata of a server and its authorization server on other machines, with changes, and further documents by URL. */
export function remoteDocuments(issuer: object = {}, more: Readonly<Record<string, unknown>> = {}) {
  return documentsAt({
    'https://mcp.example/.well-known/oauth-protected-resource/api': {
      resource: REMOTE,
      authorization_servers: [REMOTE_ISSUER],
    },
    [`${REMOTE_ISSUER}/.well-known/oauth-authorization-server`]: {
      issuer: REMOTE_ISSUER,
      authorization_endpoint: `${REMOTE_ISSUER}/authorize`,
      token_endpoint: `${REMOTE_ISSUER}/token`,
      code_challenge_methods_supported: ['S256'],
      ...issuer,
    },
    ...more,
  });
}

/** Documents by URL, for hosts that a test cannot listen on. */
export function documentsAt(documents: Readonly<Record<string, unknown>>): {
  readonly asked: { readonly url: string; readonly body: string }[];
  readonly fetch: (url: string | URL, init?: { readonly body?: unknown }) => Promise<Response>;
} {
  const asked: { readonly url: string; readonly body: string }[] = [];
  return {
    asked,
    async fetch(url, init) {
      asked.push({
        url: String(url),
        body: init?.body instanceof URLSearchParams ? init.body.toString() : String(init?.body ?? ''),
      });
      const found = documents[String(url)];
      return found === undefined ? new Response(null, { status: 404 }) : Response.json(found);
    },
  };
}
