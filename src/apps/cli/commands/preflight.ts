import { openEvidence } from '../../../adapters/bundle/open.ts';
import type { PreflightDocument } from '../../../diagnosis/preflight.ts';
import { type PlanText, preflight } from '../../../engine/preflight.ts';
import { shown } from '../../../domain/words.ts';
import type { InputLoss } from '../../../evidence/observations.ts';
import { type CliContext, SourceError, UsageError } from '../context.ts';
import { PREFLIGHT } from '../declared/preflight.ts';
import { EXIT } from '../exit-code.ts';
import type { ParsedOptions } from '../options/declaration.ts';
import { parseCommandLine } from '../options/parse.ts';
import { jsonTexts, structured } from '../structured.ts';
import { wholeText } from '../whole-text.ts';

type Values = ParsedOptions<typeof PREFLIGHT.options>;

/** Larger plans are refused; those of thousands of resources have some tens of megabytes. */
const PLAN_BYTES_MAX = 256 * 1024 * 1024;

/** Judges plans before anything is launched. */
export async function preflightCommand(
  args: readonly string[],
  context: CliContext,
): Promise<number> {
  const { values, words } = parseCommandLine(PREFLIGHT, args);
  const paths = words.length === 0 && context.isInputPiped ? ['-'] : words;
  if (paths.length === 0)
    throw new UsageError('preflight needs a plan: terraform show -json plan.tfplan > plan.json');
  const losses: InputLoss[] = [];
  const document = await preflight(
    plansIn(paths, losses, context),
    losses,
    parametersOf(values.parameter),
  );
  if (document.plans.length === 0) throw new SourceError(reasonOf(document));
  await print(document, values.output, context);
  return exitCodeOfPreflight(document, values['fail-on']);
}

function parametersOf(given: readonly string[]): Readonly<Record<string, string>> {
  const pairs = given.map((text) => {
    const [, name, value] = /^([A-Za-z0-9]{1,255})=(.*)$/s.exec(text) ?? [];
    if (name === undefined || value === undefined)
      throw new UsageError(`--parameter takes NAME=VALUE, not ${shown(text)}`);
    return [name, value] as const;
  });
  return Object.fromEntries(pairs);
}

function reasonOf({ losses }: PreflightDocument): string {
  return losses[0]?.what ?? 'no plan in this input; print one: terraform show -json plan.tfplan';
}

async function* plansIn(
  paths: readonly string[],
  losses: InputLoss[],
  { limits, stdin }: CliContext,
): AsyncGenerator<PlanText> {
  const input = paths.includes('-') ? stdin() : undefined;
  const documents = openEvidence(paths, (loss) => losses.push(loss), limits, input);
  for await (const { locator, chunks } of documents) {
    const text = await wholeText(chunks, PLAN_BYTES_MAX);
    if (text !== null) yield { locator, text };
    else losses.push({ locator, what: `${locator} is larger than 256 MiB and is not read.` });
  }
}

async function print(
  document: PreflightDocument,
  output: Values['output'],
  context: CliContext,
): Promise<void> {
  if (output === 'text') {
    const { preflightPage } = await import('../pages/preflight-page.ts');
    context.out(`${preflightPage(document).join('\n')}\n`);
  } else if (output === 'markdown') {
    const { preflightMarkdown } = await import('../pages/preflight-markdown.ts');
    context.out(`${preflightMarkdown(document)}\n`);
  } else if (output === 'sarif') {
    const { sarifOf } = await import('../pages/preflight-sarif.ts');
    for (const text of jsonTexts(sarifOf(document))) context.out(text);
  } else context.out(await structured(document, output));
}

/** 1 for a finding that is sure enough, else 2 where something cannot be told, else 0. */
export function exitCodeOfPreflight(
  { subjects, losses }: PreflightDocument,
  failOn: Values['fail-on'],
): number {
  const findings = subjects.flatMap((subject) => subject.findings);
  const counted = findings.filter(
    ({ confidence }) => failOn === 'likely' || confidence === 'definite',
  );
  if (counted.length > 0) return EXIT.notUsable;
  const isOpen =
    losses.length > 0 || subjects.some(({ notObservable }) => notObservable.length > 0);
  return isOpen ? EXIT.cannotTell : EXIT.usable;
}
