import type { Refusal } from '../evidence/observations.ts';
import type { AwsApi } from '../ports/aws-api.ts';
import type { Clock } from '../ports/clock.ts';
import type { KubeApi } from '../ports/kube-api.ts';

/** What a look asks; null for what could not be opened. */
export interface LookClients {
  readonly kube: KubeApi | null;
  readonly aws: AwsApi | null;
  /** What the kubeconfig tells of the cluster. */
  readonly described: { readonly clusterName: string | null } | null;
  /** Why one of them could not be opened. */
  readonly refusals: readonly Refusal[];
  readonly clock: Clock;
}
