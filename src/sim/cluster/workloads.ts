import type { JsonObject } from '../../evidence/json.ts';
import type { WorkloadSetting, WorldSetting } from '../stories/scenario.ts';
import { isInjected, PRODUCTION } from './workload-roles.ts';

/** What an application does with its memory and time here; three fit on a small machine. */
const WORKLOAD_REQUESTS = { cpu: '100m', memory: '128Mi' };

type Annotations = Readonly<Record<string, string>>;

/** Accounts of their own for workloads with a role, where a webhook gives pods the role. */
export function workloadAccounts(setting: WorldSetting, accountId: string): readonly JsonObject[] {
  if (!isInjected(setting)) return [];
  const isIrsa = setting.cluster.podIdentity === 'irsa';
  return setting.workloads.flatMap(({ name, role }) => {
    if (role === null) return [];
    const arn = `arn:aws:iam::${accountId}:role/${role}`;
    const annotations = isIrsa ? { 'eks.amazonaws.com/role-arn': arn } : {};
    const metadata = { name, namespace: PRODUCTION, annotations };
    return [{ apiVersion: 'v1', kind: 'ServiceAccount', metadata }];
  });
}

/** What pods of a workload say: to kiam and kube2iam, and to the programs of this world. */
function annotationsOf(
  { role, endsWithoutRole = false }: WorkloadSetting,
  setting: WorldSetting,
  accountId: string,
): Annotations {
  if (role === null || setting.cluster.podIdentity === 'none') return {};
  const arn = `arn:aws:iam::${accountId}:role/${role}`;
  const how = isInjected(setting) ? 'lab/role' : 'iam.amazonaws.com/role';
  return { [how]: arn, ...(endsWithoutRole ? { 'lab/ends-without-role': 'true' } : {}) };
}

export function deployment(
  workload: WorkloadSetting,
  setting: WorldSetting,
  accountId: string,
): JsonObject {
  const { name, replicas, role } = workload;
  const labels = { app: name };
  const annotations = annotationsOf(workload, setting, accountId);
  const tolerations = workload.toleratesGate ? [{ operator: 'Exists', effect: 'NoSchedule' }] : [];
  const hasAccount = role !== null && isInjected(setting);
  const image = `123456789012.dkr.ecr.${setting.region}.amazonaws.com/${name}:1.0`;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: PRODUCTION, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, annotations },
        spec: {
          ...(hasAccount ? { serviceAccountName: name } : {}),
          tolerations,
          containers: [{ name, image, resources: { requests: WORKLOAD_REQUESTS } }],
        },
      },
    },
  };
}
