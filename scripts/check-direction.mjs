/**
 * Which package may depend on which. DESIGN: direction is one way; never transport to transport, never transport to
 * auth, never core to anything. knip makes sure that what is imported is also declared, so the manifests tell the truth.
 */
import { fileURLToPath } from 'node:url';
import { readManifests } from './workspace.mjs';

const SCOPE = '@mcp-fittings/';

/** Every package and the packages of ours that it may have as run-time dependencies. */
export const ALLOWED = {
  'client-core': [],
  'net-policy': ['client-core'],
  network: ['client-core', 'net-policy'],
  testkit: ['client-core'],
  'transport-stdio': ['client-core'],
  'transport-inprocess': ['client-core'],
  'transport-ws': ['client-core', 'net-policy'],
  'transport-http': ['client-core', 'net-policy', 'network'],
  'transport-sse': ['client-core', 'net-policy', 'network'],
  'token-store': ['client-core'],
  'auth-keychain': ['client-core', 'token-store'],
  'store-redis': ['client-core', 'token-store'],
  'auth-oauth': ['client-core', 'network', 'token-store'],
  'auth-xaa': ['client-core', 'network', 'token-store', 'auth-oauth'],
  'auth-google': ['client-core', 'network'],
  config: ['client-core'],
  host: ['client-core'],
  tools: ['client-core', 'host'],
  // The composition root: it puts everything together, and nothing depends on it.
  cli: [
    'client-core',
    'net-policy',
    'network',
    'token-store',
    'auth-keychain',
    'auth-oauth',
    'auth-xaa',
    'auth-google',
    'config',
    'host',
    'tools',
    'transport-stdio',
    'transport-inprocess',
    'transport-http',
    'transport-sse',
    'transport-ws',
  ],
};

/** What is wrong with these manifests, one sentence each. */
export function directionProblems(manifests) {
  return manifests.flatMap(({ folder, manifest }) => {
    const allowed = ALLOWED[folder];
    if (allowed === undefined)
      return [`packages/${folder} is not in the table of scripts/check-direction.mjs`];
    const declared = {
      ...manifest.dependencies,
      ...manifest.optionalDependencies,
      ...manifest.peerDependencies,
    };
    return Object.keys(declared)
      .filter((name) => name.startsWith(SCOPE) && !allowed.includes(name.slice(SCOPE.length)))
      .map((name) => `packages/${folder} must not depend on ${name}`);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problems = directionProblems(readManifests(process.cwd()));
  for (const problem of problems) console.error(problem);
  console.log(
    problems.length === 0 ? 'Dependencies point one way.' : `${problems.length} wrong dependencies.`,
  );
  process.exitCode = problems.length === 0 ? 0 : 1;
}
