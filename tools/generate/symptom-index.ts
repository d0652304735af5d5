import type { Cause, Sign } from '../../src/diagnosis/cause.ts';
import { tableCode } from '../../src/diagnosis/report/cause-page.ts';
import { messagesOf } from '../../src/diagnosis/report/messages.ts';

/** The causes by what people search for, and by what programs print. */
export function symptomIndex(causes: readonly Cause[]): readonly string[] {
  const successes = new Set(causes.flatMap(successesOf));
  return [
    '## By symptom',
    '',
    ...textTable('symptom', causes, ({ page }) => page.alsoKnownAs ?? []),
    '## By message',
    '',
    'An ellipsis (…) stands where the message varies.',
    '',
    ...textTable('message', causes, (cause) =>
      troublesOf(cause).filter((message) => !successes.has(message)),
    ),
  ];
}

function successesOf({ signs }: Cause): readonly string[] {
  return Object.values(signs)
    .filter(({ weight }) => weight === 'withdraws' || weight === 'clears')
    .flatMap(({ pattern }) => messagesOf(pattern));
}

/** Of messages that only support a cause, those are left out that too many programs print. */
function troublesOf({ signs }: Cause): readonly string[] {
  return Object.values(signs)
    .filter(({ weight }) => weight !== 'withdraws' && weight !== 'clears')
    .flatMap((sign) => messagesOf(sign.pattern).filter((message) => isTelling(sign, message)));
}

const WORDS_MIN = 4;

function isTelling({ weight }: Sign, message: string): boolean {
  return weight !== 'context' || (message.match(/\p{L}{2,}/gu) ?? []).length >= WORDS_MIN;
}

/** One row for each text, with all its causes, in alphabetical order. */
function textTable(
  title: string,
  causes: readonly Cause[],
  textsOf: (cause: Cause) => readonly string[],
): readonly string[] {
  const links = new Map<string, Set<string>>();
  for (const cause of causes)
    for (const text of textsOf(cause)) {
      const known = links.get(text) ?? new Set();
      links.set(text, known.add(`[${cause.id}](${cause.id}.md)`));
    }
  const sorted = [...links].toSorted(([x], [y]) => (sortKey(x) < sortKey(y) ? -1 : 1));
  return [
    `| ${title} | cause |`,
    '|---|---|',
    ...sorted.map(([text, found]) => `| ${tableCode(text)} | ${[...found].join(', ')} |`),
    '',
  ];
}

function sortKey(text: string): string {
  return text.replace(/^[^\p{L}\p{N}]+/u, '').toLowerCase();
}
