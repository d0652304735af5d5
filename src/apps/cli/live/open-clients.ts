import { openAws, type OpenedAws } from '../../../adapters/aws/open.ts';
import { refusalOf } from '../../../collection/document.ts';
import { kubeClient, type KubeClient } from '../../../adapters/kubernetes/client.ts';
import {
  type ContextDescription,
  describeContext,
} from '../../../adapters/kubernetes/describe-context.ts';
import { systemClock } from '../../../adapters/system/clock.ts';
import { collectEarly } from '../../../adapters/system/memory.ts';
import { systemRandom } from '../../../adapters/system/random.ts';
import type { Refusal } from '../../../evidence/observations.ts';
import type { LookClients } from '../../../collection/look-clients.ts';
import type { LiveFlags } from './flags.ts';
import { openKubeTarget } from './open-kube-target.ts';
import { timeLimitMs } from './time-limit.ts';

export interface Clients extends LookClients {
  readonly kube: KubeClient | null;
  readonly aws: OpenedAws | null;
  readonly described: ContextDescription | null;
  close(): Promise<void>;
}

/** A credential's program may take as long as it needs, up to this, or most of what there is. */
const EXEC_MS = 15_000;
const CREDENTIAL_SHARE = 0.7;

async function openKube(
  flags: LiveFlags,
): Promise<{ readonly kube: KubeClient; readonly described: ContextDescription }> {
  const { target, environment } = await openKubeTarget(flags);
  const kube = kubeClient(target, {
    environment,
    clock: systemClock,
    limits: { execTimeoutMs: Math.min(EXEC_MS, timeLimitMs(flags) * CREDENTIAL_SHARE) },
  });
  return { kube, described: describeContext(target) };
}

/** Opens what the kubeconfig and the AWS configuration name; one of the two is enough. */
export async function openClients(flags: LiveFlags): Promise<Clients> {
  collectEarly();
  const refusals: Refusal[] = [];
  const opened = await openKube(flags).catch((error: unknown) => {
    refusals.push(refusalOf('kubernetes', error));
    return null;
  });
  const described = opened?.described ?? null;
  const aws = openAwsFor(flags, described, refusals);
  return {
    kube: opened?.kube ?? null,
    aws,
    described,
    refusals,
    clock: systemClock,
    async close() {
      aws?.close();
      await opened?.kube.close();
    },
  };
}

function openAwsFor(
  flags: LiveFlags,
  described: ContextDescription | null,
  refusals: Refusal[],
): OpenedAws | null {
  try {
    return openAws({
      region: flags.region ?? described?.region ?? null,
      profile: flags.profile ?? described?.awsProfile ?? null,
      env: process.env,
      clock: systemClock,
      random: systemRandom,
      credentialTimeoutMs: timeLimitMs(flags) * CREDENTIAL_SHARE,
    });
  } catch (error) {
    refusals.push(refusalOf('aws', error));
    return null;
  }
}
