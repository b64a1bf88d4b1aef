/** What the client does in each scenario. One host, one configuration for all of them. */
import { oauth } from '@mcp-fittings/auth-oauth';
import { xaa, XAA_EXTENSION } from '@mcp-fittings/auth-xaa';
import { sdkV2 } from '@mcp-fittings/engine-sdk/v2';
import { createHost } from '@mcp-fittings/host';
import { createSkills } from '@mcp-fittings/host/skills';
import { memoryStore } from '@mcp-fittings/store-file';
import { http } from '@mcp-fittings/transport-http';
import { parse as parseYaml } from 'yaml';
import { MACHINES, NEW, SINGLE, SPANNING, WORKLOAD, XAA_2025, XAA_2026 } from './auth-scenarios.mjs';
import { headless } from './headless.mjs';

/** Without `CONFORMANCE_ENGINE=sdk`, the host speaks MCP itself. */
const engine = process.env.CONFORMANCE_ENGINE === 'sdk' ? sdkV2() : undefined;

/** If a scenario does not name one, no request goes there. */
const NO_COMPANY = { identityProvider: { issuer: 'https://idp.conformance-test.local', clientId: 'none' } };

/** Connects as any host would, hands the host to `work`, and closes. */
async function connected(url, work, oauthEntry = {}, { credentials = {}, company = NO_COMPANY } = {}) {
  const store = memoryStore();
  const host = createHost({
    name: 'mcp-fittings-conformance',
    version: '0.1.0',
    extensions: { 'io.modelcontextprotocol/skills': {}, [XAA_EXTENSION]: {} },
    engine,
    transports: [http()],
    auth: [
      xaa({ store, ...company }),
      oauth({
        store,
        interaction: headless(),
        clientName: 'mcp-fittings conformance',
        clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
        ...credentials,
      }),
    ],
    callbacks: {
      elicit: async () => ({ action: 'accept', content: {} }),
      sample: async () => ({ role: 'assistant', model: 'none', content: { type: 'text', text: 'sampled' } }),
      roots: async () => [],
    },
  });
  try {
    let [server] = await host.connect({ server: { url, oauth: oauthEntry, reconnect: { maxAttempts: 0 } } });
    // The server may send us to another authorization server while we connect.
    for (let signIns = 0; server.state.status === 'needs-auth' && signIns < 3; signIns++) {
      await host.signIn('server').catch(unlessAuthRequired);
      server = host.server('server');
    }
    if (server.state.status !== 'connected')
      throw server.state.error ?? new Error(`state: ${server.state.status}`);
    await work(host);
  } finally {
    await host.close();
  }
}

/** A required sign-in is not a failure of a sign-in that worked. */
function unlessAuthRequired(error) {
  if (error.code !== 'AUTH_REQUIRED') throw error;
}

const call = (host, tool, args) => host.callTool({ server: 'server', tool }, args);

const justConnect = ({ url }) => connected(url, async () => undefined);

const callOne =
  (tool, args) =>
  ({ url }) =>
    connected(url, (host) => call(host, tool, args));

/** Everything the server offers is used once. */
async function useEverything(host) {
  for (const { name } of host.tools()) await call(host, name, {});
  for (const { uri } of host.resources()) await host.readResource({ server: 'server', uri });
  for (const { name } of host.prompts()) await host.getPrompt({ server: 'server', prompt: name });
}

async function customHeaders({ url, context }) {
  await connected(url, async (host) => {
    for (const { name, arguments: args } of context.toolCalls ?? []) await call(host, name, args);
  });
}

async function requestState({ url }) {
  await connected(url, async (host) => {
    await call(host, 'test_mrtr_echo_state', {});
    await call(host, 'test_mrtr_no_state', {});
    await call(host, 'test_mrtr_unrelated', {});
    // The server answers with something that is not a result: the call fails, and is not tried again.
    await call(host, 'test_mrtr_no_result_type', {}).catch(() => undefined);
  });
}

async function echoSchema({ url }) {
  await connected(url, async (host) => {
    const tool = host.tools().find(({ name }) => name === 'json_schema_2020_12_tool');
    await call(host, 'json_schema_echo', { schema: tool.inputSchema });
  });
}

async function listSkills({ url }) {
  await connected(url, (host) => createSkills({ host, server: 'server', parseYaml }).list());
}

/** Loads a skill as a host does: SKILL.md, then, if that was what was listed, its other files. */
async function loadSkills({ url }) {
  await connected(url, async (host) => {
    const skills = createSkills({ host, server: 'server', parseYaml });
    for (const skill of (await skills.list()).skills) {
      await skills.read(skill);
      const files = skill.files === 'dynamic' ? [] : skill.files;
      for (const { uri } of files) await skills.read(skill, uri);
    }
  });
}

/** Lists and calls, and signs in as often as the server and the library think that it may help. */
async function signedIn({ url, context }) {
  const { client_id: clientId, client_secret: clientSecret } = context;
  await connected(
    url,
    async (host) => {
      for (;;) {
        try {
          return await call(host, 'test-tool', {});
        } catch (error) {
          if (error.code !== 'AUTH_REQUIRED') throw error;
          await host.signIn('server');
        }
      }
    },
    { clientId, clientSecret },
  );
}

/** Signs in as itself, by what the scenario hands over: a secret, a key, or the JWT of a workload. */
async function signedInAlone({ url, context }) {
  const { client_id: clientId, client_secret: clientSecret, private_key_pem: pem, valid_jwt: jwt } = context;
  const grant = jwt === undefined ? 'client_credentials' : 'jwt_bearer';
  await connected(
    url,
    (host) => call(host, 'test-tool', {}),
    { grant, clientId, clientSecret },
    { credentials: { clientKey: pem && { key: await keyOf(pem) }, assertion: () => jwt } },
  );
}

/** Signs in with what the identity provider of the company said of the person, which the scenario hands over. */
async function signedInAtCompany({ url, context }) {
  const { client_id: clientId, client_secret: clientSecret } = context;
  await connected(
    url,
    (host) => call(host, 'test-tool', {}),
    { xaa: true, clientId, clientSecret },
    {
      company: {
        identityProvider: { issuer: context.idp_issuer, clientId: context.idp_client_id },
        subjectToken: () => ({ type: 'id_token', token: context.idp_id_token }),
      },
    },
  );
}

function keyOf(pem) {
  const bytes = Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64');
  return crypto.subtle.importKey('pkcs8', bytes, { name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign']);
}

const each = (names, run) => Object.fromEntries(names.map((name) => [name, run]));

export const scenarios = {
  ...each([...SPANNING, ...SINGLE, ...NEW], signedIn),
  ...each([...MACHINES, ...WORKLOAD], signedInAlone),
  ...each([...XAA_2025, ...XAA_2026], signedInAtCompany),
  initialize: justConnect,
  'request-metadata': justConnect,
  'json-schema-ref-no-deref': justConnect,
  tools_call: callOne('add_numbers', { a: 5, b: 3 }),
  'elicitation-sep1034-client-defaults': callOne('test_client_elicitation_defaults', {}),
  'sse-retry': callOne('test_reconnection', {}),
  'http-standard-headers': ({ url }) => connected(url, useEverything),
  'http-invalid-tool-headers': ({ url }) => connected(url, useEverything),
  'http-custom-headers': customHeaders,
  'sep-2322-client-request-state': requestState,
  'json-schema-2020-12-preservation': echoSchema,
  'sep-2640-client-no-prefetch': listSkills,
  'sep-2640-client-verify-digest': loadSkills,
  'sep-2640-client-verify-size': loadSkills,
  'sep-2640-client-verify-frontmatter': loadSkills,
};
