import { type GlobalOptions, LAYOUT_NAMES } from './options.js';

/** A `call` of one tool, without options that ask for more than that. */
export interface CallRequest extends Pick<
  GlobalOptions,
  'json' | 'verbose' | 'color' | 'layout' | 'mcpConfig' | 'strictMcpConfig' | 'store'
> {
  /** `server/tool`. */
  readonly target: string;
  readonly pairs: readonly string[];
  /** All arguments as JSON. */
  readonly args: string | undefined;
  /** Whether the server runs in the shared process. */
  readonly shared: boolean;
}

interface CallPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stderr: { readonly isTTY?: boolean };
}

/** Parses what {@link parseCall} does; undefined also for a shared call whose user could be asked something or sees progress. */
export function parseCallRequest(
  argv: readonly string[],
  { env, stderr }: CallPlace,
): CallRequest | undefined {
  const request = parseCall(argv, env);
  if (request === undefined) return undefined;
  // `@file` and `-` are read from elsewhere.
  if (request.args !== undefined && !request.args.trimStart().startsWith('{')) return undefined;
  return request.shared && stderr.isTTY === true && !request.json ? undefined : request;
}

/**
 * Parses `call server/tool` as commander does; undefined for every other command line, and for one that commander would refuse. To
 * load commander and declare all commands takes half as long as Node.js itself.
 */
export function parseCall(argv: readonly string[], env: CallPlace['env']): CallRequest | undefined {
  if (!argv.includes('call')) return undefined;
  const words: string[] = [];
  const pairs: string[] = [];
  const mcpConfig: string[] = [];
  let args: string | undefined;
  let [json, color, strictMcpConfig, shared] = [false, true, false, env['FITTINGS_SHARED'] === '1'];
  let layout: GlobalOptions['layout'] = 'fittings';
  const rest = argv.values();
  for (const word of rest) {
    if (word === '--json') json = true;
    else if (word === '--no-color') color = false;
    else if (word === '--strict-mcp-config') strictMcpConfig = true;
    else if (word === '--shared') shared = true;
    else if (word === '--no-shared') shared = false;
    else if (word === '-a' || word === '--arg' || word === '--mcp-config' || word === '--args') {
      const { value } = rest.next();
      if (value === undefined) return undefined;
      // Before its name, they are not options of the command, and a value may be a global option to commander.
      const isPlain = words.length > 0 && (value === '-' || !value.startsWith('-'));
      if (word !== '--mcp-config' && !isPlain) return undefined;
      if (word === '--args') args = value;
      else (word === '--mcp-config' ? mcpConfig : pairs).push(value);
    } else if (word === '--layout') {
      const { value } = rest.next();
      const known = LAYOUT_NAMES.find((name) => name === value);
      if (known === undefined) return undefined;
      layout = known;
    } else if (word.startsWith('-')) return undefined;
    else words.push(word);
  }
  const [command, target, ...more] = words;
  if (command !== 'call' || target === undefined || more.length > 0) return undefined;
  return { target, pairs, args, shared, json, verbose: false, color, layout, mcpConfig, strictMcpConfig };
}
