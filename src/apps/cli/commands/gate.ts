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

/** `rollcall gate explain NODE`: why a gate keeps a node shut. @throws UsageError */
export async function gateCommand(args: readonly string[], context: CliContext): Promise<number> {
  const { values, words } = parseCommandLine(GATE, args);
  const [verb, node] = words;
  if (verb !== 'explain')
    throw new UsageError(
      verb === undefined
        ? 'gate needs a verb: rollcall gate explain NODE'
        : `unknown verb ${quoted(verb)}; use explain`,
    );
  if (node === undefined) throw new UsageError('gate explain needs the name of a Node');
  return await explain(values, node, context);
}
