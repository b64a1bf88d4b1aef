import type { InteractionChooser, SignInInteraction } from '@mcp-fittings/auth-oauth';
import {
  type AuthPlugin,
  FittingsError,
  type ServerConfig,
  type TokenStore,
  type TransportPlugin,
} from '@mcp-fittings/client-core';
import type { InputQuestion, Layout, ServerApprovalsOptions } from '@mcp-fittings/config';
import type { HostOptions } from '@mcp-fittings/host';
import type { Confirm, ToolsOptions } from '@mcp-fittings/tools';
import { checkMember, checkOptions, type OptionNames } from '@mcp-fittings/toolbox/entries';
import type { LayoutName } from './configuration/layouts.js';
import type { HostProblem } from './problems.js';

/** Options of `openHost()`. Only `name` and `version` are required. */
export interface OpenHostOptions extends Pick<
  HostOptions,
  'name' | 'version' | 'title' | 'callbacks' | 'logger' | 'clock'
> {
  /** Servers of the program itself, by name, in addition to those of files. They need no approval. Default: none. */
  readonly servers?: Readonly<Record<string, ServerConfig>> | undefined;
  /**
   * Names the configuration files to read: the name of a layout, one of your own (`defineLayout` of `@mcp-fittings/config`), or false for
   * none. Default `fittings`: `.mcp.json` of the project, and `~/.config/mcp-fittings/servers.json`.
   */
  readonly layout?: LayoutName | Layout | false | undefined;
  /** A folder of the project. Default: `process.cwd()`. */
  readonly cwd?: string | undefined;
  /** The home directory, with the user's configuration, approvals and private files. Default: that of the operating system. */
  readonly home?: string | undefined;
  /** Environment in which `${NAME}` in entries is expanded. Default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;

  /**
   * Shows the user the question whether a server that came with the project may be used, and resolves to the answer. Default: such a
   * server is not started, and is a problem.
   */
  readonly approve?: ServerApprovalsOptions['approve'];
  /**
   * Asks the user for the value of an input, `${input:ID}` in an entry, and resolves to it, or to undefined if there is no answer. It is called once
   * for each input of an entry: the value is kept in `store`. Default: such a server is not started, and is a problem.
   */
  readonly askInput?: ((question: InputQuestion) => Promise<string | undefined>) | undefined;
  /** Asks the user whether a tool may run, if its entry does not say so. Default: such a call fails with `APPROVAL_REQUIRED`. */
  readonly confirm?: Confirm | undefined;
  /** Signs the user in. Default: `interactionForEnvironment()` of `@mcp-fittings/auth-oauth`, which opens the browser of a desktop. */
  readonly interaction?: SignInInteraction | InteractionChooser | undefined;

  /**
   * Keeps credentials: in the keychain of the operating system, in unencrypted private files, in memory until the program ends, or in a
   * store of your own, which stays open. No other store is used in its place if it fails. Default `keychain`.
   */
  readonly store?: 'keychain' | 'file' | 'memory' | TokenStore | undefined;
  /**
   * Asks the user before credentials are first written unencrypted below `path`, with `store: 'file'`. Unless it resolves with true,
   * writing rejects with `POLICY_DENIED`. Default: refuses.
   */
  readonly plaintextConsent?: ((question: { readonly path: string }) => Promise<boolean>) | undefined;
  /** Transports besides the installed ones. One with the same `type` replaces the installed one. Default: none. */
  readonly transports?: readonly TransportPlugin[] | undefined;
  /** Sign-in schemes that are asked before the installed ones. Default: none. */
  readonly auth?: readonly AuthPlugin[] | undefined;
  /** Transports and sign-in schemes to leave out, such as `['stdio']` for a program that must not start others. Default: none. */
  readonly without?: readonly ('stdio' | 'http' | 'sse' | 'ws' | 'oauth' | 'xaa' | 'google')[] | undefined;

  /** Other options of `createHost()`, such as `lazy`, `intercept`, `cache` and `limits`. Default: none. */
  readonly host?:
    | Omit<
        Partial<HostOptions>,
        'name' | 'version' | 'title' | 'transports' | 'auth' | 'identityOf' | 'callbacks' | 'logger' | 'clock'
      >
    | undefined;
  /** Other options of `createTools()`, such as `naming`, `pins` and `spill`, or another `policy`. Default: none. */
  readonly tools?: Omit<ToolsOptions, 'confirm'> | undefined;
  /**
   * If true, servers follow the files: they are added, replaced and removed in the running host when files or approvals change. The servers
   * of a file that cannot be read stay as they were. Default: false.
   */
  readonly follow?: boolean | undefined;
  /** Called with each problem of the configuration that arises after the host was opened. Default: none; see `problems`. */
  readonly onProblem?: ((problem: HostProblem) => void) | undefined;
  /** Aborts reading the configuration. */
  readonly signal?: AbortSignal | undefined;
}

const OPTIONS: OptionNames<OpenHostOptions> = {
  name: true,
  version: true,
  title: true,
  callbacks: true,
  logger: true,
  clock: true,
  servers: true,
  layout: true,
  cwd: true,
  home: true,
  env: true,
  follow: true,
  approve: true,
  askInput: true,
  confirm: true,
  interaction: true,
  onProblem: true,
  store: true,
  plaintextConsent: true,
  transports: true,
  auth: true,
  without: true,
  host: true,
  tools: true,
  signal: true,
};

const STORES = { keychain: true, file: true, memory: true } as const;
const PARTS = { stdio: true, http: true, sse: true, ws: true, oauth: true, xaa: true, google: true } as const;

/** Throws `CONFIG_INVALID` if `name` or `version` is missing, and for an option or a value that `openHost()` does not have. */
export function checkOpenHostOptions(options: OpenHostOptions): void {
  const given = checkOptions('openHost()', options, OPTIONS);
  const missing = ['name', 'version'].filter((member) => typeof given[member] !== 'string');
  if (missing.length > 0) {
    throw invalid(
      `openHost() requires the name and version of your program as strings; missing: ${missing.join(', ')}.`,
      "Pass them, for example: openHost({ name: 'my-agent', version: '1.0.0' }).",
    );
  }
  for (const member of ['transports', 'auth']) {
    if (given[member] !== undefined && !Array.isArray(given[member]))
      throw invalid(`The option "${member}" of openHost() must be an array of plugins.`);
  }
  const { store, without = [] } = given;
  if (typeof store === 'string') checkMember('The option "store" of openHost()', 'value', store, STORES);
  for (const part of Array.isArray(without) ? without : [without])
    checkMember('The option "without" of openHost()', 'value', part, PARTS);
}

function invalid(message: string, hint?: string): FittingsError {
  return new FittingsError('CONFIG_INVALID', message, { hint, delivery: 'not-sent' });
}
