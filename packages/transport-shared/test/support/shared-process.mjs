// The shared process, as `sharedStdio()` starts it. Its options, as JSON, are the first argument.
import { runSharedProcess } from '@mcp-fittings/transport-shared/server';

await runSharedProcess(JSON.parse(process.argv[2]));
