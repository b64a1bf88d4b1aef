/** Which figures of tool search became worse. */

/** A server may list a tool more or less on another version of Node. */
const LEAST_TOOLS = 1000;
const LEAST_SERVERS = 30;
/** Shares: one question in a hundred, and a description that became longer. */
const RECALL_SLACK = 0.01;
const TOKEN_SLACK = 1.1;
/** Tokens of the tools after one search, of those of all tools. */
const MOST_SHARE = 0.1;
/** Times are compared with no committed ones: the machine is another. No model waits so long for anything else. */
const MOST_MS = 50;

/** @returns a sentence for each */
export function differencesOf(now, before) {
  const worse = [];
  if (now.servers < LEAST_SERVERS || now.tools < LEAST_TOOLS)
    worse.push(`the corpus has ${now.tools} tools of ${now.servers} servers`);
  for (const [kind, { at5, mrr }] of Object.entries(now.recall)) {
    const { at5: at5Before, mrr: mrrBefore } = before.recall[kind];
    if (at5 < at5Before - RECALL_SLACK)
      worse.push(`${kind}: ${at5} find a tool among five, was ${at5Before}`);
    if (mrr < mrrBefore - RECALL_SLACK) worse.push(`${kind}: the MRR is ${mrr}, was ${mrrBefore}`);
  }
  for (const [api, { all, deferred, search }] of Object.entries(now.tokens)) {
    const { deferred: deferredBefore, search: searchBefore } = before.tokens[api];
    if (deferred > deferredBefore * TOKEN_SLACK)
      worse.push(`${api}: ${deferred} tokens before a search, was ${deferredBefore}`);
    if (search > searchBefore * TOKEN_SLACK)
      worse.push(`${api}: a search adds ${search} tokens, was ${searchBefore}`);
    if (deferred + search > MOST_SHARE * all)
      worse.push(`${api}: ${deferred + search} tokens of ${all} are over a tenth`);
  }
  if (now.time.p99 > MOST_MS) worse.push(`one search in 100 takes ${now.time.p99} ms of CPU`);
  return worse;
}
