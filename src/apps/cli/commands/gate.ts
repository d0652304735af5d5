import { GATE } from '../declared/gate.ts';
import { type CliContext, UsageError } from '../context.ts';
import { EXIT } from '../exit-code.ts';
import { liveFlagsOf } from '../live/flags.ts';
import type { ParsedOptions } from '../options/declaration.ts';
import { parseCommandLine } from '../options/parse.ts';
import { quoted } from '../options/quoted.ts';
import { structured } from '../structured.ts';

type Values = ParsedOptions<typeof GATE.options>;

const EXITS = { open: EXIT.usable, shut: EXIT.notUsable, unknown: EXIT.cannotTell } as const;
const NOT_HERE = { cluster: null, region: null, profile: null, timeout: null };

async function explain(values: Values, node: string, context: CliContext): Promise<number> {
  const { explainGates } = await import('../../gate/explain.ts');
  const { explanationPage } = await import('../pages/gate-explanation.ts');
  const { output } = values;
  const explanation = await explainGates(liveFlagsOf({ ...NOT_HERE, ...values }), node);
  const page = (): string => `${explanationPage(explanation).join('\n').trimEnd()}\n`;
  context.out(output === 'text' ? page() : await structured(explanation, output));
  return EXITS[explanation.state];
}

async function slipIns(
  values: Values,
  nodes: readonly string[],
  context: CliContext,
): Promise<number> {
  const [node = null, ...more] = nodes;
  if (more.length > 0) throw new UsageError('gate slip-ins takes one Node, or none for all');
  const { reportSlipIns } = await import('../../gate/slip-ins.ts');
  const { slipInPage } = await import('../pages/slip-ins.ts');
  const { output } = values;
  const report = await reportSlipIns(liveFlagsOf({ ...NOT_HERE, ...values }), node);
  const page = (): string => `${slipInPage(report).join('\n').trimEnd()}\n`;
  context.out(output === 'text' ? page() : await structured(report, output));
  if (report.slipIns.length > 0) return EXIT.notUsable;
  return report.notRead.length > 0 ? EXIT.cannotTell : EXIT.usable;
}

async function convert(files: readonly string[], context: CliContext): Promise<number> {
  if (files.length === 0)
    throw new UsageError('gate convert needs a file, or - for the standard input');
  const { convertFiles } = await import('../../gate/convert.ts');
  return (await convertFiles(files, context)) ? EXIT.usable : EXIT.notUsable;
}

/** `rollcall gate`: says why a node is shut and which Pods came too early, and makes NodeGates. @throws UsageError */
export async function gateCommand(args: readonly string[], context: CliContext): Promise<number> {
  const { values, words } = parseCommandLine(GATE, args);
  const [verb, ...rest] = words;
  if (verb === 'convert') return await convert(rest, context);
  if (verb === 'slip-ins') return await slipIns(values, rest, context);
  if (verb !== 'explain')
    throw new UsageError(
      verb === undefined
        ? 'gate needs a verb: rollcall gate explain NODE, gate slip-ins, or gate convert FILE'
        : `unknown verb ${quoted(verb)}; use explain, slip-ins or convert`,
    );
  const [node, ...more] = rest;
  if (node === undefined) throw new UsageError('gate explain needs the name of a Node');
  if (more.length > 0) throw new UsageError('gate explain takes one Node');
  return await explain(values, node, context);
}
