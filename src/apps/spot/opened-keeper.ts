import { kubeWriter } from '../../adapters/kubernetes/writes.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import type { ActRule } from '../../capacity/spot/act-rules.ts';
import { wordsOf } from '../../controllers/spot/actions.ts';
import { begunIn, begunNote } from '../../controllers/spot/begun.ts';
import type { BegunAct, SpotStep } from '../../controllers/spot/facts.ts';
import { SpotKeeper, type SpotKeeperOptions, type StepEnd } from '../../controllers/spot/keeper.ts';
import type { Recorder } from '../../ports/recorder.ts';
import { perform } from '../../runtime/perform.ts';
import { performAws } from '../../runtime/perform-aws.ts';
import { SourceError } from '../cli/context.ts';
import type { LiveFlags } from '../cli/live/flags.ts';
import { openAwsWritesFor } from '../cli/live/open-aws-writes.ts';
import type { Clients } from '../cli/live/open-clients.ts';
import { openKubeTarget } from '../cli/live/open-kube-target.ts';
import type { SpotLine } from './printer.ts';

export interface KeeperOrder {
  readonly rules: readonly ActRule[];
  readonly isDryRun: boolean;
  readonly flags: LiveFlags;
  readonly clients: Clients;
  /** Not null where it writes. */
  readonly recorder: Recorder | null;
  readonly cluster: string;
  readonly print: (line: SpotLine) => void;
  readonly stepped: (step: SpotStep, end: StepEnd) => void;
}

export interface OpenedKeeper {
  readonly keeper: SpotKeeper;
  readonly close: () => Promise<void>;
}

const NOTE = 'spot-acts';

/** Opens what rules write with. @throws SourceError where there is no cluster */
export async function openKeeper(order: KeeperOrder): Promise<OpenedKeeper> {
  const { flags, clients, isDryRun, recorder, cluster } = order;
  const { kube, aws } = clients;
  if (kube === null)
    throw new SourceError('Kubernetes could not be opened, so no rule can act on a Node.');
  const { target, environment } = await openKubeTarget(flags);
  const kubeWrites = kubeWriter(target, { environment, clock: systemClock });
  const awsWrites = openAwsWritesFor(flags, clients);
  const shared = { recorder, clock: systemClock, cluster };
  const options: SpotKeeperOptions = {
    ...reporting(order),
    rules: order.rules,
    isDryRun,
    kube,
    aws,
    nowMs: () => systemClock.nowMs(),
    notes: notesIn(recorder, cluster),
    perform: async (action) =>
      perform(action, { api: kube, writes: kubeWrites, ...shared }, { isDryRun }),
    performAws: async (action, tookEffect) => {
      if (awsWrites === null) throw new TypeError('a call without AWS');
      return performAws(action, { writes: awsWrites, ...shared, isDryRun }, tookEffect);
    },
  };
  return {
    keeper: new SpotKeeper(options),
    close: async () => {
      awsWrites?.close();
      await kubeWrites.close();
    },
  };
}

function notesIn(recorder: Recorder | null, cluster: string): SpotKeeperOptions['notes'] {
  return {
    read: async (): Promise<readonly BegunAct[]> =>
      recorder === null ? [] : begunIn((await recorder.notes(cluster)).get(NOTE)),
    write: async (begun) => {
      await recorder?.append([], [{ cluster, id: NOTE, body: begunNote(begun) }]);
    },
  };
}

/** Each step and each reason once, as long as it stays the same. */
function reporting({
  print,
  stepped,
}: Pick<KeeperOrder, 'print' | 'stepped'>): Pick<
  SpotKeeperOptions,
  'onStep' | 'onKept' | 'onBlind'
> {
  let told = new Map<string, string>();
  let left: ReadonlySet<string> = new Set();
  let blind = '';
  const line = (kind: string, node: string, what: string, more: SpotLine['more']): void =>
    print({ atMs: systemClock.nowMs(), subject: node, subjectKind: 'Node', kind, what, more });
  return {
    onStep(step, { outcome, why }) {
      stepped(step, { outcome, why });
      const words = wordsOf(step);
      if (told.get(words) === outcome && outcome !== 'done') return;
      if (told.size > 10_000) told = new Map();
      told.set(words, outcome);
      const { rule, node, because } = step;
      const what = `${rule.name}: ${words}, as ${because}: ${outcome}. ${why}`;
      const more = { rule: rule.name, step: step.kind, outcome, node: node.name, because, why };
      line('spot-step', node.name, what, more);
    },
    onKept(kept) {
      const now = new Map(kept.map((one) => [`${one.rule} ${one.node} ${one.why}`, one]));
      for (const [key, { rule, node, why }] of now)
        if (!left.has(key))
          line('spot-kept', node, `${rule}: Node ${node} is left: ${why}`, { rule, why });
      left = new Set(now.keys());
    },
    onBlind(why) {
      if (why !== blind) line('spot-unknown', '', `Rules wait: ${why}`, { why });
      blind = why;
    },
  };
}
