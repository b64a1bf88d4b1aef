import { createStatusTable, type StatusRow } from '@mcp-fittings/remote-policy';

const HINT = 'Check the path of the URL, and that the server speaks MCP over WebSocket.';

const row = (from: number, to = from): StatusRow => ({
  from,
  to,
  meaning: 'no-websocket',
  code: 'ENDPOINT_INCOMPATIBLE',
  delivery: 'rejected',
  hint: HINT,
});

/** What a status says of a request for an upgrade: some mean that there is no WebSocket at that address. */
export const UPGRADE_TABLE = createStatusTable([row(200, 299), row(400), row(404, 405), row(426)]);
