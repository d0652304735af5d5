import { addMachineLogs, printsMachineLogs } from './agent-logs.ts';
import type { DetailTarget, LogTarget } from '../evidence/detail-target.ts';
import type { JsonObject } from '../evidence/json.ts';
import type { AwsApi } from '../ports/aws-api.ts';
import type { Clock } from '../ports/clock.ts';
import type { KubeApi } from '../ports/kube-api.ts';
import { EVIDENCE_VERSION } from '../readers/evidence-version.ts';
import { type AwsSource, createAsk, limiter } from './asking.ts';
import { askIdentities } from './aws-identities.ts';
import { type CollectedEvidence, listOf, refusalOf } from './document.ts';
import { CONFIG_MAPS } from './resources.ts';

const LOG_LINES = 400;
const LOG_BYTES_MAX = 256 * 1024;
const PARALLEL_MAX = 8;

export interface DetailClients {
  readonly kube: KubeApi | null;
  readonly aws: AwsApi | null;
  readonly clock: Clock;
}

/** Reads consoles, user data and container logs. */
export async function collectDetails(
  clients: DetailClients,
  target: DetailTarget,
  evidence: CollectedEvidence,
  signal: AbortSignal,
): Promise<void> {
  const limited = limiter(PARALLEL_MAX);
  const { kube, aws, clock } = clients;
  const source = aws === null ? null : { aws, clock };
  const logs =
    kube === null
      ? []
      : target.logs.map((log) => limited(() => collectLog(kube, log, evidence, signal)));
  const instances =
    source === null ? [] : askInstances(source, target.instanceIds, evidence, signal);
  const roles = source === null ? [] : askRoles(source, target.roleNames, evidence, signal);
  const others =
    source === null ? [] : [askZones, askTrail].map((ask) => ask(source, target, evidence, signal));
  const identities =
    source === null ? [] : [askIdentities(createAsk(source, evidence, signal), target.identity)];
  const discovery =
    kube === null || !target.isDiscoveryRead ? [] : [readDiscovery(kube, evidence, signal)];
  await Promise.all([
    ...logs,
    ...discovery,
    ...instances,
    ...roles,
    ...others.flat(),
    ...identities,
  ]);
}

function askZones(
  source: AwsSource,
  { vpcIds }: DetailTarget,
  evidence: CollectedEvidence,
  signal: AbortSignal,
): readonly Promise<unknown>[] {
  const ask = createAsk(source, evidence, signal);
  const { region } = source.aws;
  if (region === null) return [];
  return vpcIds.map((VPCId) =>
    ask({
      service: 'route53',
      operation: 'ListHostedZonesByVPC',
      input: { VPCId, VPCRegion: region },
    }),
  );
}

/** CloudTrail answers two questions a second, so that few are asked. */
function askTrail(
  source: AwsSource,
  { trailIds }: DetailTarget,
  evidence: CollectedEvidence,
  signal: AbortSignal,
): readonly Promise<unknown>[] {
  const ask = createAsk(source, evidence, signal);
  return trailIds.map((id) =>
    ask({
      service: 'cloudtrail',
      operation: 'LookupEvents',
      input: { LookupAttributes: [{ AttributeKey: 'ResourceName', AttributeValue: id }] },
      pagesMax: 1,
    }),
  );
}

function askRoles(
  source: AwsSource,
  roleNames: readonly string[],
  evidence: CollectedEvidence,
  signal: AbortSignal,
): readonly Promise<unknown>[] {
  const ask = createAsk(source, evidence, signal);
  return roleNames.map((RoleName) =>
    ask({ service: 'iam', operation: 'GetRole', input: { RoleName }, isOptional: true }),
  );
}

function askInstances(
  source: AwsSource,
  instanceIds: readonly string[],
  evidence: CollectedEvidence,
  signal: AbortSignal,
): readonly Promise<unknown>[] {
  const ask = createAsk(source, evidence, signal);
  return instanceIds.flatMap((InstanceId) => [
    ask({ service: 'ec2', operation: 'GetConsoleOutput', input: { InstanceId }, isOptional: true }),
    ask({
      service: 'ec2',
      operation: 'DescribeInstanceAttribute',
      input: { InstanceId, Attribute: 'userData' },
      isOptional: true,
    }),
  ]);
}

/** Says of which namespace a list is that may be empty. */
const WHOLE_KUBE_PUBLIC = {
  annotations: { rollcall: 'complete', 'rollcall-namespace': 'kube-public' },
};

/** Lists the ConfigMaps of kube-public, of which cluster-info is one where kubeadm made the cluster. */
async function readDiscovery(
  kube: KubeApi,
  evidence: CollectedEvidence,
  signal: AbortSignal,
): Promise<void> {
  const items: JsonObject[] = [];
  try {
    for await (const page of kube.list(CONFIG_MAPS, { namespace: 'kube-public', signal }))
      items.push(...page.items);
    evidence.add({
      name: 'kubernetes/configmaps-kube-public.json',
      locator: 'kubectl get configmaps -n kube-public',
      content: { ...listOf(CONFIG_MAPS.kind, items, 'complete'), metadata: WHOLE_KUBE_PUBLIC },
    });
  } catch (error) {
    evidence.refuse(refusalOf('list configmaps of kube-public', error));
  }
}

async function collectLog(
  kube: KubeApi,
  target: LogTarget,
  evidence: CollectedEvidence,
  signal: AbortSignal,
): Promise<void> {
  const { namespace, pod, container, node, previous } = target;
  try {
    const bytes = await kube.logs(
      { namespace, name: pod },
      { container, previous, tailLines: LOG_LINES, bytesMax: LOG_BYTES_MAX, signal },
    );
    const text = new TextDecoder().decode(bytes);
    if (printsMachineLogs(target)) {
      addMachineLogs(target, text, evidence);
      return;
    }
    evidence.add({
      name: `kubernetes/logs/${namespace}_${pod}_${container}${previous ? '_previous' : ''}.json`,
      locator: `kubectl -n ${namespace} logs ${pod} -c ${container}${previous ? ' -p' : ''}`,
      content: {
        apiVersion: EVIDENCE_VERSION,
        kind: 'ContainerLog',
        namespace,
        pod,
        container,
        node,
        text,
      },
    });
  } catch (error) {
    refuse(target, evidence, error);
  }
}

/** A container that never ran has no log, and one on a dead kubelet cannot be asked: both are known. */
function refuse(target: LogTarget, evidence: CollectedEvidence, error: unknown): void {
  const refusal = refusalOf(`get pods/log of ${target.namespace}/${target.pod}`, error);
  if (refusal.failure !== 'invalid' && refusal.failure !== 'not-found') evidence.refuse(refusal);
}
