import type { JudgedInterface } from '../../controllers/eni-janitor/facts.ts';
import { EniJanitor, type WorkingMode } from '../../controllers/eni-janitor/janitor.ts';
import type { AwsApi } from '../../ports/aws-api.ts';
import type { AwsWrites } from '../../ports/aws-writes.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KubeApi } from '../../ports/kube-api.ts';
import type { Recorder } from '../../ports/recorder.ts';
import type { Logger } from '../../runtime/log/logger.ts';
import type { MetricsRegistry } from '../../runtime/metrics/registry.ts';
import { performAws } from '../../runtime/perform-aws.ts';
import { OUTCOMES } from './metrics.ts';

export interface JanitorSettings {
  readonly cluster: string;
  readonly identity: string;
  readonly mode: WorkingMode;
  readonly hourly: number;
  readonly isDryRun: () => boolean;
}

export interface JanitorTools {
  readonly kube: KubeApi;
  readonly aws: AwsApi;
  readonly awsWrites: AwsWrites;
  readonly clock: Clock;
  readonly recorder: Pick<Recorder, 'append'>;
  readonly log: Logger;
  readonly registry: MetricsRegistry;
}

/** The janitor of network interfaces with its lines in the log and its metrics. */
export function createJanitor(settings: JanitorSettings, tools: JanitorTools): EniJanitor {
  const { cluster, isDryRun } = settings;
  const { awsWrites: writes, recorder, clock, log, registry } = tools;
  const ended = registry.counter({
    name: 'rollcall_interface_deletions_total',
    help: 'Deletions of leaked network interfaces by outcome.',
    labels: { outcome: [...OUTCOMES, 'gone', 'changed'] },
  });
  return new EniJanitor({
    ...settings,
    ...tools,
    performAws: async (action, tookEffect, isAllowed) =>
      performAws(
        action,
        { writes, recorder, clock, cluster, isDryRun: isDryRun(), isAllowed },
        tookEffect,
      ),
    onJudged: reporter(settings, tools),
    onEnd: ({ network: { id }, why: because }, { outcome, why }) => {
      ended.add({ outcome });
      const line = `network interface ${id} (${because}): ${why}`;
      if (outcome === 'done' || outcome === 'gone') log.info(line, { outcome });
      else log.warn(line, { outcome });
    },
    onBlind: ({ message }) =>
      log.warn(`network interfaces are unknown and none is deleted: ${message}`),
  });
}

/** Reports each leaked interface once, and how many there are now. */
function reporter(
  { mode }: JanitorSettings,
  { log, registry }: JanitorTools,
): (judged: readonly JudgedInterface[]) => void {
  const leaked = registry.gauge({
    name: 'rollcall_leaked_interfaces',
    help: 'Network interfaces that the CNI left behind, with and without proof of the owner.',
    labels: { proof: ['proven', 'unproven'] },
  });
  let reported: ReadonlySet<string> = new Set();
  return (judged) => {
    const unproven = judged.filter(({ verdict }) => verdict === 'unproven');
    const proven = judged.filter(({ verdict }) => verdict !== 'unproven' && verdict !== 'kept');
    leaked.set(proven.length, { proof: 'proven' });
    leaked.set(unproven.length, { proof: 'unproven' });
    const next = mode === 'report' ? 'delete it: rollcall fix eni --yes' : 'a second look follows';
    for (const one of [...proven, ...unproven]) {
      const { id } = one.network;
      if (reported.has(id)) continue;
      const then = one.verdict === 'unproven' ? 'it is not proven and stays' : next;
      log.info(`network interface ${id} is leaked: ${one.why}; ${then}`);
    }
    reported = new Set([...proven, ...unproven].map(({ network }) => network.id));
  };
}
