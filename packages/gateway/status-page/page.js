// Writes what it gets as text nodes and attributes of elements that it creates itself, never as HTML.
const SVG = 'http://www.w3.org/2000/svg';
const STATES = {
  connected: ['good', 'Connected'],
  connecting: ['busy', 'Connecting'],
  pending: ['busy', 'Waiting to connect'],
  'needs-auth': ['warn', 'Needs sign-in'],
  failed: ['bad', 'Failed'],
  disconnecting: ['busy', 'Disconnecting'],
  disconnected: ['off', 'Not connected'],
  disabled: ['off', 'Disabled'],
};
const byId = (id) => document.getElementById(id);
const number = new Intl.NumberFormat('en');

/** Creates an element. Text becomes a text node. */
function element(name, { text, className, attributes = {} } = {}, children = []) {
  const created = document.createElement(name);
  if (className !== undefined) created.className = className;
  if (text !== undefined) created.textContent = text;
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, value);
  created.append(...children);
  return created;
}
/** Changes only what differs, so that a selection of the reader stays. */
function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
function setAttribute(node, name, value) {
  if (node.getAttribute(name) !== value) node.setAttribute(name, value);
}
function setCount(node, count) {
  setText(node, number.format(count));
  setAttribute(node, 'class', count === 0 ? 'zero' : '');
}
function milliseconds(ms) {
  if (ms < 1000) return ms + ' ms';
  return ms < 60000 ? ms / 1000 + ' s' : ms / 60000 + ' min';
}
function duration(ms) {
  const minutes = Math.floor(ms / 60000);
  if (minutes < 1) return 'less than a minute';
  if (minutes < 60) return minutes + ' min';
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? hours + ' h ' + (minutes % 60) + ' min' : Math.floor(hours / 24) + ' days';
}
function time(at) {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday ? date.toLocaleTimeString() : date.toLocaleString();
}

function labeled(label, className, children) {
  return element('td', { className, attributes: { role: 'cell', 'data-label': label } }, children);
}

// Rows of servers: created once for each name, then changed.
const rows = new Map();
function createRow() {
  const name = element('span', { className: 'untrusted' });
  const program = element('span', { className: 'sub untrusted' });
  const badge = element('span', { className: 'badge' });
  const reason = element('span', { className: 'sub untrusted' });
  const counts = ['tools', 'prompts', 'resources'].map(() => element('span'));
  const requests = element('span');
  const failed = element('span', { className: 'sub failed' });
  const bars = document.createElementNS(SVG, 'svg');
  bars.setAttribute('class', 'bars');
  bars.setAttribute('role', 'img');
  const latency = element('span', { className: 'sub' });
  const tr = element('tr', { attributes: { role: 'row' } }, [
    element('th', { className: 'wide', attributes: { scope: 'row', role: 'rowheader' } }, [name, program]),
    element('td', { className: 'wide', attributes: { role: 'cell' } }, [badge, reason]),
    labeled('Tools', 'number', [counts[0]]),
    labeled('Prompts', 'number', [counts[1]]),
    labeled('Resources', 'number', [counts[2]]),
    labeled('Your requests', 'number', [requests, failed]),
    labeled('Latency', 'latency two', [bars, latency]),
  ]);
  return {
    tr,
    name,
    program,
    badge,
    reason,
    counts,
    requests,
    failed,
    bars,
    latency,
    announced: undefined,
  };
}

function drawBars(svg, buckets, bounds) {
  const most = Math.max(...buckets);
  const step = 9;
  const height = 30;
  setAttribute(svg, 'viewBox', '0 0 ' + buckets.length * step + ' ' + height);
  while (svg.childElementCount < buckets.length) {
    const bar = document.createElementNS(SVG, 'rect');
    bar.append(document.createElementNS(SVG, 'title'));
    svg.append(bar);
  }
  buckets.forEach((count, index) => {
    const bar = svg.children[index];
    // A single slow request stays visible beside a million fast ones.
    const size = count === 0 ? 1 : Math.max(3, Math.round((height * count) / most));
    setAttribute(bar, 'class', count === 0 ? 'none' : 'some');
    setAttribute(bar, 'x', String(index * step));
    setAttribute(bar, 'y', String(height - size));
    setAttribute(bar, 'width', String(step - 2));
    setAttribute(bar, 'height', String(size));
    const upTo = index < bounds.length ? 'up to ' + milliseconds(bounds[index]) : 'longer';
    setText(bar.firstChild, upTo + ': ' + number.format(count));
  });
}

function updateRow(row, server, bounds) {
  const { state, counts, requests } = server;
  setText(row.name, server.name);
  const { program, protocolVersion, type } = server;
  setText(row.program, [type, program, protocolVersion].filter(Boolean).join(' \u00b7 '));
  const [kind, label] = STATES[state.status] ?? ['off', state.status];
  setText(row.badge, label);
  setAttribute(row.badge, 'data-kind', kind);
  const parts = [state.code && state.code + ':', state.reason, state.hint];
  if (state.since !== undefined) parts.push('Since ' + time(state.since));
  if (state.retryAt !== undefined) parts.push('Next attempt at ' + time(state.retryAt));
  setText(row.reason, parts.filter(Boolean).join(' '));
  setCount(row.counts[0], counts.tools);
  setCount(row.counts[1], counts.prompts);
  setCount(row.counts[2], counts.resources + counts.resourceTemplates);
  setCount(row.requests, requests.count);
  setText(row.failed, requests.failed === 0 ? '' : number.format(requests.failed) + ' failed');
  // An attribute, because SVG elements have no member for it.
  if (requests.count === 0) row.bars.setAttribute('hidden', '');
  else row.bars.removeAttribute('hidden');
  drawBars(row.bars, requests.buckets, bounds);
  const upTo = (ms) =>
    ms === undefined ? 'over ' + milliseconds(bounds[bounds.length - 1]) : '\u2264 ' + milliseconds(ms);
  const summary =
    requests.count === 0
      ? 'No requests yet'
      : 'median ' + upTo(requests.medianMs) + ', 95% ' + upTo(requests.p95Ms);
  setText(row.latency, summary);
  setAttribute(row.bars, 'aria-label', 'Distribution of latency: ' + summary);
  const isNews = row.announced !== undefined && row.announced !== label;
  row.announced = label;
  return isNews ? server.name + ': ' + label : undefined;
}

function showServers({ servers, latencyBoundsMs }) {
  const body = byId('servers').tBodies[0];
  const names = new Set(servers.map(({ name }) => name));
  for (const [name, { tr }] of rows) {
    if (names.has(name)) continue;
    tr.remove();
    rows.delete(name);
  }
  const news = [];
  servers.forEach((server, index) => {
    const row = rows.get(server.name) ?? createRow();
    rows.set(server.name, row);
    const change = updateRow(row, server, latencyBoundsMs);
    if (change !== undefined) news.push(change);
    if (body.children[index] !== row.tr) body.insertBefore(row.tr, body.children[index] ?? null);
  });
  if (news.length > 0) setText(byId('announcement'), news.join('. '));
  byId('servers').hidden = servers.length === 0;
  byId('no-servers').hidden = servers.length > 0;
}

const totals = new Map();
function showTotals({ servers }) {
  const having = (status) => servers.filter(({ state }) => state.status === status).length;
  const sum = (key) => servers.reduce((all, { requests }) => all + requests[key], 0);
  const failed = having('failed');
  const signIns = having('needs-auth');
  const values = [
    ['Servers', servers.length, ''],
    ['Connected', having('connected'), ''],
    ['Need sign-in', signIns, signIns > 0 ? 'warn' : ''],
    ['Failed', failed, failed > 0 ? 'bad' : ''],
    ['Your requests', sum('count'), ''],
    ['Failed requests', sum('failed'), ''],
  ];
  for (const [label, value, kind] of values) {
    let shown = totals.get(label);
    if (shown === undefined) {
      const dd = element('dd');
      const div = element('div', {}, [element('dt', { text: label }), dd]);
      shown = { div, dd };
      totals.set(label, shown);
      byId('totals').append(div);
    }
    setText(shown.dd, number.format(value));
    setAttribute(shown.div, 'data-kind', kind);
  }
  byId('totals').hidden = false;
}

let shownErrors = '';
function showErrors({ errors }) {
  const text = JSON.stringify(errors);
  if (text === shownErrors) return;
  shownErrors = text;
  const created = errors.map((error) =>
    element('tr', { attributes: { role: 'row' } }, [
      labeled('Time', '', [
        element('time', {
          text: time(error.at),
          attributes: { datetime: new Date(error.at).toISOString() },
        }),
      ]),
      labeled('Server', 'two', [element('span', { text: error.server, className: 'untrusted' })]),
      labeled('Request', 'wide', [
        element('span', { text: error.method ?? 'Connection', className: 'untrusted' }),
        ...(error.target === undefined
          ? []
          : [element('code', { text: error.target, className: 'sub untrusted' })]),
      ]),
      labeled('Error', 'wide', [
        element('code', { text: error.code }),
        element('span', { text: error.message, className: 'sub untrusted' }),
      ]),
    ]),
  );
  byId('errors').tBodies[0].replaceChildren(...created);
  byId('errors').hidden = errors.length === 0;
  byId('no-errors').hidden = errors.length > 0;
}

function show(status) {
  setText(byId('meta'), [status.version, 'up ' + duration(status.uptimeMs)].filter(Boolean).join(' \u00b7 '));
  showTotals(status);
  showServers(status);
  showErrors(status);
}

function showLive(state, text) {
  setAttribute(byId('live'), 'data-state', state);
  setText(byId('live-text'), text);
}

async function update() {
  const response = await fetch('/status', { signal: AbortSignal.timeout(10000) }).catch(() => undefined);
  if (response?.status === 401 || response?.status === 403) return location.reload();
  const status = response?.ok ? await response.json().catch(() => undefined) : undefined;
  if (status !== undefined) show(status);
  showLive(...(status === undefined ? ['lost', 'Connection lost. Trying again'] : ['live', 'Live']));
  setTimeout(() => void update(), 1000);
}
void update();
