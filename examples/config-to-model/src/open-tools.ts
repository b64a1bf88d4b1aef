import { keychainStore } from '@mcp-fittings/store-keychain';
import { interactionForEnvironment, oauth, type EnvironmentOptions } from '@mcp-fittings/auth-oauth';
import {
  createFileApprovalStore,
  createServerApprovals,
  formatProblem,
  layouts,
  loadConfig,
  type ServerApprovalsOptions,
} from '@mcp-fittings/config';
import { createHost, type Host } from '@mcp-fittings/host';
import { memoryStore } from '@mcp-fittings/store-file';
import { createToolPolicy, createTools, type Confirm, type Tools } from '@mcp-fittings/tools';
import { http } from '@mcp-fittings/transport-http';
import { sse } from '@mcp-fittings/transport-sse';
import { stdio } from '@mcp-fittings/transport-stdio';

export interface AgentOptions {
  /** The project: its configuration files are read. */
  readonly cwd: string;
  /** The home directory of the user: its configuration files are read, and approvals are saved there. */
  readonly home: string;
  /** Asks whether a server from a file of the project may be used: `once`, `always`, `no` or `never`. */
  readonly approveServer: NonNullable<ServerApprovalsOptions['approve']>;
  /** Asks whether a tool may run: `once`, `always-tool`, `always-server` or `cancel`. */
  readonly confirmCall: Confirm;
  /** How the user signs in if there is no browser. */
  readonly signIn: EnvironmentOptions;
}

export interface OpenTools {
  readonly host: Host;
  readonly tools: Tools;
  close(): Promise<void>;
}

/** Reads configuration files, connects their servers and offers their tools to a model. */
export async function openTools(options: AgentOptions): Promise<OpenTools> {
  const { cwd, home, approveServer, confirmCall, signIn } = options;
  const transports = [stdio(), http({ fallback: sse() })];

  const config = await loadConfig({
    layout: layouts.claude,
    cwd,
    home,
    plugins: transports,
    approvals: createServerApprovals({ store: createFileApprovalStore({ home }), approve: approveServer }),
  });
  for (const problem of config.problems) console.error(formatProblem(problem));

  const keychain = keychainStore({ service: 'my-agent' });
  const { state, error } = await keychain.status();
  if (error !== undefined) console.error(`Sign-ins last until this program ends: ${error.message}`);
  const store = state === 'available' ? keychain : memoryStore();

  const host = createHost({
    name: 'my-agent',
    version: '1.0.0',
    transports,
    auth: [oauth({ clientName: 'My agent', store, interaction: interactionForEnvironment(signIn) })],
    identityOf: (name) => config.identities[name],
  });
  await host.connect(config.servers);

  const tools = createTools(host, {
    policy: createToolPolicy({ servers: config.servers }),
    confirm: confirmCall,
    skipDenied: true,
  });
  return {
    host,
    tools,
    async close() {
      await tools.close();
      await host.close();
      await keychain.close();
    },
  };
}
