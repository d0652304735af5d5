import { createHash } from 'node:crypto';
import type { Tombstone } from '../../../collection/timeline/deleted.ts';
import type { TimelineLine } from '../../../collection/timeline/fold.ts';
import { excerptOf } from '../../../evidence/redact.ts';
import {
  clockText,
  remarkOf,
  secondText,
  shownName,
  shownWhat,
  standingText,
  stoneFacts,
  stoneName,
  type TimelinePage,
} from './timeline-page.ts';

/** Text as HTML shows it, also between the quotes of an attribute. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

const STYLE = `
:root{color-scheme:light dark}
body{font:14px/1.45 system-ui,sans-serif;margin:2em auto;max-width:76em;padding:0 1em}
h1{font-size:1.4em;margin:0 0 .2em}
p{margin:.2em 0}
.dim{opacity:.65}
svg{width:100%;height:auto;margin:1em 0}
svg text{font:12px system-ui,sans-serif;fill:currentColor}
svg line{stroke:currentColor;stroke-opacity:.2}
.bad{fill:#d33c3c;color:#d33c3c}
.good{fill:#2a9d55;color:#2a9d55}
.note{fill:#c98a00;color:#c98a00}
.plain{fill:#6b7f99}
table{border-collapse:collapse;width:100%}
td,th{text-align:left;vertical-align:top;padding:.2em .8em .2em 0;border-bottom:1px solid #8883}
td:first-child{white-space:nowrap;font-variant-numeric:tabular-nums}
td.what{overflow-wrap:anywhere}
`;

/** Nothing may be loaded or run: the one style is known by its sum. */
function policy(): string {
  const sum = createHash('sha256').update(STYLE).digest('base64');
  return `default-src 'none'; style-src 'sha256-${sum}'; base-uri 'none'; form-action 'none'`;
}

function pageOf(title: string, body: readonly string[]): string {
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy()}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(title)}</title>`,
    `<style>${STYLE}</style>`,
    '</head>',
    '<body>',
    ...body,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

const ENDS = new Set(['node-deleted', 'machine-gone', 'node-deleting', 'claim-deleting', 'gap']);
const BAD =
  /^(?:not-usable|.* -> not-usable|Ready is (?:False|Unknown)|instance is (?:terminated|shutting-down)|(?:Deleting|Removing)Node:)/;
const GOOD =
  /^(?:usable|.* -> usable|Ready is True|instance is running|launched|Node .* is created)/;

/** Whether a line is good or bad news, as far as its words say. */
function toneOf({ row, what }: TimelineLine): 'bad' | 'good' | 'note' | 'plain' {
  if (row.kind === 'gap') return 'note';
  if (ENDS.has(row.kind) || BAD.test(what)) return 'bad';
  if (GOOD.test(what)) return 'good';
  const isWarning = typeof row.body === 'object' && JSON.stringify(row.body).includes('"Warning"');
  return isWarning ? 'note' : 'plain';
}

const WIDTH = 1000;
const LEFT = 150;
const LANE = 26;
const LANES_MAX = 16;
const DOTS_MAX = 4000;

/** A lane for each source, a dot for each line, a bar where it was repeated. */
function picture(lines: readonly TimelineLine[]): string {
  const shown = lines.slice(-DOTS_MAX);
  const sources = [...new Set(shown.map(({ row }) => row.source))].slice(0, LANES_MAX);
  const times = shown.flatMap(({ row, lastMs }) => [row.atMs, lastMs]);
  const fromMs = times.reduce((first, ms) => Math.min(first, ms), Infinity);
  const toMs = times.reduce((last, ms) => Math.max(last, ms), -Infinity);
  const x = (ms: number): number =>
    LEFT + Math.round(((ms - fromMs) / Math.max(1, toMs - fromMs)) * (WIDTH - LEFT - 20) * 10) / 10;
  const height = LANE * (sources.length + 1);
  const lanes = sources.flatMap((source, index) => laneOf(source, (index + 0.6) * LANE, shown, x));
  return [
    `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="What happened, by source and time">`,
    ...lanes,
    `<text x="${LEFT}" y="${height - 6}">${secondText(fromMs)}</text>`,
    `<text x="${WIDTH - 20}" y="${height - 6}" text-anchor="end">${secondText(toMs)}</text>`,
    '</svg>',
  ].join('\n');
}

function laneOf(
  source: string,
  y: number,
  lines: readonly TimelineLine[],
  x: (ms: number) => number,
): readonly string[] {
  const marks = lines.filter(({ row }) => row.source === source).map((line) => markOf(line, y, x));
  return [
    `<line x1="${LEFT}" y1="${y}" x2="${WIDTH - 20}" y2="${y}"/>`,
    `<text x="${LEFT - 10}" y="${y + 4}" text-anchor="end">${escapeHtml(excerptOf(source, 20))}</text>`,
    ...marks,
  ];
}

function markOf(line: TimelineLine, y: number, x: (ms: number) => number): string {
  const [from, to] = [x(line.row.atMs), x(line.lastMs)];
  const title = `<title>${escapeHtml(`${secondText(line.row.atMs)} ${shownWhat(line)}`)}</title>`;
  const tone = toneOf(line);
  return to - from < 1
    ? `<circle class="${tone}" cx="${from}" cy="${y}" r="5">${title}</circle>`
    : `<rect class="${tone}" x="${from}" y="${y - 4}" width="${to - from}" height="8" rx="4">${title}</rect>`;
}

function rowOf(line: TimelineLine): string {
  const { row } = line;
  const more = `<span class="dim">${escapeHtml(remarkOf(line))}</span>`;
  const cells = [secondText(row.atMs), excerptOf(row.source, 40), shownName(row.subject)];
  return [
    '<tr>',
    ...cells.map((cell) => `<td>${escapeHtml(cell)}</td>`),
    `<td class="what ${toneOf(line)}">${escapeHtml(shownWhat(line))}${more}</td>`,
    '</tr>',
  ].join('');
}

function tableOf(head: readonly string[], rows: readonly string[]): string {
  const titles = head.map((title) => `<th>${title}</th>`).join('');
  return ['<table>', `<tr>${titles}</tr>`, ...rows, '</table>'].join('\n');
}

/** The story as a page that needs nothing else. */
export function timelineHtml(page: TimelinePage): string {
  const title = page.name === null ? `Cluster ${shownName(page.cluster)}` : shownName(page.name);
  const others = page.names.filter((one) => one !== page.name).map(shownName);
  const then = page.atMs === null ? [] : [`At ${secondText(page.atMs)}:`];
  const clock = clockText(page.lines);
  const paragraphs = [
    ...(clock === null ? [] : [clock]),
    ...then,
    ...page.standings.map(standingText),
  ];
  return pageOf(`${title}: timeline`, [
    `<h1>${escapeHtml(title)}</h1>`,
    `<p class="dim">${escapeHtml([`cluster ${shownName(page.cluster)}`, ...others].join(' · '))}</p>`,
    ...paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`),
    ...(page.lines.length === 0 ? ['<p>Nothing was recorded.</p>'] : [picture(page.lines)]),
    tableOf(['Time (UTC)', 'Source', 'Subject', 'What happened'], page.lines.map(rowOf)),
    ...(page.isCut ? ['<p>There is more than is shown.</p>'] : []),
  ]);
}

/** What is gone as a page that needs nothing else. */
export function deletedHtml(cluster: string, stones: readonly Tombstone[]): string {
  const rows = stones.map((stone) => {
    const words = stone.lastWords.map((word) => escapeHtml(excerptOf(word, 600))).join('<br>');
    const cells = [secondText(stone.atMs), `${stone.kind} ${stoneName(stone)}`, stoneFacts(stone)];
    return `<tr>${cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}<td class="what">${words}</td></tr>`;
  });
  const title = `Gone from ${shownName(cluster)}`;
  const head = ['Time (UTC)', 'Name', 'Facts', 'Last words'];
  return pageOf(title, [`<h1>${escapeHtml(title)}</h1>`, tableOf(head, rows)]);
}
