/**
 * No package replaces a member of a transport that is not its own: code that sees or changes messages is an observer
 * (`Transport.observe`), or wraps the transport. Counts assignments such as `transport.send = …`, and definitions of properties.
 * `testkit` is left out, because its suites break transports on purpose, and `engine-sdk`, whose SDKs may.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const LEFT_OUT = new Set(['testkit', 'engine-sdk']);
const METHODS = 'start|send|close|setProtocolVersion|limitUnsolicited|observe|describe';
const HANDLERS = 'onmessage|onerror|onclose|onsessionrestored|onreconnect';

/** `x.send = …`, `x['send'] = …` and `x.send &&= …`, unless x is `this`. To set a handler is what it is for. */
const ASSIGNED = new RegExp(
  String.raw`(?<![\w$.])(?!this\b)[\w$.!?()[\]]+(?:\.(?:${METHODS})|\[['"](?:${METHODS})['"]\])\s*(?:\?\?|\|\||&&)?=(?![=>])`,
  'g',
);
/** `Object.defineProperty(x, 'onmessage', …)`, unless x is `this`. */
const DEFINED = new RegExp(
  String.raw`(?:Object|Reflect)\.(?:defineProperty|set)\(\s*(?!this\b)[\w$.]+,\s*['"](?:${METHODS}|${HANDLERS})['"]`,
  'g',
);

/** Where members of a transport are replaced in this source, as lines and text. */
export function replacedMembers(source) {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, (comment) =>
    comment.replaceAll(/[^\n]/g, ' '),
  );
  return [ASSIGNED, DEFINED].flatMap((pattern) =>
    Array.from(code.matchAll(pattern), ({ index, 0: text }) => ({
      line: code.slice(0, index).split('\n').length,
      text: text.replaceAll(/\s+/g, ' '),
    })),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const found = readdirSync('packages')
    .filter((folder) => !LEFT_OUT.has(folder))
    .flatMap((folder) => {
      const src = join('packages', folder, 'src');
      return readdirSync(src, { recursive: true })
        .filter((file) => file.endsWith('.ts'))
        .flatMap((file) => {
          const path = join(src, file);
          return replacedMembers(readFileSync(path, 'utf8')).map((each) => ({ path, ...each }));
        });
    });
  for (const { path, line, text } of found) console.error(`${path}:${line}: ${text} … replaces a member`);
  console.log(`${found.length} members of a foreign transport are replaced.`);
  process.exitCode = found.length === 0 ? 0 : 1;
}
