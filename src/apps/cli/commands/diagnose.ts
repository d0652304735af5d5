import { parseArgs } from 'node:util';
import { openEvidence } from '../../../adapters/bundle/open.ts';
import type { DiagnosisDocument } from '../../../diagnosis/document.ts';
import type { InputLoss } from '../../../evidence/observations.ts';
import { type CliContext, UsageError } from '../context.ts';
import { exitCodeOf } from '../exit-code.ts';
import { diagnoseObservations, readPile } from '../pile.ts';

const OUTPUTS = ['text', 'json', 'yaml', 'markdown'] as const;
type Output = (typeof OUTPUTS)[number];

interface DiagnoseArguments {
  readonly paths: readonly string[];
  readonly output: Output;
}

function readArguments(args: readonly string[], context: CliContext): DiagnoseArguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      output: { type: 'string', short: 'o', default: 'text' },
      with: { type: 'string', multiple: true, default: [] },
    },
  });
  const output = OUTPUTS.find((name) => name === values.output);
  if (output === undefined)
    throw new UsageError(`-o takes ${OUTPUTS.join(', ')}; "${values.output}" is none of them.`);
  const given = [...positionals, ...values.with];
  if (given.length === 0 && !context.isInputPiped) {
    throw new UsageError(
      'Say what to look at: rollcall diagnose PATH…, or pipe text into: rollcall diagnose -',
    );
  }
  return { paths: given.length === 0 ? ['-'] : given, output };
}

/** Diagnoses files, folders, archives and pasted text. */
export async function diagnoseCommand(
  args: readonly string[],
  context: CliContext,
): Promise<number> {
  const { paths, output } = readArguments(args, context);
  const losses: InputLoss[] = [];
  const documents = openEvidence(
    paths,
    (loss) => losses.push(loss),
    undefined,
    paths.includes('-') ? context.stdin() : undefined,
  );
  const document = await diagnoseObservations(await readPile(documents, losses));
  await print(document, output, paths, context);
  return exitCodeOf(document);
}

async function print(
  document: DiagnosisDocument,
  output: Output,
  paths: readonly string[],
  context: CliContext,
): Promise<void> {
  switch (output) {
    case 'json':
      context.out(`${JSON.stringify(document, null, 2)}\n`);
      return;
    case 'yaml': {
      const { dump } = await import('js-yaml');
      context.out(dump(document, { lineWidth: 100 }));
      return;
    }
    case 'markdown': {
      const { renderMarkdown } = await import('../../../diagnosis/report/markdown.ts');
      context.out(renderMarkdown(document));
      return;
    }
    case 'text': {
      const { renderText } = await import('../../../diagnosis/report/text.ts');
      context.out(
        renderText(document, { columns: context.columns, colour: context.colour, paths }),
      );
    }
  }
}
