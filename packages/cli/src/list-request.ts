import { type GlobalOptions, LAYOUT_NAMES, LIST_KINDS } from './options.js';
import type { OfferKind } from './commands/list-lines.js';

/** A `list` of what servers offer, without options that ask for more than that. */
export interface ListRequest extends Pick<
  GlobalOptions,
  'json' | 'verbose' | 'color' | 'layout' | 'mcpConfig' | 'strictMcpConfig' | 'store'
> {
  readonly kind: OfferKind;
  readonly names: readonly string[];
}

/**
 * Parses `list tools`, `list prompts` and `list resources` as commander does; undefined for every other command line, and for one
 * that commander would refuse.
 */
export function parseListRequest(argv: readonly string[]): ListRequest | undefined {
  const words: string[] = [];
  const mcpConfig: string[] = [];
  let [json, verbose, color, strictMcpConfig] = [false, false, true, false];
  let layout: GlobalOptions['layout'] = 'fittings';
  const rest = argv.values();
  for (const word of rest) {
    if (word === '--json') json = true;
    else if (word === '--verbose' || word === '-v') verbose = true;
    else if (word === '--no-color') color = false;
    else if (word === '--strict-mcp-config') strictMcpConfig = true;
    // Nothing is connected.
    else if (word === '--shared' || word === '--no-shared') continue;
    else if (word === '--mcp-config') {
      const { value } = rest.next();
      if (value === undefined) return undefined;
      mcpConfig.push(value);
    } else if (word === '--layout') {
      const { value } = rest.next();
      const known = LAYOUT_NAMES.find((name) => name === value);
      if (known === undefined) return undefined;
      layout = known;
    } else if (word.startsWith('-')) return undefined;
    else words.push(word);
  }
  const [command, asked, ...names] = words;
  const kind = LIST_KINDS.find((each) => each === asked);
  if (command !== 'list' || kind === undefined || kind === 'servers') return undefined;
  return { kind, names, json, verbose, color, layout, mcpConfig, strictMcpConfig };
}
