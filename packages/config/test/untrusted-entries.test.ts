import { rm, symlink } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { createServerApprovals } from '../src/approval/approvals.js';
import type { ApprovalRequest } from '../src/approval/approval-request.js';
import { variableRisk } from '../src/variables/risk.js';
import { layouts } from '../src/layout/built-in-layouts.js';
import type { LoadConfigOptions } from '../src/load/load-config.js';
import type { ServerPolicy } from '../src/policy/policy.js';
import { answering, codes, hasLinks, type Scratch, scratch, servers } from './support/scratch.js';

const { mcpJson } = layouts;

/** The questions about the servers of a project; each is answered with no. */
async function asking(place: Scratch, more: Partial<LoadConfigOptions> = {}) {
  const asked: ApprovalRequest[] = [];
  const approvals = createServerApprovals({
    approve: (request) => (asked.push(request), Promise.resolve('no')),
  });
  const config = await place.load({ layout: mcpJson, approvals, ...more });
  return { asked, config };
}

const question = async (entry: object, more: Partial<LoadConfigOptions> = {}): Promise<ApprovalRequest> => {
  const { asked } = await asking(await scratch({ 'project/.mcp.json': servers({ s: entry }) }), more);
  const [first] = asked;
  if (first === undefined) throw new Error('The person was not asked.');
  return first;
};

describe('a rule covers an entry only if no other field is set', () => {
  const npx = { command: 'npx', args: ['-y', 'tool'] };
  const web = { url: 'https://good.example/mcp' };
  const rules = [{ serverCommand: ['npx', '-y', 'tool'] }, { serverUrl: 'https://good.example/*' }];
  const more = {
    cwd: { ...npx, cwd: '/tmp/evil' },
    inheritEnv: { ...npx, inheritEnv: 'all' },
    framing: { ...npx, framing: 'newline' },
    proxy: { ...web, proxy: 'http://evil.example:3128' },
    ca: { ...web, ca: '/tmp/evil.pem' },
    oauth: { ...web, oauth: { authServerMetadataUrl: 'https://evil.example/m' } },
    google: { ...web, authProviderType: 'google_credentials' },
    unknown: { ...web, fieldOfNextYear: true },
  };

  it('rules of `trusted` leave such project servers to the user, and start others outside of the clone', async () => {
    const place = await scratch({
      'project/.mcp.json': servers({
        npx,
        web,
        typed: { type: 'stdio', ...npx },
        ...more,
        env: { ...npx, env: { NODE_OPTIONS: '--require ./evil.js' } },
        args: { ...npx, args: [...npx.args, '--x'] },
        headers: { ...web, headers: { a: 'b' } },
        leaks: { url: 'https://good.example/${SECRET}' },
        both: { ...web, type: 'stdio', command: 'evil' },
      }),
    });
    const approvals = createServerApprovals({ trusted: rules });
    const config = await place.load({ layout: mcpJson, approvals, env: { SECRET: 'x' } });
    expect(Object.keys(config.servers)).toEqual(['npx', 'web', 'typed']);
    expect(config.servers['npx']?.['cwd']).toBe(place.home);
    expect(() => createServerApprovals({ trusted: [{ serverName: 'x' } as never] })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
  });

  it('the allow list of a policy refuses them in every scope of the user', async () => {
    const place = await scratch({
      'home/.claude.json': servers({ npx, web, ...more }),
      'project/.mcp.json': servers({ fromProject: more.cwd }),
    });
    const options = { layout: layouts.claude, approvals: answering('once'), policy: { allow: rules } };
    const config = await place.load({ ...options, dynamic: { added: more.proxy } });
    expect(Object.keys(config.servers)).toEqual(['npx', 'web']);
    const why = config.problems.find(({ server }) => server === 'proxy')?.message;
    expect(why).toContain('it sets proxy, which no matching rule of the allow list lists in "fields"');
  });

  it('a rule may list further fields, in an administrator’s file too', async () => {
    const place = await scratch({
      'system/managed-settings.json': {
        allowedMcpServers: [{ serverCommand: ['npx', '-y', 'tool'], fields: ['cwd'] }],
      },
      'home/.claude.json': servers({ npx, ...more }),
    });
    expect(Object.keys((await place.load({ layout: layouts.claude })).servers)).toEqual(['npx', 'cwd']);
  });

  it('entries of the administrator may set any field', async () => {
    const place = await scratch({
      'system/managed-settings.json': { allowedMcpServers: rules },
      'system/managed-mcp.json': servers({ cwd: more.cwd, proxy: more.proxy }),
    });
    expect(Object.keys((await place.load({ layout: layouts.claude })).servers)).toEqual(['cwd', 'proxy']);
  });
});

describe('inheriting the environment is a use of variables', () => {
  it.each([
    ['all', 'all'],
    ['a list', ['AWS_SECRET_ACCESS_KEY']],
    ['a variable that could become all', '${MODE:-all}'],
    ['a list with a variable', ['${NAME:-AWS_SECRET_ACCESS_KEY}']],
    ['a pattern', ['*']],
    ['an object', { 0: 'AWS_SECRET_ACCESS_KEY' }],
  ])('refuses `inheritEnv` with %s if a project may use no variables', async (_, inheritEnv) => {
    const place = await scratch({ 'project/.mcp.json': servers({ s: { command: 'x', inheritEnv } }) });
    for (const projectVariables of ['deny', ['PATH']] as const) {
      const config = await place.load({ layout: mcpJson, approvals: answering('once'), projectVariables });
      expect(config.servers).toEqual({});
      expect(codes(config)).toContain('VARIABLE_REFUSED');
    }
    const remote = { r: { command: 'x', inheritEnv } };
    expect((await place.load({ layout: mcpJson, remote })).servers).toEqual({});
  });

  it('a list of names permits exactly those, and `safe` needs no permission', async () => {
    const place = await scratch({
      'project/.mcp.json': servers({
        ok: { command: 'x', inheritEnv: ['A'] },
        both: { command: 'x', inheritEnv: ['A', 'B'] },
        safe: { command: 'x', inheritEnv: 'safe' },
      }),
    });
    const options = { layout: mcpJson, approvals: answering('once'), projectVariables: ['A'] };
    expect(Object.keys((await place.load(options)).servers)).toEqual(['ok', 'safe']);
  });

  it('the question names the variables, and warns of all of them', async () => {
    const some = await question({ command: 'x', env: { K: '${AWS}' }, inheritEnv: ['AWS', 'MY KEY'] });
    expect(some.variables).toEqual([
      { name: 'AWS', fields: ['env.K', 'inheritEnv[0]'] },
      { name: 'MY KEY', fields: ['inheritEnv[1]'] },
    ]);
    const all = await question({ command: 'x', inheritEnv: 'all' });
    expect(all.variables).toEqual([{ name: '*', fields: ['inheritEnv'] }]);
    expect(all.warnings.join()).toContain('your whole environment');
    expect(all.text).toContain('  all of them in inheritEnv');
  });
});

describe('names without a project only preselect', () => {
  it.each([
    ['claude', 'home/.claude/settings.json', 'project/.mcp.json'],
    ['blade', 'home/.blade/config.json', 'project/.mcp.json'],
  ] as const)('%s: a name in %s approves no clone’s server', async (layout, list, file) => {
    const place = await scratch({
      [list]: { enabledMcpjsonServers: ['github', 'off'], disabledMcpjsonServers: ['off'] },
      [file]: servers({ github: { command: 'evil' }, off: { command: 'x' }, other: { command: 'x' } }),
    });
    const options = { layout: layouts[layout] };
    expect((await place.load(options)).servers).toEqual({});
    const { asked, config } = await asking(place, options);
    expect(asked.map(({ name, preselected }) => [name, preselected])).toEqual([
      ['github', true],
      ['other', false],
    ]);
    expect(asked[0]?.text).toContain('Your settings list a server with this name as wanted');
    expect(config.entries.find(({ name }) => name === 'off')?.status).toBe('rejected');
  });
});

describe('variables that change what a program does', () => {
  it.each(
    `PYTHONUSERBASE PERLLIB XDG_CONFIG_HOME PYTHONWARNINGS BROWSER PYTHONSTARTUP RUBYOPT GEM_PATH BUNDLE_GEMFILE LUA_INIT
    LUA_PATH_5_4 GIT_SSH_COMMAND GIT_CONFIG_COUNT SSH_ASKPASS JDK_JAVA_OPTIONS MAVEN_OPTS PHPRC R_PROFILE JULIA_LOAD_PATH
    NODE_V8_COVERAGE npm_config_node_options YARN_IGNORE_PATH DENO_DIR CARGO_HOME RUSTC_WRAPPER GOFLAGS GOTOOLCHAIN
    DOTNET_STARTUP_HOOKS COR_ENABLE_PROFILING COMPlus_Version EMACSLOADPATH VIMINIT LESSOPEN ERL_FLAGS GUILE_LOAD_PATH
    OCAMLRUNPARAM QT_PLUGIN_PATH GTK_MODULES GIO_MODULE_DIR KUBECONFIG AWS_CONFIG_FILE UV_INDEX_URL PIP_INDEX_URL
    POETRY_HOME OPENSSL_CONF BASH_ENV PSModulePath`.split(/\s+/),
  )('%s is known to be dangerous', (name) => {
    expect(variableRisk(name)).toBe('dangerous');
  });

  it('warns of unknown variables, and not of harmless ones', async () => {
    const env = { FROBNICATOR_HOOK: 'x', GITHUB_TOKEN: 't', WEATHER_API_KEY: 'k', LANG: 'C', NODE_ENV: 'p' };
    const { warnings } = await question({ command: 'x', env });
    expect(warnings).toEqual(['It sets "FROBNICATOR_HOOK". The effect of that on the program is unknown.']);
  });

  it('a policy permits only harmless variables and those that it lists', async () => {
    const place = await scratch({
      'home/.claude.json': servers({
        known: { command: 'npx', env: { API_KEY: 'k' } },
        unknown: { command: 'npx', env: { FROBNICATOR_HOOK: 'x' } },
        listed: { command: 'npx', env: { CORP_REGION: 'eu', CORP_MODE: 'x' } },
        partly: { command: 'npx', env: { CORP_REGION: 'eu', OTHER: 'x' } },
      }),
    });
    const names = async (policy: ServerPolicy): Promise<readonly string[]> =>
      Object.keys((await place.load({ layout: layouts.claude, policy })).servers);
    const environment = ['CORP_*'];
    expect(await names({ allow: [{ serverCommand: ['npx'] }], environment })).toEqual(['known', 'listed']);
    expect(await names({ refuseDangerousEnvironment: true })).toEqual(['known']);
    expect(await names({ deny: [{ serverName: 'x' }] })).toHaveLength(4);
  });
});

describe('a managed policy fails closed', () => {
  it.runIf(hasLinks)('a broken link in place of the file or its folder permits nothing', async () => {
    const place = await scratch({ 'home/.claude.json': servers({ s: { command: 'x' } }) });
    await symlink(place.path('nowhere'), place.path('system/managed-settings.json'));
    expect((await place.load({ layout: layouts.claude })).servers).toEqual({});
    await rm(place.system, { recursive: true });
    await symlink(place.path('nowhere'), place.system);
    expect((await place.load({ layout: layouts.claude })).servers).toEqual({});
  });

  it.runIf(hasLinks)('a managed file that is a broken link leaves no server of the user', async () => {
    const place = await scratch({ 'home/.claude.json': servers({ s: { command: 'x' } }) });
    await symlink(place.path('nowhere'), place.path('system/managed-mcp.json'));
    expect((await place.load({ layout: layouts.claude })).servers).toEqual({});
  });
});

describe('a missing variable is never sent', () => {
  it.each([
    ['a URL', { url: 'https://${MISSING}/mcp' }],
    ['an argument, without braces', { command: 'x', args: ['$MISSING'] }],
    ['a malformed reference', { command: 'x', args: ['${not a name}'] }],
  ])('gemini: a missing variable in %s is an error', async (_, entry) => {
    const place = await scratch({ 'home/.gemini/settings.json': servers({ s: entry }) });
    const config = await place.load({ layout: layouts.gemini });
    expect(config.servers).toEqual({});
    expect(codes(config)[0]).toMatch(/^VARIABLE_(?:MISSING|MALFORMED)$/);
  });
});

describe('the length of a question', () => {
  it('states its length at the beginning and again at the end', async () => {
    const args = Array.from({ length: 1500 }, (_, index) => `--option-${String(index)}`);
    args[700] = '--config=https://evil.example/x';
    const { text: summary } = await question({
      args,
      env: { LD_PRELOAD: 'x', K: '${SECRET}' },
      command: 'sh',
    });
    const lines = summary.split('\n');
    const length = `${String(lines.length)} lines`;
    expect(lines[2]).toBe(`This text has ${length}. It lists 1500 arguments and 2 other fields.`);
    expect(lines.at(-1)).toBe(`This is the end of a text of ${length}. Read it from the beginning.`);
    const first = lines.slice(0, 12).join('\n');
    for (const part of ['"sh"', 'can run any other program', '"LD_PRELOAD"', 'SECRET in env.K', 'start in'])
      expect(first).toContain(part);
  });

  it('counts fields of unknown objects', async () => {
    const deep = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`k${String(index)}`, index]));
    const { text: summary } = await question({ url: 'https://x.example', other: { deep } });
    expect(summary).toContain(`This text has ${String(summary.split('\n').length)} lines`);
  });

  it('a short question states it once, and begins with the URL', async () => {
    const { text: summary } = await question({ headers: { a: 'b' }, url: 'https://x.example/mcp' });
    const lines = summary.split('\n');
    expect(lines[2]).toBe('This text has 7 lines. It lists 1 other field.');
    expect(lines).toHaveLength(7);
    expect(lines[4]).toBe('  url = "https://x.example/mcp"');
  });
});

describe('the question names the addresses of the sign-in', () => {
  const url = 'https://mcp.example/mcp';

  it.each([
    ['authServerMetadataUrl', { authServerMetadataUrl: 'https://evil.example/meta' }],
    ['tokenUrl', { tokenUrl: 'https://evil.example/token' }],
    ['issuer', { issuer: 'https://EVIL.example./' }],
    ['identityProvider.issuer', { identityProvider: { issuer: 'https://evil.example' } }],
    ['another port', { authServerMetadataUrl: 'https://mcp.example:8443/meta' }],
    ['another scheme', { authServerMetadataUrl: 'http://mcp.example/meta' }],
  ])('names %s of another origin', async (_, oauth) => {
    const { warnings } = await question({ url, oauth });
    expect(warnings.join()).toMatch(
      /Your sign-in would involve "https?:\/\/(?:evil\.example\.?|mcp\.example.*)"/,
    );
  });

  it('names one that depends on a variable, and not the server’s own origin', async () => {
    const variable = await question({ url, oauth: { authServerMetadataUrl: '${WHERE}/meta' } });
    expect(variable.warnings.join()).toContain('"${WHERE}/meta"');
    const own = await question({ url, oauth: { authServerMetadataUrl: 'https://MCP.example:443/meta' } });
    expect(own.warnings.join()).not.toContain('would involve');
  });

  it('mentions an earlier sign-in at the URL; does not look up a URL with a variable', async () => {
    const looked: string[] = [];
    const hasSignIn = (address: string): boolean => (looked.push(address), true);
    const known = await question({ url }, { hasSignIn });
    expect(known.hasSignIn).toBe(true);
    expect(known.text).toContain('You have signed in at this URL before.');
    expect((await question({ url: 'https://${HOST}/' }, { hasSignIn })).hasSignIn).toBe(false);
    expect(looked).toEqual([url]);
  });

  it('the identity differs by scope, project and definition', async () => {
    const entry = { url, oauth: { clientId: 'c' } };
    const place = await scratch({
      'home/.claude.json': servers({ a: entry }),
      'project/.mcp.json': servers({ a: entry, b: entry }),
      'second/.mcp.json': servers({ a: entry }),
    });
    const identities = async (cwd: string): Promise<readonly (string | undefined)[]> =>
      (await place.load({ layout: layouts.claude, approvals: answering('once'), cwd })).entries.map(
        ({ identity }) => identity,
      );
    const first = await identities(place.project);
    const second = await identities(place.path('second'));
    expect(new Set([...first, ...second]).size).toBe(4);
    expect(await identities(place.project)).toEqual(first);
    await place.write('home/.claude.json', servers({ a: { ...entry, disabled: true, timeout: 5 } }));
    expect(new Set(await identities(place.project))).toEqual(new Set(first));
    await place.write('project/.mcp.json', servers({ a: { ...entry, headers: { h: 'v' } }, b: entry }));
    expect(await identities(place.project)).not.toEqual(first);
  });

  it('loaded servers have identities', async () => {
    const place = await scratch({ 'home/.claude.json': servers({ a: { url }, toString: { url } }) });
    const { identities, entries } = await place.load({ layout: layouts.claude });
    expect(Object.getPrototypeOf(identities)).toBeNull();
    expect(identities['a']).toBe(entries.find(({ name }) => name === 'a')?.identity);
    expect(identities['a']).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('the files of hosts C and E', () => {
  it('claude: settings files and a flat .mcp.json define servers', async () => {
    const place = await scratch({
      'home/.claude/settings.json': servers({ mine: { command: 'x' } }),
      'project/.claude/settings.json': servers({ shared: { command: 'x' } }),
      'project/.claude/settings.local.json': servers({ local: { command: 'x' }, flat: { command: 'local' } }),
      'project/.mcp.json': { flat: { command: 'x' } },
    });
    expect(Object.keys((await place.load({ layout: layouts.claude })).servers)).toEqual(['mine']);
    const config = await place.load({ layout: layouts.claude, approvals: answering('once') });
    expect(Object.keys(config.servers).toSorted()).toEqual(['flat', 'local', 'mine', 'shared']);
    expect(config.servers['flat']?.['command']).toBe('local');
  });
});
