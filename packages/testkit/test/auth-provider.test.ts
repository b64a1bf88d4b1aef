import { describe, expect, it } from 'vitest';
import { authProviderSuite } from '@mcp-fittings/testkit/auth-provider';
import { createReference, type ProviderFlaw } from './support/reference-provider.js';

const capabilities = { signsIn: true, renews: true, signsOut: true };

authProviderSuite(
  { describe, it },
  { name: 'reference', capabilities, setup: async () => createReference() },
);

/** Runs the suite with a provider that has a flaw; the names of the cases that fail. */
async function failures(flaw: ProviderFlaw): Promise<readonly string[]> {
  const cases: { readonly name: string; readonly run: () => Promise<void> }[] = [];
  authProviderSuite(
    { describe: (_name, define) => define(), it: (name, run) => void cases.push({ name, run }) },
    { name: flaw, capabilities, deadlineMs: 500, setup: async () => createReference(flaw) },
  );
  const failed: string[] = [];
  for (const { name, run } of cases) await run().catch(() => failed.push(name));
  return failed;
}

describe('a broken auth provider fails the case of the rule that it breaks', () => {
  it.each<[ProviderFlaw, string]>([
    ['wrong token', 'signs so that its server accepts the request'],
    ['bad header', 'returns headers with lower-case names and valid values'],
    ['signs for everybody', 'does not sign requests to another origin'],
    ['shows its token', 'does not show credentials when it is inspected or serialized'],
    ['renews always', 'neither asks a person nor renews while its credentials are valid'],
    ['does not renew', 'obtains new credentials when its current ones are refused, without asking a person'],
    ['renews for each', 'renews once for all requests that are refused at the same time'],
    ['renews for stale ones', 'does not renew for a refusal of credentials that it has replaced since'],
    ['leaks in its error', 'stops when the server refuses everything, with an error that a host can act on'],
    ['throws at a nonce', 'survives invalid challenges and nonces'],
    ['plain error', 'rejects with an AuthRequiredError that has the challenge when a person is needed'],
    ['asks by itself', 'rejects with an AuthRequiredError that has the challenge when a person is needed'],
    ['throws before the sign-in', 'has no credentials before the sign-in, and does not fail'],
    ['ignores abort', 'rejects a sign-in that is canceled before it begins'],
    ['keeps the old one', 'replaces its credentials in a second sign-in'],
    ['makes one up', 'replaces its credentials in a second sign-in'],
    ['keeps after sign-out', 'deletes its credentials when it signs out, also the second time'],
  ])('%s', async (flaw, name) => {
    expect(await failures(flaw)).toContain(name);
  });
});
