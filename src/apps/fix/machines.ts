import { type FixDocument, fixDocument } from '../../controllers/fix/document.ts';
import type { FixOrder, FixStep, FixTools } from '../../controllers/fix/fix.ts';
import {
  fixHops,
  HOP_LIMIT_CAUSES,
  HOP_LIMIT_DISTURBS,
} from '../../controllers/fix/machine/hop-limit.ts';
import { machinesWith, type NamedMachine } from '../../controllers/fix/machine/named-machines.ts';
import {
  fixTaint,
  TAINT_CAUSES,
  TAINT_DISTURBS,
} from '../../controllers/fix/machine/startup-taint.ts';
import { plainStep } from '../../controllers/fix/step.ts';
import type { CliContext } from '../cli/context.ts';
import { lookWith, wholeQuestion } from '../cli/live/diagnose-cluster.ts';
import type { LiveFlags } from '../cli/live/flags.ts';
import { newFixId } from './new-id.ts';
import { inFixSession } from './session.ts';

interface MachineFix {
  readonly causes: ReadonlySet<string>;
  readonly disturbs: readonly string[];
  readonly fix: (order: FixOrder, machine: NamedMachine, tools: FixTools) => Promise<FixStep>;
}

const MACHINE_FIXES = {
  imds: {
    causes: HOP_LIMIT_CAUSES,
    disturbs: HOP_LIMIT_DISTURBS,
    fix: async (order, { instanceId }, tools) => fixHops(order, instanceId ?? '', tools),
  },
  taint: { causes: TAINT_CAUSES, disturbs: TAINT_DISTURBS, fix: fixTaint },
} as const satisfies Readonly<Record<string, MachineFix>>;

export type MachineFixName = keyof typeof MACHINE_FIXES;

export interface MachineFixOptions {
  readonly name: MachineFixName;
  readonly flags: LiveFlags;
  readonly record: string | null;
  readonly isDryRun: boolean;
  /** Nodes and instances; empty for all that have the cause. */
  readonly names: readonly string[];
}

/** Fixes machines one after another. @throws SourceError where no source answers */
export async function runMachineFix(
  options: MachineFixOptions,
  context: CliContext,
): Promise<FixDocument> {
  const { name, flags, isDryRun, names } = options;
  const { causes, disturbs, fix }: MachineFix = MACHINE_FIXES[name];
  return await inFixSession({ ...options, context }, async ({ clients, tools: toolsOf }) => {
    const { document } = await lookWith(clients, wholeQuestion(names, flags), context);
    const machines = machinesWith(document, causes);
    const [first] = machines;
    const text =
      first?.summary ?? `The diagnosis is sure of none of these: ${[...causes].join(', ')}.`;
    const why = { cause: first?.cause ?? null, text };
    const id = newFixId(name);
    const tools = toolsOf({ id, isDryRun });
    const steps: FixStep[] = [];
    for (const machine of machines) {
      const reason = { kind: 'finding', name: machine.cause, text: machine.summary } as const;
      steps.push(await fix({ id, isDryRun, why: reason }, machine, tools));
    }
    const none = plainStep('machines', 'refused', 'No machine has a cause that this fixes.');
    const all = steps.length === 0 ? [none] : steps;
    return fixDocument({ fix: name, isDryRun, why }, id, all, disturbs);
  });
}
