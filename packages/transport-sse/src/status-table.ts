import { createStatusTable, type StatusRow } from '@mcp-fittings/remote-policy';

const HINT = 'Check the URL. If the server speaks Streamable HTTP, use the type `http`.';

const row = (from: number, to = from): StatusRow => ({
  from,
  to,
  meaning: 'no-stream',
  code: 'ENDPOINT_INCOMPATIBLE',
  delivery: 'rejected',
  hint: HINT,
});

/**
 * What a status says of the GET that opens the event stream: some mean that there is none, and perhaps something else, and so
 * does a success that is not an event stream.
 */
export const STREAM_TABLE = createStatusTable([
  row(200, 299),
  row(400),
  row(404, 406),
  row(410),
  row(415),
  row(501),
]);

/** What a status says of a message: what it says in every remote transport. */
export const MESSAGE_TABLE = createStatusTable([]);
