// The one style sheet of the HTML pages. It stands in the page itself, so that a page is whole without a second request,
// and a content security policy allows it by its hash: nothing else that looks like style or script is run.
import { createHash } from 'node:crypto';

export const STYLE = `
:root { color-scheme: light dark; --paper: #f5f6f8; --card: #fff; --ink: #1b2330; --soft: #667085; --line: #e3e6ec; --link: #1f5fc4; --accent: #1f6ad0;
  --good: #15803d; --bad: #b42318; --bad-soft: #fdecea; --ground: #eef2f5; --grid: #d9e0e7; }
@media (prefers-color-scheme: dark) { :root { --paper: #12161c; --card: #1a2029; --ink: #e4e8ee; --soft: #93a0b2; --line: #2b3440; --link: #7fb0ff; --accent: #5a9bff;
  --good: #4ade80; --bad: #ff8a80; --bad-soft: #3b1f1f; --ground: #151b23; --grid: #26303b; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
header { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; padding: .7rem 1.5rem; background: var(--card); border-bottom: 1px solid var(--line); }
.brand { font-weight: 700; letter-spacing: .01em; }
.brand svg { vertical-align: -3px; margin-right: .4rem; }
.crumbs { display: flex; flex-wrap: wrap; margin: 0; padding: 0; list-style: none; }
.crumbs li + li::before { content: "/"; color: var(--soft); margin: 0 .45rem; }
.sections { flex-basis: 100%; display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; font-size: .92rem; }
.sections a { padding: .1rem 0; color: var(--soft); border-bottom: 2px solid transparent; }
.sections a[aria-current] { color: var(--ink); border-color: var(--accent); }
.sections + .sections { margin-top: -.2rem; }
.formats { margin-left: auto; display: flex; flex-wrap: wrap; gap: .35rem; }
.formats a { padding: .1rem .65rem; border: 1px solid var(--line); border-radius: 99px; font-size: .85rem; }
main { max-width: 78rem; margin: 0 auto; padding: 1.5rem; }
h1 { margin: 0; font-size: 1.55rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 1.6rem 0 -.6rem; font-size: 1.1rem; }
h2 .count { color: var(--soft); font-weight: 400; margin-left: .4em; }
.about { margin: .2rem 0 1.2rem; color: var(--soft); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; margin: 1.2rem 0; overflow-x: auto; }
.map svg { display: block; width: 100%; height: auto; background: var(--ground); }
.map .grid { stroke: var(--grid); stroke-width: 1; }
.map text { font-size: 11px; fill: var(--soft); }
.map .label { font-size: 12px; font-weight: 600; fill: var(--ink); paint-order: stroke; stroke: var(--ground); stroke-width: 3px; stroke-linejoin: round; }
.map .track { fill: none; stroke: var(--accent); stroke-width: 3; stroke-linejoin: round; stroke-linecap: round; }
.map .dot { fill: var(--accent); stroke: var(--card); stroke-width: 2; }
.map .start { fill: var(--good); } .map .end { fill: var(--bad); }
.map .shape { fill: var(--accent); fill-opacity: .16; stroke: var(--accent); stroke-width: 2; stroke-linejoin: round; }
.map .corridor { fill: none; stroke: var(--accent); stroke-opacity: .3; stroke-linejoin: round; stroke-linecap: round; }
.map .scale { fill: none; stroke: var(--soft); stroke-width: 1.5; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .4rem .9rem; text-align: left; vertical-align: top; border-top: 1px solid var(--line); }
tr:first-child > th, tr:first-child > td { border-top: 0; }
th { font-weight: 500; color: var(--soft); white-space: nowrap; }
th[title] { cursor: help; }
.object > tbody > tr > th { width: 13rem; }
.object > tbody > tr > td { overflow-wrap: anywhere; }
td table { border: 1px solid var(--line); }
summary { cursor: pointer; color: var(--link); }
details[open] > summary { margin-bottom: .4rem; }
.list thead th { border-bottom: 1px solid var(--line); font-size: .86rem; }
.list th, .list td { padding-left: .7rem; padding-right: .7rem; }
.list td { white-space: nowrap; }
.list time { margin-left: 0; color: inherit; }
.list .null { opacity: .6; }
.next { text-align: right; }
.list .n { text-align: right; }
.list .row { color: var(--soft); text-align: right; width: 1%; }
.list tbody tr:hover { background: var(--paper); }
.unit, .null, time { color: var(--soft); }
.unit { font-size: .86em; margin-left: .25em; }
time { margin-left: .5em; white-space: nowrap; }
.true { color: var(--good); }
.fault { padding: .05rem .5rem; border-radius: 99px; background: var(--bad-soft); color: var(--bad); font-weight: 600; }
.status { font-size: 3rem; font-weight: 700; line-height: 1; color: var(--bad); margin: 0 0 .5rem; }
.detail { font-size: 1.05rem; max-width: 46rem; }
ul { margin: 0; padding-left: 1.1rem; }
.sign-in { max-width: 23rem; margin: 9vh auto 0; padding: 1.8rem; background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
.sign-in label { display: block; margin-top: 1rem; font-weight: 500; }
.sign-in input { display: block; width: 100%; margin-top: .25rem; padding: .55rem .7rem; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line); border-radius: 7px; }
.sign-in button { width: 100%; margin-top: 1.4rem; padding: .6rem; font: inherit; font-weight: 600; color: #fff; background: #1f5fc4; border: 0; border-radius: 7px; cursor: pointer; }
.sign-in button:hover { background: #184c9e; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.message { margin: 1rem 0 0; padding: .5rem .7rem; border-radius: 7px; background: var(--bad-soft); color: var(--bad); }
`;

/** For `style-src` of a content security policy (CSP Level 3, section 2.3.1, hash-source). */
export const STYLE_SOURCE = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;
