/** Conversions of the tools of real servers: the corpus, see test/corpus/gather.mjs. */
import { readFileSync } from 'node:fs';
import { checkValue, createTools } from '@mcp-fittings/tools';
import { z } from 'zod';
import { CORPUS } from './corpus.mjs';
import { sampleArguments } from './sample-arguments.mjs';

/**
 * `count` tools, taken evenly from all servers. Beyond the size of the corpus, the servers come again under other names.
 * @returns the tools with an argument each, and how many were left out because `z.fromJSONSchema` throws on their schema
 */
function readTools(count) {
  const { servers } = JSON.parse(readFileSync(CORPUS, 'utf8'));
  const all = servers.flatMap(({ name, tools }) => tools.map((tool) => ({ ...tool, server: name })));
  const usable = all.filter(({ inputSchema }) => canConvert(inputSchema));
  const step = Math.max(1, usable.length / count);
  const tools = Array.from({ length: count }, (_, index) => {
    const at = Math.floor(index * step);
    const tool = usable[at % usable.length];
    const server = at < usable.length ? tool.server : `${tool.server}${Math.floor(at / usable.length)}`;
    return { ...tool, server, digest: `${server} ${tool.name}` };
  });
  const given = new Map(tools.map((tool) => [tool.digest, sampleArguments(tool.inputSchema)]));
  return { tools, given, skipped: all.length - usable.length };
}

function canConvert(schema) {
  try {
    return bare(schema) !== undefined;
  } catch {
    return false;
  }
}

/** With a registry of its own, because Zod's global one keeps the keywords that Zod does not know. */
const bare = (schema) => z.fromJSONSchema(schema, { registry: z.registry() });

/** CPU of this process in milliseconds: of another one on the same core, the wall clock has its share as well. */
function cpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function hostOf(tools) {
  return { tools: () => tools, callTool: () => Promise.reject(new Error('The bench calls no tool.')) };
}

/** Converts all schemas of all tools of a snapshot. @returns the Zod schemas, so that none is left out */
function convertAll(tools) {
  return tools.snapshot().tools.map(({ input }) => [input, input.zod]);
}

export const TOOLS_MEASURES = {
  /**
   * Milliseconds of CPU to convert the input schemas of many tools. Ours takes a snapshot, builds every Zod schema, and checks
   * the arguments of one call of each tool. The floor is `z.fromJSONSchema` alone; with `parses` it checks them too.
   */
  async convertTools({ contender, tools: count, parses }) {
    const { tools, given, skipped } = readTools(count);
    const floor = () => {
      const schemas = tools.map(({ inputSchema }) => bare(inputSchema));
      if (parses) for (const [at, schema] of schemas.entries()) schema.safeParse(given.get(tools[at].digest));
    };
    const ours = () => {
      const offered = createTools(hostOf(tools)).snapshot().tools;
      for (const { input, definition } of offered) {
        if (input.zod === undefined) throw new Error('A schema was not converted.');
        checkValue(input, given.get(definition.digest));
      }
    };
    const work = contender === 'floor' ? floor : ours;
    for (let time = 0; time < 3; time++) work();
    return async () => {
      const before = cpuMs();
      work();
      const value = cpuMs() - before;
      return { value, cpu: value, skipped };
    };
  },

  /** Milliseconds of CPU for a snapshot with every schema converted after one tool changed, and its share of the first one. */
  async changeOneTool({ tools: count }) {
    const { tools } = readTools(count);
    let version = 0;
    const round = () => {
      const host = hostOf(tools);
      const offered = createTools(host);
      const started = cpuMs();
      convertAll(offered);
      const first = cpuMs() - started;
      const changed = tools.slice();
      const at = Math.floor(count / 2);
      changed[at] = { ...changed[at], description: `Version ${++version}`, digest: `version ${version}` };
      host.tools = () => changed;
      const before = cpuMs();
      convertAll(offered);
      const value = cpuMs() - before;
      return { value, cpu: value, share: (100 * value) / first };
    };
    for (let time = 0; time < 5; time++) round();
    return round;
  },

  /** What a toolset costs that is `times` as large, over what so many small ones cost. */
  async toolsLinear({ tools: count, times }) {
    const small = readTools(count);
    const large = readTools(count * times);
    const cost = ({ tools }) => {
      const before = cpuMs();
      convertAll(createTools(hostOf(tools)));
      return cpuMs() - before;
    };
    const round = () => {
      globalThis.gc?.();
      let ofSmall = 0;
      for (let time = 0; time < times; time++) ofSmall += cost(small);
      globalThis.gc?.();
      return { value: cost(large) / ofSmall };
    };
    round();
    return round;
  },
};
