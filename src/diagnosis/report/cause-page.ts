import { SOURCES } from '../../evidence/source.ts';
import type { Cause, Sign } from '../cause.ts';
import { messagesOf } from './messages.ts';

const READS: Readonly<Record<Sign['weight'], string>> = {
  definite: 'names it alone',
  likely: 'names it unless something speaks against it',
  context: 'supports it',
  withdraws: 'clears it when seen later',
  clears: 'rules it out',
};

function signRows(sign: Sign): readonly string[] {
  const sources = sign.in.map((source) => SOURCES[source].title).join(', ');
  return messagesOf(sign.pattern).map(
    (message) => `| ${tableCode(message)} | ${sources} | ${READS[sign.weight]} |`,
  );
}

/** Text in a cell of a Markdown table, as code. */
export function tableCode(text: string): string {
  const escaped = text.replaceAll('|', '\\|');
  return text.includes('`') ? `\`\` ${escaped} \`\`` : `\`${escaped}\``;
}

function signTable(cause: Cause): readonly string[] {
  const rows = [...new Set(Object.values(cause.signs).flatMap(signRows))];
  if (rows.length === 0) return [];
  return ['## What shows it', '', '| message | in | meaning |', '|---|---|---|', ...rows, ''];
}

function needs(cause: Cause): readonly string[] {
  if (cause.needs.length === 0) return [];
  return [`It also reads: ${cause.needs.map((kind) => `\`${kind}\``).join(', ')}.`, ''];
}

/** The page of a cause as Markdown: the same text for `rollcall explain` and the documentation. */
export function renderCausePage(cause: Cause): string {
  const steps = cause
    .remedy({})
    .flatMap((step) => [
      `- ${step.text}`,
      ...(step.command === null ? [] : ['', `      ${step.command}`, '']),
    ]);
  const aliases = cause.page.alsoKnownAs ?? [];
  return [
    `# ${cause.id}`,
    '',
    `${cause.title[0]?.toUpperCase() ?? ''}${cause.title.slice(1)}.`,
    `Stage: \`${cause.stage}\`. Belongs to: ${cause.scope}.`,
    ...(aliases.length === 0
      ? []
      : [`People search for: ${aliases.map((alias) => `“${alias}”`).join(', ')}.`]),
    '',
    '## Why it happens',
    '',
    cause.page.why,
    '',
    ...signTable(cause),
    ...needs(cause),
    '## How to fix it',
    '',
    ...steps,
    '',
    '## How to be sure',
    '',
    cause.decide.text,
    ...(cause.decide.command === null ? [] : ['', `    ${cause.decide.command}`]),
    '',
    '## How to prevent it',
    '',
    cause.page.prevent,
    '',
    '## When it is something else',
    '',
    cause.page.notThis,
    '',
    '## Sources',
    '',
    ...cause.page.refs.map((ref) => `- ${ref}`),
    '',
  ].join('\n');
}
