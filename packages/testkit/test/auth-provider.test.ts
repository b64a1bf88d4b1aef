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
    ['bad header', 'gives headers with lower-case names and values that can be sent'],
    ['signs for everybody', 'signs nothing for another origin'],
    ['shows its token', 'shows no credential when it is inspected or turned into JSON'],
    ['renews always', 'asks nobody and renews nothing while its credentials are good'],
    ['does not renew', 'gets other credentials when those that it has are refused, and asks nobody'],
    ['renews for each', 'renews once for all that are refused at the same time'],
    ['renews for stale ones', 'renews nothing for a refusal of credentials that it has replaced since'],
    [
      'leaks in its error',
      'comes to an end when the server refuses everything, with an error that a host can act on',
    ],
    ['throws at a nonce', 'survives challenges and nonces that make no sense'],
    ['plain error', 'says that a person is needed with an AuthRequiredError that holds the challenge'],
    ['asks by itself', 'says that a person is needed with an AuthRequiredError that holds the challenge'],
    ['throws before the sign-in', 'has nothing to sign with before the sign-in, and does not fail for it'],
    ['ignores abort', 'gives up a sign-in that is cancelled before it began'],
    ['keeps the old one', 'replaces its credentials in a second sign-in'],
    ['keeps after sign-out', 'forgets its credentials when it signs out, also the second time'],
  ])('%s', async (flaw, name) => {
    expect(await failures(flaw)).toContain(name);
  });
});
