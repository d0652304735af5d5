import { CNI_CAUSES, cniDisturbs, fixCni } from '../../controllers/fix/cni/fix-cni.ts';
import { type FixDocument, fixDocument } from '../../controllers/fix/document.ts';
import { machinesWith } from '../../controllers/fix/machine/named-machines.ts';
import { plainStep } from '../../controllers/fix/step.ts';
import type { OnRequest } from '../../collection/on-request.ts';
import type { CliContext } from '../cli/context.ts';
import { lookWith, wholeQuestion } from '../cli/live/diagnose-cluster.ts';
import type { LiveFlags } from '../cli/live/flags.ts';
import { newFixId } from './new-id.ts';
import { inFixSession } from './session.ts';

export interface CniFixOptions {
  readonly flags: LiveFlags;
  readonly record: string | null;
  readonly isDryRun: boolean;
  /** Nodes and instances; empty for all that have a cause. */
  readonly names: readonly string[];
  /** Also read the logs of ipamd through the kubelets. */
  readonly hasNodeLogs: boolean;
}

const NAME = 'cni';

/** Changes the settings of the VPC CNI. @throws SourceError where no source answers */
export async function runCniFix(options: CniFixOptions, context: CliContext): Promise<FixDocument> {
  const { flags, isDryRun, names, hasNodeLogs } = options;
  return await inFixSession({ ...options, context }, async ({ clients, tools }) => {
    const onRequest = new Set<OnRequest>(hasNodeLogs ? ['node-logs'] : []);
    const question = { ...wholeQuestion(names, flags), onRequest };
    const { document, cluster } = await lookWith(clients, question, context);
    const machines = machinesWith(document, CNI_CAUSES);
    const [first] = machines;
    const text =
      first?.summary ?? `The diagnosis is sure of none of these: ${[...CNI_CAUSES].join(', ')}.`;
    const id = newFixId(NAME);
    const why = { kind: 'finding', name: first?.cause ?? '', text } as const;
    const order = { id, isDryRun, why, machines, cluster };
    const none = plainStep('machines', 'refused', 'No machine has a cause that this fixes.');
    const steps = first === undefined ? [none] : await fixCni(order, tools({ id, isDryRun }));
    const beginning = { fix: NAME, isDryRun, why: { cause: first?.cause ?? null, text } };
    return fixDocument(beginning, id, steps, cniDisturbs(machines));
  });
}
