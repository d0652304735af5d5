import type { FixDocument } from '../../../controllers/fix/document.ts';
import type { LostBy } from '../../../controllers/fix/auth/lost-by.ts';
import { type FixOutcome, type FixStep, isWell } from '../../../controllers/fix/fix.ts';
import { printable, redact } from '../../../evidence/redact.ts';
import { commandRows, paragraph } from './layout.ts';

const WORDS: Readonly<Record<FixOutcome, string>> = {
  'not-needed': 'nothing to do',
  'would-write': 'would change',
  written: 'changed and verified',
  overwritten: 'changed, and overwritten by another program',
  refused: 'not changed',
  'forbidden-by-budget': 'not changed, as a PodDisruptionBudget forbids it now',
  conflict: 'not changed, as others kept changing it',
  unclear: 'unclear whether it was changed',
};

function stepLines({
  object,
  outcome,
  why,
  diff,
  commands,
  lostBy = [],
}: FixStep): readonly string[] {
  return [
    `${object}: ${WORDS[outcome]}`,
    ...paragraph(why, '  '),
    ...lostBy.flatMap(({ text }) => paragraph(`Lost by: ${text}`, '  ')),
    ...(diff.length === 0 ? [] : ['', ...diff.map((line) => `    ${line}`)]),
    ...commands.flatMap((command) => commandRows(command)),
    '',
  ];
}

function nextLines({ isDryRun, steps, undo, result }: FixDocument): readonly string[] {
  if (result !== null) return paragraph(result.text);
  if (undo !== null) return ['Take it back:', ...commandRows(undo)];
  if (!isDryRun || !steps.some(({ outcome }) => outcome === 'would-write')) return [];
  return ['Nothing was changed. With --yes it is done.'];
}

function cleaned(lostBy: LostBy, clean: (text: string) => string): LostBy {
  const { by, at, from, text } = lostBy;
  const orNull = (value: string | null): string | null => (value === null ? null : clean(value));
  return { ...lostBy, by: orNull(by), at: orNull(at), from: orNull(from), text: clean(text) };
}

/** What a person may see of a document: without secrets and control characters. */
export function shownFix(document: FixDocument): FixDocument {
  const clean = (text: string): string => redact(printable(text));
  return {
    ...document,
    why: { ...document.why, text: clean(document.why.text) },
    disturbs: document.disturbs.map(clean),
    steps: document.steps.map((step) => ({
      ...step,
      object: clean(step.object),
      why: clean(step.why),
      diff: redact(step.diff.map(printable).join('\n'))
        .split('\n')
        .filter((line) => line !== ''),
      commands: step.commands.map(clean),
      ...(step.lostBy === undefined
        ? {}
        : { lostBy: step.lostBy.map((one) => cleaned(one, clean)) }),
    })),
    result:
      document.result === null ? null : { ...document.result, text: clean(document.result.text) },
  };
}

/** The page of `rollcall fix`. */
export function fixPage(document: FixDocument): readonly string[] {
  const { why, disturbs, steps, undo, result } = document;
  const isBoth = result !== null && undo !== null && steps.every(isWell);
  return [
    ...paragraph(why.cause === null ? why.text : `${why.cause}: ${why.text}`),
    '',
    ...steps.flatMap(stepLines),
    ...disturbs.flatMap((text) => paragraph(`Disturbs: ${text}`)),
    ...nextLines(document),
    ...(isBoth ? ['Take it back:', ...commandRows(undo)] : []),
  ];
}
