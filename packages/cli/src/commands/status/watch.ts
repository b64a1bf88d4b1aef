import { aborted } from '@mcp-fittings/client-core/timing';
import { watchConfig, type LoadedConfig } from '@mcp-fittings/config';
import type { CommandContext } from '../../command-context.js';
import { loadOptions } from '../../composition/load-servers.js';
import type { Session } from '../../composition/session.js';
import { secretsIn } from '../../composition/secrets.js';
import { createLiveRegion, type LiveRegion } from '../../output/live-region.js';
import { shown } from '../../output/shown.js';
import { sessionOptions } from '../open-session.js';
import { chosenRows } from './choose-rows.js';
import type { ServerRow } from './server-row.js';
import { statusLines } from './status-report.js';

/** Changes that come together are shown together, milliseconds. */
const CALM_MS = 50;

/** Shows the status until the person ends it: a table that is repainted, or a line for each server that changed. */
export async function watchStatus(
  context: CommandContext,
  session: Session,
  wanted: readonly string[] | undefined,
): Promise<void> {
  const { host, approvals, transports } = session;
  let { loaded } = session;
  const view = openView(context);
  const show = (): void => view.show(chosenRows(loaded, host.servers(), wanted, session.loginCommand));
  let timer: Disposable | undefined;
  const showSoon = (): void => {
    timer ??= context.clock.schedule(() => {
      timer = undefined;
      show();
    }, CALM_MS);
  };
  const connect = (config: LoadedConfig): void => {
    const named = Object.entries(config.servers).filter(([name]) => wanted?.includes(name) ?? true);
    // How it ends is in the table.
    void host.connect(Object.fromEntries(named)).then(showSoon, showSoon);
  };

  await using _watcher = await watchConfig({
    ...loadOptions(sessionOptions(context), approvals, transports),
    clock: context.clock,
    onChange(changes, config) {
      loaded = config;
      context.output.hide(secretsIn(config));
      for (const name of changes.removed) void host.remove(name).then(showSoon, showSoon);
      connect(config);
      showSoon();
    },
    onError: (error) => context.output.detail(shown(error.message)),
  });
  const subscriptions = [host.on('state', showSoon), host.on('catalog', showSoon)];
  connect(loaded);
  show();
  try {
    await aborted(context.signal);
    throw new Error('interrupted');
  } finally {
    for (const subscription of subscriptions) subscription[Symbol.dispose]();
    timer?.[Symbol.dispose]();
    view.close();
  }
}

interface View {
  show(rows: readonly ServerRow[]): void;
  close(): void;
}

/** On a terminal the table is on stdout, where the person looks; else each change is a line of its own. */
function openView(context: CommandContext): View {
  const { output, stdout } = context;
  if (output.json || output.columns === undefined) return lines(context);
  const region: LiveRegion = createLiveRegion({
    stream: stdout,
    columns: () => output.columns ?? 80,
    rows: () => context.live?.rows() ?? 24,
  });
  const kept = output.keepAbove(region);
  return {
    show: (rows) =>
      region.paint(statusLines(rows, output.style, output.columns).map((line) => output.redact(line))),
    close() {
      kept[Symbol.dispose]();
      region.finish();
    },
  };
}

function lines({ output, clock }: CommandContext): View {
  const before = new Map<string, string>();
  return {
    show(rows) {
      for (const name of before.keys()) {
        if (rows.some((row) => row.name === name)) continue;
        before.delete(name);
        output.event(
          { time: new Date(clock.now()).toISOString(), removed: name },
          () => `${shown(name)}: removed`,
        );
      }
      for (const row of rows) {
        const text = JSON.stringify(row);
        if (before.get(row.name) === text) continue;
        before.set(row.name, text);
        output.event({ time: new Date(clock.now()).toISOString(), server: row }, () => lineOf(row));
      }
    },
    close() {},
  };
}

function lineOf({ name, status, tools, error }: ServerRow): string {
  const more =
    status === 'connected' ? `, ${tools} tools` : error === undefined ? '' : `: ${shown(error.message)}`;
  return `${shown(name)}: ${status}${more}`;
}
