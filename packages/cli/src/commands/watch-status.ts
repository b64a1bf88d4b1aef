import { aborted } from '@mcp-fittings/toolbox/timing';
import { type LoadedConfig, watchConfig } from '@mcp-fittings/config';
import type { CommandDeps } from '../command-deps.js';
import { counted, printable } from '../output/printable.js';
import type { CommandSession } from '../session/open-session.js';
import { configSecrets } from '../session/secrets.js';
import { onChange } from './connect.js';
import { shortReason } from './server-reasons.js';
import { type ServerRow, serverRows } from './status-rows.js';
import { statusLines } from './status-table.js';

/** Changes within this time are shown together, in milliseconds. */
const CALM_MS = 50;

/** Shows the status until the user stops it: a table that is repainted, or a line for each server that changed. */
export async function watchStatus(
  deps: CommandDeps,
  session: CommandSession,
  wanted: readonly string[] | undefined,
): Promise<void> {
  const { host } = session;
  let { loaded } = session;
  const view = openView(deps);
  const show = (): void => view.show(serverRows(loaded, host.servers(), wanted, session.loginCommand));
  let timer: Disposable | undefined;
  const showSoon = (): void => {
    // Attempts to connect end once the user has stopped it, when the table has been left.
    if (deps.signal.aborted) return;
    timer ??= deps.clock.schedule(() => {
      timer = undefined;
      show();
    }, CALM_MS);
  };
  const connect = (config: LoadedConfig): void => {
    const named = Object.entries(config.servers).filter(([name]) => wanted?.includes(name) ?? true);
    // The table shows how it ends.
    void host.connect(Object.fromEntries(named)).then(showSoon, showSoon);
  };

  await using _watcher = await watchConfig({
    ...session.options,
    clock: deps.clock,
    onChange(changes, config) {
      loaded = config;
      deps.output.hide(configSecrets(config));
      for (const name of changes.removed) void host.remove(name).then(showSoon, showSoon);
      connect(config);
      showSoon();
    },
    onError: (error) => deps.output.detail(printable(error.message)),
  });
  try {
    using _changes = onChange(host, showSoon);
    connect(loaded);
    show();
    await aborted(deps.signal);
    throw new Error('interrupted');
  } finally {
    timer?.[Symbol.dispose]();
    view.close();
  }
}

interface View {
  show(rows: readonly ServerRow[]): void;
  close(): void;
}

/** Opens a table on stdout if lines can be repainted there; else prints each change as a line. */
function openView(deps: CommandDeps): View {
  const { output } = deps;
  const screen = output.openScreen();
  if (screen === undefined) return lines(deps);
  const { style, redact } = output;
  return {
    show: (rows) => screen.paint((columns) => statusLines(rows, { style, redact, columns })),
    close: () => screen[Symbol.dispose](),
  };
}

function lines({ output, clock }: CommandDeps): View {
  const before = new Map<string, string>();
  return {
    show(rows) {
      for (const name of before.keys()) {
        if (rows.some((row) => row.name === name)) continue;
        before.delete(name);
        output.event(
          { time: new Date(clock.now()).toISOString(), removed: name },
          () => `${printable(name)}: removed`,
        );
      }
      for (const row of rows) {
        const text = output.json ? JSON.stringify(row) : lineOf(row);
        if (before.get(row.name) === text) continue;
        before.set(row.name, text);
        output.event({ time: new Date(clock.now()).toISOString(), server: row }, () => lineOf(row));
      }
    },
    close() {},
  };
}

function lineOf(row: ServerRow): string {
  const { name, status, tools } = row;
  const more = status === 'connected' ? counted(tools, 'tool') : shortReason(row);
  return `${printable(name)}: ${status}${more === undefined ? '' : `, ${more}`}`;
}
