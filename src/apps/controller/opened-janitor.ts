import { systemClock } from '../../adapters/system/clock.ts';
import type { EniJanitor } from '../../controllers/eni-janitor/janitor.ts';
import type { Recorder } from '../../ports/recorder.ts';
import type { MetricsRegistry } from '../../runtime/metrics/registry.ts';
import { SourceError, UsageError } from '../cli/context.ts';
import type { LiveFlags } from '../cli/live/flags.ts';
import { openAwsWritesFor } from '../cli/live/open-aws-writes.ts';
import type { Clients } from '../cli/live/open-clients.ts';
import type { OpenConfiguration } from './configuration.ts';
import { createJanitor } from './janitor.ts';
import type { ControllerSettings } from './program.ts';

/** A janitor whose connections to AWS are its own. */
export interface OpenedJanitor {
  readonly janitor: EniJanitor;
  readonly close: () => void;
}

interface Opened {
  readonly flags: LiveFlags;
  readonly clients: Clients;
  readonly registry: MetricsRegistry;
  readonly recorder: Pick<Recorder, 'append'>;
}

/** null where the configuration asks for none. @throws UsageError, SourceError */
export function janitorOf(
  { current, log }: OpenConfiguration,
  { identity, live }: ControllerSettings,
  { flags, clients, registry, recorder }: Opened,
): OpenedJanitor | null {
  const { eniJanitor: mode, eniHourly: hourly } = current();
  if (mode === 'off') return null;
  const { kube, aws, described } = clients;
  const awsWrites = openAwsWritesFor(flags, clients);
  const cluster = flags.cluster ?? described?.clusterName ?? null;
  if (cluster === null)
    throw new UsageError('--eni-janitor needs --cluster NAME, which tags of interfaces name');
  if (kube === null || aws === null || awsWrites === null)
    throw new SourceError('--eni-janitor needs AWS; name a region: --region');
  const settings = { cluster, identity, mode, hourly, isDryRun: () => live().isDryRun };
  const tools = { kube, aws, awsWrites, clock: systemClock, recorder, log, registry };
  return { janitor: createJanitor(settings, tools), close: () => awsWrites.close() };
}
