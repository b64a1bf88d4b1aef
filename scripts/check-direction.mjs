/**
 * Checks which package depends on which. The direction is one way: no transport on another or on auth, and the core on
 * nothing. knip makes sure that what is imported is also declared, so the manifests tell the truth.
 */
import { fileURLToPath } from 'node:url';
import { readManifests } from './workspace.mjs';

const SCOPE = '@mcp-fittings/';

/** Every package and the packages of ours that it may have as run-time dependencies. */
export const ALLOWED = {
  'client-core': [],
  toolbox: ['client-core'],
  'http-client': ['client-core', 'toolbox'],
  testkit: ['client-core', 'toolbox'],
  'transport-stdio': ['client-core', 'toolbox'],
  'transport-inprocess': ['client-core', 'toolbox'],
  'transport-ws': ['client-core', 'toolbox'],
  'transport-http': ['client-core', 'toolbox', 'http-client'],
  'transport-sse': ['client-core', 'toolbox', 'http-client'],
  'store-file': ['client-core', 'toolbox'],
  'transport-shared': ['client-core', 'toolbox', 'transport-stdio'],
  'store-keychain': ['client-core', 'toolbox'],
  'store-redis': ['client-core', 'toolbox'],
  'auth-oauth': ['client-core', 'toolbox', 'http-client', 'store-file'],
  'auth-xaa': ['client-core', 'toolbox', 'store-file', 'auth-oauth'],
  'auth-google': ['client-core', 'toolbox', 'http-client'],
  config: ['client-core', 'toolbox'],
  host: ['client-core', 'toolbox'],
  'engine-sdk': ['client-core', 'toolbox', 'host'],
  tasks: ['client-core', 'toolbox'],
  tools: ['client-core', 'toolbox', 'host'],
  apps: ['client-core', 'toolbox', 'host', 'tools'],
  gateway: ['client-core', 'host', 'toolbox', 'tools'],
  'adapter-ai-sdk': ['client-core', 'tools'],
  'adapter-openai-agents': ['client-core', 'host', 'tools'],
  'adapter-langchain': ['tools'],
  'adapter-mastra': ['tools'],
  'adapter-claude-agent': ['client-core', 'host', 'tools'],
  // The composition root: it puts everything together, and only the command line depends on it.
  preset: [
    'client-core',
    'toolbox',
    'store-file',
    'store-keychain',
    'auth-oauth',
    'auth-xaa',
    'auth-google',
    'config',
    'host',
    'tools',
    'transport-stdio',
    'transport-http',
    'transport-sse',
    'transport-ws',
  ],
  cli: [
    'client-core',
    'toolbox',
    'http-client',
    'store-file',
    'auth-oauth',
    'config',
    'gateway',
    'host',
    'preset',
    'tools',
    'transport-http',
    'transport-shared',
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
