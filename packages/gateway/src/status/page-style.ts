/** Style of the status page, in light and dark, from 360 pixels on. Every text has a contrast of at least 4.5. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f5f6f8; --card: #ffffff; --line: #dfe3e8; --text: #1b2026; --muted: #56606c;
  --good: #17693f; --good-ground: #e4f3ea; --warn: #8a4b00; --warn-ground: #fdf0dc;
  --bad: #a92219; --bad-ground: #fde9e7; --busy: #1d56a8; --busy-ground: #e6effb;
  --off-ground: #eceef1; --bar: #4c7fc9; --bar-empty: #dfe3e8; --focus: #1d56a8;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #121519; --card: #1a1e24; --line: #2d343d; --text: #e7eaee; --muted: #a3adb9;
    --good: #76d6a2; --good-ground: #17352a; --warn: #f2bb6b; --warn-ground: #3a2c15;
    --bad: #ff9a90; --bad-ground: #41201d; --busy: #92bdf9; --busy-ground: #1b2f4b;
    --off-ground: #2a3038; --bar: #78a6ea; --bar-empty: #333b45; --focus: #92bdf9;
  }
}
*, ::before, ::after { box-sizing: border-box; }
body {
  margin: 0; background: var(--ground); color: var(--text);
  font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  -webkit-text-size-adjust: 100%;
}
header, main { max-width: 1240px; margin: 0 auto; padding: 0 24px; }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 14px; padding-top: 26px; padding-bottom: 6px; }
h1 { margin: 0; font-size: 22px; letter-spacing: -0.01em; }
h2 { margin: 30px 0 10px; font-size: 15px; font-weight: 600; }
p { margin: 0; }
.meta, .hint, .sub, .empty { color: var(--muted); }
.sub, .hint { font-size: 13px; }
.live { margin-left: auto; font-size: 13px; color: var(--muted); }
.dot { display: inline-block; width: 8px; height: 8px; margin-right: 7px; border-radius: 50%; border: 2px solid var(--muted); }
.live[data-state="live"] .dot { background: var(--good); border-color: var(--good); }
.live[data-state="lost"] { color: var(--bad); }
.live[data-state="lost"] .dot { border-color: var(--bad); }
button, input { font: inherit; color: inherit; }
button { padding: 4px 12px; border: 1px solid var(--line); border-radius: 6px; background: var(--card); cursor: pointer; }
button:hover { border-color: var(--muted); }
header button { font-size: 13px; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
a { color: var(--busy); }
.note, .empty { padding: 14px 16px; border: 1px solid var(--line); border-radius: 10px; background: var(--card); }
.totals { display: grid; grid-template-columns: repeat(auto-fit, minmax(130px, 1fr)); gap: 12px; margin: 16px 0 0; }
.totals div { padding: 12px 16px; border: 1px solid var(--line); border-radius: 10px; background: var(--card); }
.totals dt { font-size: 13px; color: var(--muted); }
.totals dd { margin: 2px 0 0; font-size: 22px; font-weight: 600; font-variant-numeric: tabular-nums; }
.totals [data-kind="bad"] dd { color: var(--bad); }
.totals [data-kind="warn"] dd { color: var(--warn); }
[hidden] { display: none !important; }
table { width: 100%; border-collapse: separate; border-spacing: 0; border: 1px solid var(--line); border-radius: 10px; background: var(--card); }
th, td { padding: 11px 14px; text-align: left; vertical-align: top; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
thead th { border-top: 0; padding-top: 9px; padding-bottom: 9px; font-size: 13px; font-weight: 500; color: var(--muted); white-space: nowrap; }
tbody th { font-weight: 600; }
td .sub, th .sub { display: block; font-weight: 400; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
#errors td:first-child { white-space: nowrap; font-variant-numeric: tabular-nums; }
@media (min-width: 861px) {
  #servers th[scope="row"] { width: 22%; }
  #servers td:nth-child(2) { width: 30%; }
  #errors td:nth-child(3) { width: 24%; }
  #errors td:last-child { width: 48%; }
}
.untrusted { unicode-bidi: isolate; }
code { font: 13px/1.45 ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; }
.badge { display: inline-flex; align-items: center; gap: 6px; padding: 1px 9px 1px 7px; border-radius: 999px; font-size: 13px; font-weight: 500; white-space: nowrap; background: var(--off-ground); color: var(--text); }
.badge::before { content: "\\25CB"; font-size: 11px; line-height: 1; }
.badge[data-kind="good"] { background: var(--good-ground); color: var(--good); }
.badge[data-kind="good"]::before { content: "\\25CF"; }
.badge[data-kind="warn"] { background: var(--warn-ground); color: var(--warn); }
.badge[data-kind="warn"]::before { content: "\\25B2"; }
.badge[data-kind="bad"] { background: var(--bad-ground); color: var(--bad); }
.badge[data-kind="bad"]::before { content: "\\2715"; }
.badge[data-kind="busy"] { background: var(--busy-ground); color: var(--busy); }
.badge[data-kind="busy"]::before { content: "\\25D0"; }
.badge + .sub { margin-top: 4px; }
.bars { display: block; width: 153px; height: 30px; margin-bottom: 3px; }
.bars rect { fill: var(--bar); }
.bars rect.none { fill: var(--bar-empty); }
.latency { white-space: nowrap; }
.zero { color: var(--muted); }
.failed { color: var(--bad); }
.visually-hidden { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
main { padding-bottom: 48px; }
.empty { font-size: 14px; }
.sign-in { max-width: 420px; padding-top: 15vh; }
.sign-in form { display: grid; gap: 8px; margin-top: 18px; padding: 20px; border: 1px solid var(--line); border-radius: 12px; background: var(--card); }
.sign-in label { font-weight: 500; }
.sign-in input { width: 100%; padding: 8px 10px; border: 1px solid var(--muted); border-radius: 6px; background: var(--ground); }
.sign-in button { margin-top: 6px; padding: 8px 12px; border-color: var(--busy); background: var(--busy); color: var(--card); font-weight: 500; }
.problem { color: var(--bad); font-size: 14px; }
@media (max-width: 860px) {
  header, main { padding-left: 16px; padding-right: 16px; }
  .meta, .live { order: 2; }
  .meta { font-size: 13px; }
  header form { margin-left: auto; }
  .totals { grid-template-columns: repeat(3, 1fr); gap: 8px; }
  .totals div { padding: 9px 11px; }
  .totals dt { font-size: 12px; }
  .totals dd { font-size: 19px; }
  table { display: block; border: 0; background: none; border-radius: 0; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tbody { display: grid; gap: 10px; }
  tbody tr { display: grid; grid-template-columns: repeat(3, 1fr); gap: 10px 12px; padding: 13px 14px; border: 1px solid var(--line); border-radius: 10px; background: var(--card); }
  tbody th, tbody td, #errors td { display: block; padding: 0; border: 0; min-width: 0; white-space: normal; }
  tbody td[data-label]::before { content: attr(data-label); display: block; font-size: 12px; color: var(--muted); }
  .number { text-align: left; }
  .wide { grid-column: 1 / -1; }
  .two { grid-column: span 2; }
  .bars { margin-top: 3px; }
}
`;
