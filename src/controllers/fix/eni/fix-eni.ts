import { counted, lengthText, shellWord, shown } from '../../../domain/words.ts';
import { PortError } from '../../../ports/port-error.ts';
import { decide } from '../../eni-janitor/decide.ts';
import { type DeleteEnd, deleteInterface } from '../../eni-janitor/delete-interface.ts';
import type { EniRules, EniScan, EniSights, JudgedInterface } from '../../eni-janitor/facts.ts';
import { readClocks, scanInterfaces } from '../../eni-janitor/scan.ts';
import type { FixOrder, FixOutcome, FixStep, FixTools } from '../fix.ts';
import { NOT_TRIED, outcomeOf, OVER_BUDGET, PERMISSIONS, plainStep } from '../step.ts';

/** Names in the records what cannot be taken back. */
export const ENI_NOTE = 'network-interface';

export const ENI_DISTURBS: readonly string[] = [
  'A deleted network interface cannot be taken back; fix undo has nothing to undo.',
];

export interface EniOrder extends FixOrder {
  readonly cluster: string;
  readonly rules: EniRules;
  /** Tells the person what happens meanwhile. */
  readonly say: (line: string) => void;
}

const NOTHING_SEEN: EniSights = new Map();

/** Deletes leaked network interfaces of the cluster, each by two looks and a reading of its own. */
export async function fixEni(order: EniOrder, tools: FixTools): Promise<readonly FixStep[]> {
  const object = 'network interfaces';
  try {
    return await attempt(order, tools);
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    const why = `Not all could be read, so nothing is known and nothing is deleted. ${error.message}`;
    return [plainStep(object, 'refused', why)];
  }
}

async function attempt(order: EniOrder, tools: FixTools): Promise<readonly FixStep[]> {
  const { kube, clock, aws } = tools;
  const { cluster, rules, say, isDryRun } = order;
  if (aws === null) return [plainStep('network interfaces', 'refused', 'AWS could not be opened.')];
  const began = readClocks(clock);
  const scan = async (): Promise<EniScan> => scanInterfaces(cluster, began, { kube, aws, clock });
  const first = decide(await scan(), NOTHING_SEEN, rules);
  const due = first.judged.filter(({ verdict }) => verdict === 'seen-once');
  if (due.length === 0) return stepsOfJudged(first.judged, rules);
  if (isDryRun) return await checked(first.judged, order, tools);
  say(
    `${counted(due.length, 'network interface')} will be deleted if a second look in ${lengthText(rules.apartMs)} shows the same. A deleted one cannot be taken back.`,
  );
  await clock.sleep(rules.apartMs);
  const { judged } = decide(await scan(), first.sights, rules);
  return await deleted(judged, order, tools);
}

function objectOf({ network }: JudgedInterface): string {
  return `network interface ${network.id}`;
}

function diffOf({ network, verdict }: JudgedInterface): readonly string[] {
  const { id, subnetId, addresses, instanceId } = network;
  if (verdict === 'kept' || verdict === 'unproven') return [];
  const held = `${counted(addresses, 'address')} of ${shown(subnetId ?? 'its subnet')}`;
  return [`- ${id}, made for ${shown(instanceId ?? 'nobody')}, with ${held}`];
}

/** EC2 says of each whether it would delete it. */
async function checked(
  judged: readonly JudgedInterface[],
  order: EniOrder,
  tools: FixTools,
): Promise<readonly FixStep[]> {
  const { rules } = order;
  const steps: FixStep[] = [];
  let left = rules.most;
  for (const one of judged) {
    const isDue = one.verdict === 'seen-once' && left > 0;
    if (isDue) left -= 1;
    const over = { ...one, verdict: 'over-budget' } as const;
    if (isDue) steps.push(await stepOf(one, order, tools));
    else steps.push(stepOfJudged(one.verdict === 'seen-once' ? over : one, rules));
  }
  return steps;
}

/** One after another; whoever may not delete one is not asked for the others. */
async function deleted(
  judged: readonly JudgedInterface[],
  order: EniOrder,
  tools: FixTools,
): Promise<readonly FixStep[]> {
  const steps: FixStep[] = [];
  let isDenied = false;
  for (const one of judged) {
    if (one.verdict !== 'delete') steps.push(stepOfJudged(one, order.rules));
    else if (isDenied)
      steps.push({ ...plainStep(objectOf(one), 'refused', NOT_TRIED), diff: diffOf(one) });
    else {
      const step = await stepOf(one, order, tools);
      steps.push(step);
      isDenied = step.commands.includes(PERMISSIONS);
    }
  }
  return steps;
}

async function stepOf(
  one: JudgedInterface,
  { id, isDryRun }: EniOrder,
  tools: FixTools,
): Promise<FixStep> {
  const { network } = one;
  const { aws } = tools;
  if (aws === null) throw new TypeError('an interface was read without AWS');
  if (!isDryRun) await tools.keep({ kind: ENI_NOTE, id: network.id, atMs: tools.clock.nowMs() });
  const why = { kind: 'finding', name: 'leaked-network-interfaces', text: one.why } as const;
  const order = { id, isDryRun, askedBy: 'fix eni', why };
  const end = await ended(async () =>
    deleteInterface(network, order, { ...tools, aws, mayWrite: () => true }),
  );
  const outcome = isDryRun && end.outcome === 'done' ? 'would-write' : outcomes(end);
  const told = `It is leaked: ${one.why}. ${end.why}`;
  const commands = end.failure === 'denied' ? [PERMISSIONS] : [];
  return { ...plainStep(objectOf(one), outcome, told), diff: diffOf(one), commands };
}

async function ended(work: () => Promise<DeleteEnd>): Promise<DeleteEnd> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return { outcome: 'refused', why: error.message, failure: error.failure };
  }
}

function outcomes({ outcome }: DeleteEnd): FixOutcome {
  if (outcome === 'done') return 'written';
  if (outcome === 'gone') return 'not-needed';
  return outcome === 'changed' ? 'refused' : outcomeOf(outcome);
}

function stepsOfJudged(judged: readonly JudgedInterface[], rules: EniRules): readonly FixStep[] {
  const steps = judged.map((one) => stepOfJudged(one, rules));
  if (steps.length > 0) return steps;
  return [plainStep('network interfaces', 'not-needed', 'The CNI left none that nothing uses.')];
}

function stepOfJudged(one: JudgedInterface, { apartMs }: EniRules): FixStep {
  const { verdict, why, network } = one;
  const step = (outcome: FixOutcome, text: string): FixStep => ({
    ...plainStep(objectOf(one), outcome, text),
    diff: diffOf(one),
  });
  if (verdict === 'kept') return step('not-needed', `It stays: ${why}.`);
  if (verdict === 'over-budget') return step('refused', `It is leaked: ${why}. ${OVER_BUDGET}`);
  if (verdict === 'seen-once')
    return step('refused', `It was unused for less than ${lengthText(apartMs)}; run it again.`);
  const command = `aws ec2 delete-network-interface --network-interface-id ${shellWord(network.id)}`;
  const text = `It looks leaked, and something does not prove it: ${why}. Delete it yourself if it is yours.`;
  return { ...step('refused', text), commands: [command] };
}
