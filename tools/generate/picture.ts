import { join } from 'node:path';
import { openEvidence } from '../../src/adapters/bundle/open.ts';
import { diagnoseObservations } from '../../src/engine/diagnose.ts';
import { type PileDocument, readPile } from '../../src/engine/pile.ts';
import { renderText } from '../../src/diagnosis/report/text.ts';
import type { GeneratedFile } from './cause-pages.ts';

const ROOT = join(import.meta.dirname, '../..');
const STORY = 'examples/4a-never-let-in';
const LINES_MAX = 26;
const CHARACTER_WIDTH = 8.43;
const LINE_HEIGHT = 19;
const MARGIN = 20;

/** Classes of the terminal's colours, by their escape code. */
const CLASSES: Readonly<Record<string, string>> = { 31: 'r', 32: 'g', 33: 'y', 1: 'b', 2: 'd' };

function escapeXml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

/** One terminal line as text with spans where the colour changes. */
function svgLine(line: string, index: number): string {
  const parts = line.split(/\u001b\[(\d+)m/);
  let text = '';
  for (let at = 0; at < parts.length; at += 2) {
    const style = CLASSES[parts[at - 1] ?? ''];
    const part = escapeXml(parts[at] ?? '');
    text += style === undefined || part === '' ? part : `<tspan class="${style}">${part}</tspan>`;
  }
  const y = MARGIN + 32 + index * LINE_HEIGHT;
  return `<text x="${MARGIN}" y="${y}" xml:space="preserve">${text}</text>`;
}

/** Lines of a terminal, coloured by their escape codes, as a picture that stands alone. */
export function svg(lines: readonly string[], columns = 100): string {
  const width = Math.round(columns * CHARACTER_WIDTH + 2 * MARGIN);
  const height = MARGIN * 2 + 24 + lines.length * LINE_HEIGHT;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    '<style>text{font:14px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#d8dee9}',
    '.r{fill:#ff6b6b}.g{fill:#8fd694}.y{fill:#f2c14e}.b{font-weight:700;fill:#fff}.d{fill:#8b96a8}</style>',
    `<rect width="${width}" height="${height}" rx="8" fill="#161b22"/>`,
    ...lines.map(svgLine),
    '</svg>',
    '',
  ].join('\n');
}

/** The story's files under names that do not depend on where the checkout lies. */
async function* storyDocuments(): AsyncGenerator<PileDocument> {
  for await (const document of openEvidence([join(ROOT, STORY)], () => undefined)) {
    const locator = document.locator.replace(`${ROOT}/`, '');
    yield { locator, container: null, chunks: document.chunks };
  }
}

/** The picture of the README: what a terminal shows for one of the stories. */
export async function picture(): Promise<GeneratedFile> {
  const document = await diagnoseObservations(await readPile(storyDocuments()));
  const text = renderText(document, { columns: 100, colour: true, paths: [STORY] });
  const command = `\u001b[2m$ rollcall diagnose ${STORY}\u001b[0m`;
  return {
    path: 'docs/picture.svg',
    text: svg([command, '', ...text.split('\n')].slice(0, LINES_MAX)),
  };
}
