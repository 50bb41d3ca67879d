/** The colours of lines, the control's first: dark ones on white, light ones on black; each has its own dashes besides. */
const lines = [
  ['#24292f', '#e6edf3', 'none'],
  ['#0060a8', '#6cb6ff', 'none'],
  ['#b04a00', '#ff9a57', '7 3'],
  ['#00735a', '#4fd1a5', '2 3'],
  ['#93308c', '#e29bdb', '9 3 2 3'],
  ['#736000', '#d9c14a', '5 2'],
] as const;

/** Line styles for pictures outside of the page, which are light: selectors and declarations. */
export const lineRules = lines.map(
  ([colour, , dashes], style) => [`.l${style}`, `stroke: ${colour}; stroke-dasharray: ${dashes}`] as const,
);

const colours = (place: 0 | 1): string => lines.map((line, style) => `--l${style}: ${line[place]};`).join(' ');
const dark = `color-scheme: dark; --bg: #0f1318; --fg: #e6edf3; --dim: #a3adb8; --line: #39424c; --good: #7ee787; --bad: #ffa198; --grey: #8b949e; --same: #79b8ff; --floor: #2b3440; --warn: #d29922; --link: #6cb6ff; ${colours(1)}`;
const light = `color-scheme: light; --bg: #fff; --fg: #1b1f24; --dim: #57606a; --line: #d0d7de; --good: #1a7f37; --bad: #b3261e; --grey: #6e7781; --same: #2f6fb0; --floor: #e4e9ee; --warn: #9a6700; --link: #0a58b8; ${colours(0)}`;

/** The style of report.html: everything in it follows the reader's choice of light or dark. Paper is light. */
export const STYLE = `
:root { ${light} }
@media screen and (prefers-color-scheme: dark) { :root { ${dark} } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; background: var(--bg); color: var(--fg); max-width: 76rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; overflow-wrap: anywhere; }
a { color: var(--link); } :focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -99rem; } .skip:focus { position: static; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: .3rem 0; } h2 { font-size: 1.3rem; margin: 2.8rem 0 .6rem; padding-bottom: .2rem; border-bottom: 1px solid var(--line); } h3 { font-size: 1.05rem; margin: 1.6rem 0 .3rem; }
nav ul { display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; list-style: none; padding: 0; font-size: .9rem; }
.dim, .notes, figcaption + p, .axis { color: var(--dim); } .good { color: var(--good); font-weight: 600; } .bad { color: var(--bad); font-weight: 600; }
.answer { font-size: 1.1rem; padding-left: 1.2rem; } .warning { border-left: 4px solid var(--warn); padding-left: .8rem; font-weight: 600; }
.notes { font-size: .85rem; padding-left: 1.2rem; margin: .3rem 0 1rem; } code { font-size: .92em; }
details { margin: 1rem 0; } summary { cursor: pointer; font-weight: 600; padding: .2rem 0; } pre { white-space: pre-wrap; font-size: .85rem; }
.table { overflow-x: auto; margin: .8rem 0; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; overflow-wrap: normal; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; } th, td { padding: .2rem .6rem; border-bottom: 1px solid var(--line); text-align: left; white-space: nowrap; vertical-align: top; }
tbody th { font-weight: 500; white-space: normal; min-width: 6rem; max-width: 22rem; overflow-wrap: break-word; } thead th { vertical-align: bottom; }
.r { text-align: right; } td.text { white-space: normal; overflow-wrap: anywhere; } td:not(.r) { white-space: normal; max-width: 44rem; } td.said { white-space: nowrap; }
.changes { width: 100%; } .changes .chart { width: 60%; min-width: 11rem; padding: 0 1.6rem; vertical-align: middle; position: relative; }
.changes svg { display: block; width: 100%; height: 1.5rem; overflow: visible; } thead .chart svg { height: 1rem; }
svg text { fill: var(--dim); font-size: 12px; } .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.floor { fill: var(--floor); } line.zero { stroke: var(--fg); } line.margin { stroke: var(--grey); stroke-dasharray: 2 3; }
rect.bar { opacity: .45; } rect.bar, circle { fill: var(--grey); } rect.same, circle.same { fill: var(--same); } rect.good, circle.good { fill: var(--good); } rect.bad, circle.bad { fill: var(--bad); } circle.open { fill: none; stroke: var(--grey); stroke-width: 2; }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 21rem), 1fr)); gap: 1.4rem 2rem; }
figure { margin: 0; min-width: 0; break-inside: avoid; } figcaption { font-size: .9rem; font-weight: 600; } .axis { font-size: .8rem; text-align: center; margin: 0 0 0 3.6rem; }
svg.plot { display: block; width: calc(100% - 4.6rem); height: 11rem; margin: .5rem .8rem 1.6rem 3.8rem; overflow: visible; }
.grid { stroke: var(--line); } svg.plot path, .key path { fill: none; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; vector-effect: non-scaling-stroke; }
svg.plot .dot { stroke-width: 6; stroke-dasharray: none; } svg.plot .interval { stroke-width: 1.5; stroke-dasharray: none; opacity: .8; } svg.plot .zero { stroke: var(--dim); stroke-width: 1; }
${lines.map(([, , dashes], style) => `.l${style} { stroke: var(--l${style}); stroke-dasharray: ${dashes}; }`).join(' ')}
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; list-style: none; padding: 0; font-size: .9rem; } .key { width: 28px; height: 16px; margin-right: .4rem; vertical-align: middle; }
@media (max-width: 40rem) { body { font-size: 15px; } th, td { padding: .2rem .4rem; } tbody th { min-width: 4.5rem; }
  .stacked table, .stacked caption, .stacked tbody, .stacked tr { display: block; } .stacked thead { display: none; } .stacked tr { border-bottom: 1px solid var(--line); padding: .3rem 0; } .stacked th, .stacked td { display: inline; border: 0; white-space: normal; padding: 0 .5rem 0 0; } .stacked td.r { display: block; text-align: left; } .stacked td[data-head]::before { content: attr(data-head) ': '; color: var(--dim); font-weight: 400; }
  .changes, .changes caption, .changes thead, .changes tbody { display: block; } .changes tr { display: grid; grid-template-columns: 1fr auto; border-bottom: 1px solid var(--line); } .changes th, .changes td { border: 0; } .changes td.said { text-align: right; } .changes .chart { grid-column: 1 / -1; width: auto; padding: 0 1rem .2rem; } }
@media print { body { font-size: 10pt; max-width: none; padding: 0; } nav, .skip { display: none; } .table { overflow: visible; } th, td, td.said { padding: .1rem .3rem; white-space: normal; overflow-wrap: anywhere; } tbody th { min-width: 4rem; } table { font-size: 8pt; } thead { display: table-header-group; } tr { break-inside: avoid; } h2, h3, summary { break-after: avoid; } body:not(.long) details::details-content { content-visibility: visible; block-size: auto; } * { print-color-adjust: exact; } }
`;
