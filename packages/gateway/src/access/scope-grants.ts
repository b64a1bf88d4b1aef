import { FittingsError } from '@mcp-fittings/client-core';
import { matchesWildcard } from '@mcp-fittings/toolbox/text';
import type { Caller, ItemKind } from '../contracts/caller.js';
import type { AccessTokenClaims } from './access-token.js';
import type { OAuthResourceOptions } from './oauth-resource.js';

type Scopes = NonNullable<OAuthResourceOptions['scopes']>;

/** A server that a scope grants. */
type ServerGrant = Exclude<Exclude<Scopes, (...args: never) => unknown>[string], '*'>[number];

/** {@link OAuthResourceOptions.scopes}, ready to be asked. */
export interface ScopeGrants {
  /** Returns what a token allows; undefined if its scopes grant nothing. */
  allows(claims: AccessTokenClaims): NonNullable<Caller['allows']> | undefined;
  /** Returns the scopes to request for a server (or an item of it), or for the gateway as a whole. */
  needed(server: string | undefined, item?: GrantedItem): readonly string[];
}

/** Something of a server that a request is about. */
export interface GrantedItem {
  readonly kind: ItemKind;
  readonly name: string;
}

/** Creates {@link ScopeGrants}. Without scopes, every valid token allows everything. Throws `CONFIG_INVALID`. */
export function createScopeGrants(scopes: Scopes | undefined): ScopeGrants {
  if (scopes === undefined) return { allows: () => () => true, needed: () => [] };
  if (typeof scopes === 'function') return { allows: scopes, needed: () => [] };
  // A map: the scopes of a token may be named like members of Object.prototype.
  const grants = new Map<string, readonly ('*' | ServerGrant)[]>(
    Object.entries(scopes).map(([scope, grant]) => [scope, grant === '*' ? ['*'] : grant]),
  );
  const supported = [...grants.keys()];
  if (supported.length === 0 || !supported.every((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))) {
    throw new FittingsError('CONFIG_INVALID', '"scopes" must name at least one scope, and valid ones only.', {
      hint: 'A scope has printable ASCII characters other than space, " and \\.',
    });
  }
  return {
    allows(claims) {
      const granted = scopesOf(claims).flatMap((scope) => grants.get(scope) ?? []);
      if (granted.length === 0) return undefined;
      return (server, name, kind = 'tool') => {
        const item = name === undefined ? undefined : { kind, name };
        return granted.some((grant) => covers(grant, server, item));
      };
    },
    needed(server, item) {
      if (server === undefined) return supported;
      const narrowest = [...grants].find(([, granted]) =>
        granted.some((grant) => covers(grant, server, item)),
      );
      return narrowest === undefined ? [] : [narrowest[0]];
    },
  };
}

function covers(grant: '*' | ServerGrant, server: string, item: GrantedItem | undefined): boolean {
  if (grant === '*') return true;
  if (grant.server !== server) return false;
  if (item === undefined) return true;
  const { tools, prompts, resources } = grant;
  if (tools === undefined && prompts === undefined && resources === undefined) return true;
  const patterns = { tool: tools, prompt: prompts, resource: resources }[item.kind] ?? [];
  return patterns.some((pattern) => matchesWildcard(item.name, pattern));
}

/** `scope` of RFC 9068; `scp` as Microsoft Entra, Okta and others send it. */
function scopesOf({ scope, scp }: AccessTokenClaims): readonly string[] {
  return [scope, scp].flatMap((value) => {
    if (typeof value === 'string') return value.split(' ').filter((each) => each !== '');
    return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
  });
}
