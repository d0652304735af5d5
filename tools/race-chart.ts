import { type Interval, percent } from './race-figures.ts';

export interface ChartPoint {
  readonly bootS: number;
  readonly share: number;
  readonly interval: Interval;
}

export interface ChartLine {
  readonly label: string;
  readonly points: readonly ChartPoint[];
}

/** One frame of the picture: machines that join at once, and a line for each controller. */
export interface ChartPanel {
  readonly title: string;
  readonly lines: readonly ChartLine[];
}

const PANEL = { width: 270, height: 230, gap: 24 };
const EDGE = { left: 62, top: 62, right: 16, bottom: 116 };
/** Lines in front are moved a little, so that equal ones are seen beside each other. */
const SHIFT = 5;
const TICK_STEPS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2];
const TICKS_MAX = 6;
const LEGEND_COLUMN = 420;

const STYLE = `<style>
text{font:13px system-ui,"Segoe UI","DejaVu Sans",sans-serif;fill:#1f2328}
.page{fill:#ffffff}.title{font-size:16px;font-weight:600}.grid{stroke:#d1d9e0;stroke-width:1}
.axis{stroke:#59636e;stroke-width:1}.dim{fill:#59636e}
.line{fill:none;stroke-width:2}.bar{stroke-width:1.2;opacity:.65}
.c0{stroke:#0969da}.c1{stroke:#bc4c00}.c2{stroke:#8250df}.c3{stroke:#1a7f37}
.f0{fill:#0969da}.f1{fill:#bc4c00}.f2{fill:#8250df}.f3{fill:#1a7f37}
@media (prefers-color-scheme:dark){text{fill:#f0f6fc}.page{fill:#0d1117}.grid{stroke:#3d444d}
.axis{stroke:#9198a1}.dim{fill:#9198a1}
.c0{stroke:#4493f8}.c1{stroke:#f0883e}.c2{stroke:#ab7df8}.c3{stroke:#3fb950}
.f0{fill:#4493f8}.f1{fill:#f0883e}.f2{fill:#ab7df8}.f3{fill:#3fb950}}
</style>`;

interface Scale {
  readonly left: number;
  readonly x: (index: number) => number;
  readonly y: (share: number) => number;
}

function tickStep(most: number): number {
  return TICK_STEPS.find((step) => most / step <= TICKS_MAX) ?? 0.25;
}

function text(x: number, y: number, content: string, more = ''): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}"${more}>${content}</text>`;
}

function segment(from: readonly [number, number], to: readonly [number, number], css: string) {
  const [[x1, y1], [x2, y2]] = [from, to];
  return `<line class="${css}" x1="${x1.toFixed(1)}" y1="${y1.toFixed(1)}" x2="${x2.toFixed(1)}" y2="${y2.toFixed(1)}"/>`;
}

function yAxis({ left, y }: Scale, top: number, isFirst: boolean): readonly string[] {
  const step = tickStep(top);
  const ticks = Array.from({ length: Math.round(top / step) + 1 }, (_, index) => index * step);
  return ticks.flatMap((share) => [
    segment([left, y(share)], [left + PANEL.width, y(share)], 'grid'),
    ...(isFirst ? [text(left - 8, y(share) + 4, percent(share), ' text-anchor="end"')] : []),
  ]);
}

function xAxis({ left, x, y }: Scale, bootsS: readonly number[]): readonly string[] {
  const middle = ' text-anchor="middle"';
  return [
    segment([left, y(0)], [left + PANEL.width, y(0)], 'axis'),
    ...bootsS.map((bootS, index) => text(x(index), y(0) + 20, `${bootS} s`, middle)),
  ];
}

function drawnLine({ points }: ChartLine, rank: number, { x, y }: Scale): readonly string[] {
  const shift = (rank - 1.5) * SHIFT;
  const at = points.map(({ share }, index) => [x(index) + shift, y(share)] as const);
  const path = at.map(([px, py]) => `${px.toFixed(1)},${py.toFixed(1)}`).join(' ');
  return [
    ...points.map(({ interval }, index) => {
      const px = x(index) + shift;
      return segment([px, y(interval.low)], [px, y(interval.high)], `bar c${rank}`);
    }),
    `<polyline class="line c${rank}" points="${path}"/>`,
    ...at.map(
      ([px, py]) =>
        `<circle class="f${rank}" cx="${px.toFixed(1)}" cy="${py.toFixed(1)}" r="3.2"/>`,
    ),
  ];
}

function drawnPanel(panel: ChartPanel, index: number, top: number): readonly string[] {
  const left = EDGE.left + index * (PANEL.width + PANEL.gap);
  const bootsS = panel.lines[0]?.points.map(({ bootS }) => bootS) ?? [];
  const step = PANEL.width / bootsS.length;
  const scale: Scale = {
    left,
    x: (at) => left + step * (at + 0.5),
    y: (share) => EDGE.top + PANEL.height * (1 - share / top),
  };
  return [
    text(left, EDGE.top - 10, panel.title),
    ...yAxis(scale, top, index === 0),
    ...xAxis(scale, bootsS),
    ...panel.lines.flatMap((line, rank) => drawnLine(line, rank, scale)),
  ];
}

function legend(lines: readonly ChartLine[], y: number): readonly string[] {
  return lines.flatMap(({ label }, rank) => {
    const left = EDGE.left + (rank % 2) * LEGEND_COLUMN;
    const row = y + Math.floor(rank / 2) * 20;
    return [
      segment([left, row - 4], [left + 26, row - 4], `line c${rank}`),
      `<circle class="f${rank}" cx="${left + 13}" cy="${row - 4}" r="3.2"/>`,
      text(left + 34, row, label),
    ];
  });
}

/** A chart of shares over boot times, in frames beside each other with one scale. */
export function raceChart(panels: readonly ChartPanel[]): string {
  const points = panels.flatMap(({ lines }) => lines.flatMap((line) => line.points));
  const most = Math.max(...points.map(({ interval }) => interval.high), 0.01);
  const top = Math.ceil(most / tickStep(most)) * tickStep(most);
  const width =
    EDGE.left + panels.length * PANEL.width + (panels.length - 1) * PANEL.gap + EDGE.right;
  const height = EDGE.top + PANEL.height + EDGE.bottom;
  const below = EDGE.top + PANEL.height;
  const xTitle = 'median time from a running machine to its join command, s';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    '<title>Nodes deleted as not in the cloud, by boot time, machines and cloud controller</title>',
    STYLE,
    `<rect class="page" width="${width}" height="${height}" rx="6"/>`,
    text(EDGE.left, 26, 'Nodes that joined and were deleted as not in the cloud', ' class="title"'),
    ...panels.flatMap((panel, index) => drawnPanel(panel, index, top)),
    text(width / 2, below + 44, xTitle, ' class="dim" text-anchor="middle"'),
    `<text class="dim" text-anchor="middle" transform="translate(16 ${EDGE.top + PANEL.height / 2}) rotate(-90)">share of the machines</text>`,
    ...legend(panels[0]?.lines ?? [], below + 76),
    '</svg>',
    '',
  ].join('\n');
}
