"""How the HTML report looks: on a screen, in a dark room, on a phone and on paper."""

STYLE = """
:root { color-scheme: light dark; --ink: #1c1f23; --soft: #5c646e; --paper: #fff; --line: #d9dde2; --shade: #f4f5f7;
  --yes: #17692f; --no: #b3261e; --more: #1b5e9e; --link: #1b5e9e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e6e9; --soft: #a0a8b2; --paper: #16181b; --line: #3a4048;
  --shade: #202327; --yes: #6fcf8a; --no: #ff8f85; --more: #86bdf2; --link: #86bdf2; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 1rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: .5rem 0 1rem; }
h2 { font-size: 1.3rem; margin: 3rem 0 .3rem; padding-top: .8rem; border-top: 2px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.8rem 0 .4rem; }
p { margin: .5rem 0; }
a { color: var(--link); }
.soft, figcaption, .facts { color: var(--soft); font-size: .88rem; }
.wide { overflow-x: auto; margin: .8rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .88rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: .25rem .6rem .25rem 0; border-bottom: 1px solid var(--line); }
thead th { color: var(--soft); font-weight: 600; border-bottom-width: 2px; }
.summary tbody th { background: var(--shade); font-weight: 400; padding: .5rem .5rem .4rem; }
.summary td:first-child { padding-left: .5rem; }
.summary th a { font-weight: 700; }
.counts { width: auto; } .counts td, .counts th { padding-right: 1.4rem; } .counts td + td { text-align: right; }
.claims { table-layout: fixed; } .claims th:nth-child(2), .claims th:nth-child(3) { width: 19%; }
.claims th:nth-child(4) { width: 6.6rem; }
.claims tr.why td { border-bottom: 1px solid var(--line); padding-top: 0; color: var(--soft); }
.claims tr.claim:not(.whole) td { border-bottom: 0; }
.claims .place { color: var(--soft); }
.yes { color: var(--yes); } .no { color: var(--no); font-weight: 700; } .more { color: var(--more); }
td.yes, td.no, td.more, .quantities td.number { white-space: nowrap; }
td .soft { white-space: normal; font-weight: 400; }
details { margin: .8rem 0; } summary { cursor: pointer; color: var(--link); }
figure { margin: 1rem 0; }
.pictures { display: grid; gap: .6rem; align-items: start;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); }
@media (max-width: 40rem) { h2 { margin-top: 2.2rem; }
  .claims, .claims thead, .claims tbody, .quantities, .quantities thead, .quantities tbody, .summary, .summary thead,
  .summary tbody { display: block; }
  .claims tr, .quantities tr, .summary tr { display: grid; }
  .claims thead, .claims td.first { grid-column: 1 / -1; }
  .claims tr.claim { grid-template-columns: 1fr 1.1fr 6.2rem; } .claims thead { display: none; }
  .claims tr.why { grid-template-columns: 1fr; } .claims tr.why, .claims tr.whole { border-bottom: 1px solid var(--line); }
  .claims tr td { border: 0 !important; }
  .claims td[data-what]::before { content: attr(data-what); display: block; color: var(--soft);
    font-size: .78rem; font-weight: 400; }
  .quantities tr, .summary tr { grid-template-columns: 1.9fr 1.1fr 1.3fr 3.8rem; border-bottom: 1px solid var(--line); }
  .quantities thead th, .summary thead th { font-size: .78rem; overflow-wrap: normal; }
  .summary th[colspan], .summary td[colspan] { grid-column: 1 / -1; }
  .quantities td, .quantities th, .summary td, .summary th { border: 0; } .quantities td, .summary td { overflow-wrap: anywhere; }
  .quantities td.number { white-space: normal; }
  .quantities .note { grid-column: 1 / -1; color: var(--soft); }
  .quantities th.note { display: none; } .counts { font-size: .75rem; } .counts td, .counts th { padding-right: .45rem; } }
.broad { grid-column: 1 / -1; }
img { max-width: 100%; height: auto; background: #fff; border-radius: 4px; display: block; margin: 0 auto; }
code { font: .85rem/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.command { background: var(--shade); padding: .5rem .7rem; border-radius: 4px; display: block; }
.reasons { border-left: 3px solid var(--no); padding-left: .8rem; margin: .8rem 0; font-size: .92rem; }
.reasons ul { margin: .2rem 0; padding-left: 1.1rem; }
sub, sup { line-height: 0; }
@page { size: A4; margin: 14mm 13mm; }
@media print { :root { --ink: #000; --soft: #444; --paper: #fff; --line: #bbb; --shade: #f2f2f2; --yes: #17692f; --no: #b3261e;
    --more: #1b5e9e; --link: #000; color-scheme: light; }
  html { font-size: 9.5pt; } body { max-width: none; padding: 0; } h2 { margin-top: 1.6rem; }
  img, tr, .reasons, .command, .facts { break-inside: avoid; } figcaption { break-before: avoid; }
  tr.claim:not(.whole) { break-after: avoid; }
  h2, h3, h2 + p, thead { break-after: avoid; } .wide { overflow: visible; } a { color: inherit; text-decoration: none; }
  .pictures { grid-template-columns: repeat(2, 1fr); grid-auto-flow: dense; } img { max-height: 115mm; width: auto; }
  details::details-content { content-visibility: visible; block-size: auto; } summary { list-style: none; font-weight: 600; }
  .quantities td.number { white-space: normal; } details.rows, #rows { display: none; } }
"""
