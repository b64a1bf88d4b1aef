/** Which functions of our packages run between two points of one piece of work, as V8's counters and stacks say. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Session, console as inspectorConsole } from 'node:inspector';
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GCProfiler } from 'node:v8';
import { OpenRequest } from '../../packages/host/dist/native/open-request.js';
import { openSource } from './source-places.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** `packages/<package>/dist/<file>.js`, which is made of exactly one file in `src`. */
const BUILT = /^packages\/([^/]+)\/dist\/(.+)\.js$/;
/** What a class does with its fields: entered along with the constructor, which is counted. */
const INITIALIZER = /^<\w+_initializer>$/;
/** Where a request waits for its response. */
const CONNECTION = '/packages/host/dist/native/connection.js';
const UNDICI = '/node_modules/undici/';
/** More than any chain of stacks has. */
const ASYNC_DEPTH = 200;

/**
 * Runs `work`, one request of the host, with the counters on. A phase ends where undici is given a request, where the headers
 * of its response arrive, and where `work` is done.
 * @returns the phases in order: what ended each, the functions that were entered or resumed in it (`functions`), and those that
 *   the message passed through (`frames`; undefined where a phase only waits), and how often functions ran or resumed (`calls`).
 */
export async function traceWork(work) {
  const session = createSession();
  const marks = [];
  const mark = (end, stack) => marks.push({ end, stack, scripts: session.takeCounts() });
  const onRequest = ({ request }) => mark(`${request.method} ${request.path}`, session.takeStack());
  const onHeaders = ({ response }) => mark(String(response.statusCode));
  let handedOver;
  // oxlint-disable-next-line typescript/unbound-method -- it is called with the request as `this`
  const { stop: original } = OpenRequest.prototype;
  OpenRequest.prototype.stop = function stop() {
    handedOver = session.takeStack();
    original.call(this);
  };

  const collections = new GCProfiler();
  subscribe('undici:request:create', onRequest);
  subscribe('undici:request:headers', onHeaders);
  try {
    collections.start();
    session.start();
    await work();
    mark('value', handedOver);
  } finally {
    unsubscribe('undici:request:create', onRequest);
    unsubscribe('undici:request:headers', onHeaders);
    OpenRequest.prototype.stop = original;
    session.end();
  }
  if (collections.stop().statistics.length > 0) {
    throw new Error(
      'Garbage was collected meanwhile, and counts with it. Give the young generation more room.',
    );
  }

  const functionsOf = createFunctionIndex(marks.flatMap(({ scripts }) => scripts));
  const phases = marks.map(({ end, scripts }) => ({ end, entries: functionsOf.entered(scripts) }));
  const onStack = marks.map(({ stack }) => functionsOf.onStack(stack));
  return phases.map(({ end, entries }, index) => {
    const isLast = index === phases.length - 1;
    const functions = entries.map(({ found }) => found);
    return {
      end,
      functions,
      calls: entries.reduce((sum, { count }) => sum + count, 0),
      frames: isLast ? framesUp(functions, onStack[index], onStack[0]) : onStack[index]?.all,
    };
  });
}

/** Counts `work` as one phase without `frames`: the least of nine times, because a timer of something else may run meanwhile. */
export async function countWork(work) {
  const times = [];
  for (let time = 0; time < 9; time++) {
    const session = createSession();
    session.start();
    await work();
    const scripts = session.takeCounts();
    session.end();
    const entries = createFunctionIndex(scripts).entered(scripts);
    const calls = entries.reduce((sum, { count }) => sum + count, 0);
    times.push({ end: 'value', functions: entries.map(({ found }) => found), calls });
  }
  return [times.toSorted((a, b) => a.calls - b.calls)[0]];
}

/** An inspector session of this thread, which answers before `post` returns. */
function createSession() {
  const session = new Session();
  session.connect();
  const post = (method, parameters) => {
    let outcome;
    session.post(method, parameters, (error, result) => {
      outcome = { error, result };
    });
    if (outcome.error) throw new Error(`${method}: ${outcome.error.message}`);
    return outcome.result;
  };
  let traced;
  session.on('Runtime.consoleAPICalled', ({ params }) => {
    traced = params.stackTrace;
  });
  return {
    start() {
      post('Runtime.enable');
      // Stacks go on across `await` with this.
      post('Debugger.enable');
      post('Debugger.setAsyncCallStackDepth', { maxDepth: ASYNC_DEPTH });
      post('Profiler.enable');
      post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    },
    /** Since the last time. */
    takeCounts: () => post('Profiler.takePreciseCoverage').result,
    /** From the inside out, a list for each part between two `await`s. */
    takeStack() {
      inspectorConsole.trace();
      const stacks = [];
      for (let stack = traced; stack !== undefined; stack = stack.parent) stacks.push(stack.callFrames);
      return stacks;
    },
    end: () => session.disconnect(),
  };
}

/**
 * The way of the answer: from undici's callback to the connection, and then through the functions that awaited its promise and
 * resumed.
 */
function framesUp(functions, received, down) {
  const ran = new Set(functions);
  return [...received.insideUndici, ...down.outsideConnection.filter((each) => ran.has(each))];
}

/** Finds the functions of ours that counters and stacks speak of; each is one object, however often it is found. */
function createFunctionIndex(scripts) {
  const files = new Map();
  for (const { url, functions } of scripts) {
    const [, packageName, path] = BUILT.exec(pathOf(url)) ?? [];
    if (packageName === undefined) continue;
    const file = files.get(url) ?? { source: openSource(fileURLToPath(url)), functions: new Map() };
    files.set(url, file);
    for (const { functionName, ranges } of functions) {
      const [{ count, startOffset, endOffset }] = ranges;
      // The function that begins at 0 is the module itself.
      if (count === 0 || startOffset === 0 || INITIALIZER.test(functionName)) continue;
      const place = file.source.placeOf(startOffset);
      // Helpers of the compiler are in no source.
      if (place === undefined) continue;
      const found = {
        file: `packages/${packageName}/src/${path}.ts`,
        ...place,
        name: functionName || '(anonymous)',
      };
      const key = `${startOffset} ${endOffset}`;
      if (!file.functions.has(key)) file.functions.set(key, { startOffset, endOffset, found });
    }
  }
  /** The innermost that this place is in. */
  const functionAt = ({ url, lineNumber, columnNumber }) => {
    const file = files.get(url);
    if (file === undefined) return undefined;
    const offset = file.source.offsetOf(lineNumber, columnNumber);
    const around = [...file.functions.values()].filter(
      ({ startOffset, endOffset }) => startOffset <= offset && offset < endOffset,
    );
    return around.toSorted((a, b) => b.startOffset - a.startOffset)[0]?.found;
  };
  const distinct = (frames) => [...new Set(frames.map(functionAt).filter(Boolean))];

  return {
    /** Those that a phase entered, in the order of files and lines. */
    entered: (phase) =>
      phase
        .flatMap(({ url, functions }) =>
          functions
            .filter(({ ranges: [{ count }] }) => count > 0)
            .map(({ ranges: [{ count, startOffset, endOffset }] }) => ({
              count,
              found: files.get(url)?.functions.get(`${startOffset} ${endOffset}`)?.found,
            })),
        )
        .filter(({ found }) => found !== undefined)
        .toSorted(
          ({ found: a }, { found: b }) => compare(a.file, b.file) || a.line - b.line || a.column - b.column,
        ),
    /** Those on a chain of stacks, from the inside out. */
    onStack(stacks) {
      if (stacks === undefined) return undefined;
      const frames = stacks.flat();
      const undici = frames.findIndex(({ url }) => url.includes(UNDICI));
      const connection = frames.findLastIndex(({ url }) => url.endsWith(CONNECTION));
      if (undici === -1 || connection === -1)
        throw new Error('A stack does not reach from the host to undici.');
      return {
        all: distinct(frames).toReversed(),
        insideUndici: distinct(frames.slice(0, undici)).toReversed(),
        outsideConnection: distinct(frames.slice(connection + 1)),
      };
    },
  };
}

function pathOf(url) {
  return url.startsWith('file:') ? relative(ROOT, fileURLToPath(url)).split(sep).join('/') : '';
}

function compare(a, b) {
  return a < b ? -1 : Number(a > b);
}
