/** Connects a host once, so that its cache knows the tools of all servers. */
import { openHost } from './many-servers-host.mjs';

const [, , folder, servers] = process.argv;
const host = openHost(folder);
await host.connect(JSON.parse(servers));
await host.close();
process.exit();
