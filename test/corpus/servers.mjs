/**
 * The servers of the corpus: real ones from npm that list their tools without an account and without a network. Where a server
 * wants a token before it lists anything, it gets a made-up one.
 */

const TOKEN = 'made-up-token';
/** Nothing listens here. */
const URL = 'http://127.0.0.1:9';

/** @type {Readonly<Record<string, { package: string, args?: readonly string[], env?: Readonly<Record<string, string>> }>>} */
export const SERVERS = {
  everything: { package: '@modelcontextprotocol/server-everything' },
  filesystem: { package: '@modelcontextprotocol/server-filesystem', args: ['.'] },
  memory: { package: '@modelcontextprotocol/server-memory' },
  thinking: { package: '@modelcontextprotocol/server-sequential-thinking' },
  github: { package: '@modelcontextprotocol/server-github' },
  'gitlab-reference': {
    package: '@modelcontextprotocol/server-gitlab',
    env: { GITLAB_PERSONAL_ACCESS_TOKEN: TOKEN },
  },
  slack: {
    package: '@modelcontextprotocol/server-slack',
    env: { SLACK_BOT_TOKEN: TOKEN, SLACK_TEAM_ID: 'T00000000' },
  },
  'google-maps': { package: '@modelcontextprotocol/server-google-maps', env: { GOOGLE_MAPS_API_KEY: TOKEN } },
  'brave-reference': { package: '@modelcontextprotocol/server-brave-search', env: { BRAVE_API_KEY: TOKEN } },
  postgres: { package: '@modelcontextprotocol/server-postgres', args: ['postgresql://127.0.0.1:9/none'] },
  playwright: { package: '@playwright/mcp', args: ['--caps=vision,pdf'] },
  devtools: { package: 'chrome-devtools-mcp' },
  notion: { package: '@notionhq/notion-mcp-server' },
  gitlab: {
    package: '@zereight/mcp-gitlab',
    env: {
      GITLAB_PERSONAL_ACCESS_TOKEN: TOKEN,
      USE_GITLAB_WIKI: 'true',
      USE_MILESTONE: 'true',
      USE_PIPELINE: 'true',
    },
  },
  git: { package: '@cyanheads/git-mcp-server' },
  chart: { package: '@antv/mcp-server-chart' },
  tavily: { package: 'tavily-mcp', env: { TAVILY_API_KEY: TOKEN } },
  figma: { package: 'figma-developer-mcp', args: ['--stdio'], env: { FIGMA_API_KEY: TOKEN } },
  shortcut: { package: '@shortcut/mcp', env: { SHORTCUT_API_TOKEN: TOKEN } },
  perplexity: { package: '@perplexity-ai/mcp-server', env: { PERPLEXITY_API_KEY: TOKEN } },
  argocd: { package: 'argocd-mcp', args: ['stdio'], env: { ARGOCD_BASE_URL: URL, ARGOCD_API_TOKEN: TOKEN } },
  'ms-365': {
    package: '@softeria/ms-365-mcp-server',
    args: ['--org-mode'],
    env: { MS365_MCP_OAUTH_TOKEN: TOKEN },
  },
  postman: { package: '@postman/postman-mcp-server', args: ['--full'], env: { POSTMAN_API_KEY: TOKEN } },
  hostinger: { package: 'hostinger-api-mcp', env: { API_TOKEN: TOKEN } },
  coolify: {
    package: '@masonator/coolify-mcp',
    env: { COOLIFY_BASE_URL: URL, COOLIFY_ACCESS_TOKEN: TOKEN },
  },
  asana: { package: '@roychri/mcp-server-asana', env: { ASANA_ACCESS_TOKEN: TOKEN } },
  airtable: { package: 'airtable-mcp-server', env: { AIRTABLE_API_KEY: TOKEN } },
  linear: { package: '@tacticlaunch/mcp-linear', env: { LINEAR_API_TOKEN: TOKEN } },
  plane: {
    package: '@makeplane/plane-mcp-server',
    env: { PLANE_API_KEY: TOKEN, PLANE_WORKSPACE_SLUG: 'none' },
  },
  grafana: { package: '@leval/mcp-grafana', env: { GRAFANA_URL: URL, GRAFANA_API_KEY: TOKEN } },
  metabase: {
    package: '@easecloudio/mcp-metabase-server',
    env: { METABASE_URL: URL, METABASE_API_KEY: TOKEN },
  },
  vercel: { package: '@robinson_ai_systems/vercel-mcp', env: { VERCEL_TOKEN: TOKEN } },
  dokploy: { package: '@ahdev/dokploy-mcp', env: { DOKPLOY_URL: URL, DOKPLOY_API_KEY: TOKEN } },
  resend: { package: 'resend-mcp', env: { RESEND_API_KEY: 're_none' } },
  contentful: {
    package: '@ivotoby/contentful-management-mcp-server',
    env: { CONTENTFUL_MANAGEMENT_ACCESS_TOKEN: TOKEN },
  },
  jira: {
    package: '@nexus2520/jira-mcp-server',
    env: { JIRA_EMAIL: 'none@example.com', JIRA_API_TOKEN: TOKEN, JIRA_BASE_URL: URL },
  },
};
