import type { HostStatistics } from './contracts/host.js';
import type { ConnectionStatus, ServerSnapshot } from './contracts/state.js';

export function statisticsOf(servers: readonly ServerSnapshot[]): HostStatistics {
  const byStatus: Partial<Record<ConnectionStatus, number>> = {};
  for (const { state } of servers) byStatus[state.status] = (byStatus[state.status] ?? 0) + 1;
  return {
    servers: servers.length,
    connected: byStatus.connected ?? 0,
    errored: (byStatus.failed ?? 0) + (byStatus['needs-auth'] ?? 0),
    tools: servers.reduce((sum, { counts }) => sum + counts.tools, 0),
    byStatus,
  };
}
