import { defineLayout, layouts, PROJECT_PLACEHOLDER, type Layout } from '@mcp-fittings/config';
import type { LayoutName } from '../global-options.js';

/** One file in the home directory for the person's own servers and those of one project that nobody else gets. */
const HOME_FILE = '.config/mcp-fittings/servers.json';

/** The CLI's own places: a project's `.mcp.json`, as everybody has it, and one file of the person. */
const fittings = defineLayout({
  name: 'fittings',
  sources: [
    { scope: 'user', base: 'home', path: HOME_FILE, servers: [['mcpServers']] },
    { scope: 'project', base: 'project', path: '.mcp.json', servers: [['mcpServers'], []] },
    {
      scope: 'local',
      base: 'home',
      path: HOME_FILE,
      servers: [['projects', PROJECT_PLACEHOLDER, 'mcpServers']],
    },
  ],
});

export const LAYOUTS: Readonly<Record<LayoutName, Layout>> = {
  fittings,
  'mcp-json': layouts.mcpJson,
  blade: layouts.blade,
  kode: layouts.kode,
  claude: layouts.claude,
  gemini: layouts.gemini,
};
