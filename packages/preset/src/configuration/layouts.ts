import { FittingsError } from '@mcp-fittings/client-core';
import { didYouMean } from '@mcp-fittings/toolbox/text';
import { type Layout, defineLayout, layouts } from '@mcp-fittings/config';

/** Name of a set of configuration files: `fittings`, or those that a program reads. */
export type LayoutName = 'fittings' | 'mcp-json' | 'blade' | 'kode' | 'claude' | 'gemini';

/** File for the user's own servers, in all projects and in one project. */
const HOME_FILE = '.config/mcp-fittings/servers.json';

/** The `.mcp.json` of a project, which most programs share, and one file of the user. */
const fittings = defineLayout({
  name: 'fittings',
  sources: [
    { scope: 'user', base: 'home', path: HOME_FILE, servers: [['mcpServers']] },
    { scope: 'project', base: 'project', path: '.mcp.json', servers: [['mcpServers'], []] },
    {
      scope: 'local',
      base: 'home',
      path: HOME_FILE,
      servers: [['projects', '{project}', 'mcpServers']],
    },
  ],
});

/** For programs that read no files. */
const none = defineLayout({ name: 'none', sources: [] });

const NAMED: Readonly<Record<LayoutName, Layout>> = {
  fittings,
  'mcp-json': layouts.mcpJson,
  blade: layouts.blade,
  kode: layouts.kode,
  claude: layouts.claude,
  gemini: layouts.gemini,
};

/** Returns the layout that an option names. Throws `CONFIG_INVALID` for an unknown name. */
export function layoutOf(layout: LayoutName | Layout | false = 'fittings'): Layout {
  if (layout === false) return none;
  if (typeof layout !== 'string') return layout;
  if (Object.hasOwn(NAMED, layout)) return NAMED[layout];
  const names = Object.keys(NAMED);
  throw new FittingsError('CONFIG_INVALID', `There is no layout "${layout}".`, {
    hint: didYouMean(layout, names, `The layouts are ${names.join(', ')}.`),
  });
}
