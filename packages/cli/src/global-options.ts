/** Options that every command takes, before or after its name. */
export interface GlobalOptions {
  /** One JSON document on stdout in place of text (or, where things go on, one a line). */
  readonly json: boolean;
  /** Errors with their causes and details, and what the packages log. */
  readonly verbose: boolean;
  /** False with `--no-color`. */
  readonly color: boolean;
  /** Where the configuration files are: one of {@link LAYOUT_NAMES}. */
  readonly layout: LayoutName;
  /** Values of `--mcp-config`: files or JSON; later ones win. */
  readonly mcpConfig: readonly string[];
  readonly strictMcpConfig: boolean;
  /** Values of `--plugin`: packages or files with third-party transports and sign-in schemes. */
  readonly plugin: readonly string[];
  /** Undefined: `FITTINGS_STORE`, else the store of the last sign-in that named one, else `keychain`. */
  readonly store?: StoreName | undefined;
}

/** `fittings` is the CLI's own; the others are those of `@mcp-fittings/config`. */
export const LAYOUT_NAMES = ['fittings', 'mcp-json', 'blade', 'kode', 'claude', 'gemini'] as const;
export type LayoutName = (typeof LAYOUT_NAMES)[number];

/** Where credentials are kept. There is no silent fallback from one to another. */
export const STORE_NAMES = ['keychain', 'file', 'memory'] as const;
export type StoreName = (typeof STORE_NAMES)[number];
