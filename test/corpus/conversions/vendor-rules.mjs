/**
 * What the model APIs accept as the schema of a tool, written down from their documentation and from reports of rejected requests,
 * apart from the code of mcp-fittings. One tool that breaks a rule makes an API reject the whole request.
 */
import { metaProblem } from './judge.mjs';

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const TYPES = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer'];

/** Calls `visit` with every schema of a definition, and the JSON Pointer to it. */
function eachSchema(root, visit) {
  const walk = (schema, at) => {
    if (typeof schema === 'boolean') return;
    visit(schema, at);
    if (!isObject(schema)) return;
    for (const keyword of ['properties', '$defs', 'patternProperties', 'dependentSchemas'])
      for (const [name, member] of Object.entries(isObject(schema[keyword]) ? schema[keyword] : {}))
        walk(member, `${at}/${keyword}/${name}`);
    for (const keyword of ['anyOf', 'oneOf', 'allOf', 'prefixItems'])
      if (Array.isArray(schema[keyword]))
        schema[keyword].forEach((member, index) => walk(member, `${at}/${keyword}/${index}`));
    for (const keyword of [
      'items',
      'additionalProperties',
      'not',
      'if',
      'then',
      'else',
      'contains',
      'propertyNames',
      'unevaluatedProperties',
      'unevaluatedItems',
    ])
      if (schema[keyword] !== undefined) walk(schema[keyword], `${at}/${keyword}`);
  };
  walk(root, '');
}

const typesOf = ({ type }) => (type === undefined ? [] : [type].flat());

/**
 * Rules that hold for the Messages API of Anthropic.
 * - JSON Schema draft 2020-12: https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use ("JSON schema is
 *   invalid. It must match JSON Schema draft 2020-12")
 * - keys of `properties`: https://github.com/ComposioHQ/composio/issues/3500
 * - no combination at the root: https://github.com/anthropics/claude-code/issues/40075
 */
export function anthropicProblems(schema) {
  const found = rootProblems(schema, ['anyOf', 'oneOf', 'allOf']);
  const problem = metaProblem(schema);
  if (problem !== undefined) found.push(`not draft 2020-12: ${problem}`);
  eachSchema(schema, (node, at) => {
    for (const name of Object.keys(isObject(node.properties) ? node.properties : {}))
      if (!/^[a-zA-Z0-9_.-]{1,64}$/.test(name)) found.push(`${at}: the property ${JSON.stringify(name)}`);
  });
  return found;
}

/**
 * Rules that hold for functions of OpenAI without strict mode, in both APIs.
 * - arrays have `items`: https://github.com/apify/apify-mcp-server/issues/36
 * - the root has `properties`: https://github.com/spring-projects/spring-ai/issues/4776
 * - the root is an object without a combination: https://github.com/anomalyco/opencode/issues/35516
 * - values of keywords are those of JSON Schema ("None is not of type 'array'"), so the meta-schema applies
 */
export function openAiProblems(schema) {
  const found = rootProblems(schema, ['anyOf', 'oneOf', 'allOf', 'enum', 'not']);
  const problem = metaProblem(schema);
  if (problem !== undefined) found.push(`not valid: ${problem}`);
  if (!isObject(schema.properties)) found.push('object schema missing properties');
  eachSchema(schema, (node, at) => {
    if (typesOf(node).includes('array') && !isObject(node.items))
      found.push(`${at}: array schema missing items`);
    if (Array.isArray(node.enum) && node.enum.length === 0) found.push(`${at}: enum is empty`);
  });
  return found;
}

const STRICT_KEYWORDS = {
  string: ['pattern', 'format'],
  number: ['multipleOf', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum'],
  integer: ['multipleOf', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum'],
  array: ['items', 'minItems', 'maxItems'],
  object: ['properties', 'required', 'additionalProperties'],
  boolean: [],
  null: [],
};
/** https://platform.openai.com/docs/guides/structured-outputs#supported-schemas */
const STRICT_FORMATS = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'];
const STRICT_LIMITS = {
  depth: 10,
  properties: 5_000,
  characters: 120_000,
  values: 1_000,
  longEnum: 250,
  longEnumCharacters: 15_000,
};

/** Rules of OpenAI's strict mode, in addition: https://platform.openai.com/docs/guides/structured-outputs#supported-schemas */
export function openAiStrictProblems(schema) {
  const found = [...openAiProblems(schema)];
  const definitions = isObject(schema.$defs) ? schema.$defs : {};
  let properties = 0;
  let characters = 0;
  let values = 0;
  const walk = (node, at, depth, isRoot) => {
    const no = (why) => found.push(`${at || 'the root'}: ${why}`);
    if (!isObject(node)) return no('not an object');
    if (depth > STRICT_LIMITS.depth) no('too deep');
    const keywords = Object.keys(node).filter(
      (keyword) => !['title', 'description', ...(isRoot ? ['$defs'] : [])].includes(keyword),
    );
    if (node.$ref !== undefined) {
      if (Object.keys(node).length > 1) no('$ref with siblings');
      const name = /^#\/\$defs\/(.+)$/.exec(node.$ref)?.[1];
      if (node.$ref !== '#' && !(name !== undefined && Object.hasOwn(definitions, name)))
        no('$ref leads nowhere');
      return;
    }
    if (node.anyOf !== undefined) {
      if (isRoot) no('anyOf at the root');
      if (!Array.isArray(node.anyOf) || node.anyOf.length === 0) return no('anyOf without branches');
      if (keywords.length > 1) no('anyOf with siblings');
      node.anyOf.forEach((branch, index) => walk(branch, `${at}/anyOf/${index}`, depth + 1, false));
      return;
    }
    const types = typesOf(node);
    if (types.length === 0 || !types.every((type) => TYPES.includes(type))) return no('no type');
    const allowed = ['type', 'enum', 'const', ...types.flatMap((type) => STRICT_KEYWORDS[type])];
    for (const keyword of keywords) if (!allowed.includes(keyword)) no(`the keyword ${keyword}`);
    if (node.format !== undefined && !STRICT_FORMATS.includes(node.format)) no(`the format ${node.format}`);
    if (typeof node.pattern === 'string' && /\(\?[=!<]|\\[1-9bB]/.test(node.pattern))
      no('a pattern with lookaround');
    const listed = Array.isArray(node.enum) ? node.enum : [];
    values += listed.length;
    const text = [...listed, ...(node.const === undefined ? [] : [node.const])].map(String).join('');
    characters += text.length;
    if (listed.length > STRICT_LIMITS.longEnum && text.length > STRICT_LIMITS.longEnumCharacters)
      no('an enum that is too long');
    if (types.includes('array')) {
      if (!isObject(node.items)) no('an array without items');
      else walk(node.items, `${at}/items`, depth + 1, false);
    }
    if (!types.includes('object')) return;
    if (node.additionalProperties !== false) no('additionalProperties is not false');
    const members = isObject(node.properties) ? node.properties : {};
    if (!isObject(node.properties)) no('an object without properties');
    const names = Object.keys(members);
    const required = Array.isArray(node.required) ? node.required : [];
    if (!names.every((name) => required.includes(name))) no('a property that is not required');
    if (!required.every((name) => names.includes(name))) no('required names an unknown property');
    properties += names.length;
    for (const name of names) {
      characters += name.length;
      walk(members[name], `${at}/properties/${name}`, depth + 1, false);
    }
  };
  walk(schema, '', 1, true);
  for (const [name, definition] of Object.entries(definitions)) {
    characters += name.length;
    walk(definition, `/$defs/${name}`, 1, false);
  }
  if (properties > STRICT_LIMITS.properties) found.push('too many properties');
  if (characters > STRICT_LIMITS.characters) found.push('too many characters');
  if (values > STRICT_LIMITS.values) found.push('too many enum values');
  return found;
}

/**
 * Rules that hold for `parametersJsonSchema` of the Gemini API.
 * - `required` names only properties of the same schema, also in branches and in schemas without properties:
 *   https://github.com/NousResearch/hermes-agent/pull/64054
 * - `properties` and `required` only for objects: https://github.com/anomalyco/opencode/issues/11889
 * - nothing next to `$ref`, and references stay in the document:
 *   https://pub.dev/documentation/google_cloud_aiplatform_v1beta1/latest/aiplatform/GenerationConfig/responseJsonSchema.html
 * - the root is an object: https://cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/FunctionDeclaration
 */
export function geminiProblems(schema) {
  const found = rootProblems(schema, []);
  const problem = metaProblem(schema);
  if (problem !== undefined) found.push(`not valid: ${problem}`);
  eachSchema(schema, (node, at) => {
    const properties = isObject(node.properties) ? node.properties : {};
    const types = typesOf(node);
    if (node.$ref !== undefined) {
      if (Object.keys(node).some((keyword) => !keyword.startsWith('$')))
        found.push(`${at}: a keyword next to $ref`);
      if (!/^#\/\$defs\/[^/]+$/.test(node.$ref) || !Object.hasOwn(schema.$defs ?? {}, node.$ref.slice(8)))
        found.push(`${at}: $ref leads nowhere`);
    }
    for (const [index, name] of (node.required ?? []).entries())
      if (!Object.hasOwn(properties, name)) found.push(`${at}: required[${index}]: property is not defined`);
    if (types.length > 0 && !types.includes('object'))
      for (const keyword of ['properties', 'required'])
        if (node[keyword] !== undefined) found.push(`${at}: ${keyword}: only allowed for OBJECT type`);
  });
  return found;
}

function rootProblems(schema, combinations) {
  const found = [];
  if (!isObject(schema)) return ['the root is not an object'];
  if (schema.type !== 'object') found.push('the root: type is not object');
  for (const keyword of [...combinations, '$ref'])
    if (schema[keyword] !== undefined) found.push(`the root: ${keyword}`);
  return found;
}
