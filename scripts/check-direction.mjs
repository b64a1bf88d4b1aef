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
  'remote-policy': ['client-core'],
  'http-client': ['client-core', 'remote-policy'],
  testkit: ['client-core'],
  'transport-stdio': ['client-core'],
  'transport-inprocess': ['client-core'],
  'transport-ws': ['client-core', 'remote-policy'],
  'transport-http': ['client-core', 'remote-policy', 'http-client'],
  'transport-sse': ['client-core', 'remote-policy', 'http-client'],
  'store-file': ['client-core'],
  'transport-shared': ['client-core', 'store-file', 'transport-stdio'],
  'store-keychain': ['client-core', 'store-file'],
  'store-redis': ['client-core', 'store-file'],
  'auth-oauth': ['client-core', 'remote-policy', 'http-client', 'store-file'],
  'auth-xaa': ['client-core', 'remote-policy', 'store-file', 'auth-oauth'],
  'auth-google': ['client-core', 'remote-policy', 'http-client'],
  config: ['client-core'],
  host: ['client-core'],
  'engine-sdk': ['client-core', 'host'],
  tasks: ['client-core'],
  tools: ['client-core', 'host'],
  apps: ['client-core', 'host', 'tools'],
  gateway: ['client-core', 'host', 'remote-policy', 'tools'],
  'adapter-ai-sdk': ['client-core', 'tools'],
  'adapter-openai-agents': ['client-core', 'host', 'tools'],
  'adapter-langchain': ['tools'],
  'adapter-mastra': ['tools'],
  'adapter-claude-agent': ['client-core', 'host', 'tools'],
  // The composition root: it puts everything together, and nothing depends on it.
  cli: [
    'client-core',
    'remote-policy',
    'http-client',
    'store-file',
    'store-keychain',
    'auth-oauth',
    'auth-xaa',
    'auth-google',
    'config',
    'gateway',
    'host',
    'tools',
    'transport-stdio',
    'transport-inprocess',
    'transport-http',
    'transport-shared',
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
