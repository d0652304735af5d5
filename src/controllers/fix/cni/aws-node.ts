import { isObject, type JsonObject, listAt, textAt, textsAt } from '../../../evidence/json.ts';
import type { KubeApi } from '../../../ports/kube-api.ts';
import { PortError } from '../../../ports/port-error.ts';
import { DAEMON_SETS } from '../../gate/caches.ts';

export const AWS_NODE_PLACE = { namespace: 'kube-system', name: 'aws-node' };
/** As people call it. */
export const AWS_NODE = `DaemonSet ${AWS_NODE_PLACE.namespace}/${AWS_NODE_PLACE.name}`;

/** The container of the VPC CNI. */
export interface CniContainer {
  readonly image: string | null;
  readonly env: readonly JsonObject[];
}

/**
 * The DaemonSet as it is now; null only where the server says that there is none.
 *
 * @throws PortError where it cannot be read
 */
export async function readAwsNode(kube: KubeApi): Promise<JsonObject | null> {
  try {
    return await kube.get(DAEMON_SETS, AWS_NODE_PLACE);
  } catch (error) {
    if (error instanceof PortError && error.failure === 'not-found') return null;
    throw error;
  }
}

/** The container of the CNI; null where the DaemonSet has none of that name. */
export function cniContainerOf(daemonSet: JsonObject): CniContainer | null {
  const containers = listAt(daemonSet, 'spec.template.spec.containers');
  const container = containers.find((one) => textAt(one, 'name') === AWS_NODE_PLACE.name);
  if (container === undefined) return null;
  const env = listAt(container, 'env').filter(isObject);
  return { image: textAt(container, 'image'), env };
}

/** Variables by name; null takes one away. */
export type Variables = ReadonlyMap<string, string | null>;

/** The value of a variable: null where it is not set, undefined where it comes from elsewhere. */
export function variableOf(env: readonly JsonObject[], name: string): string | null | undefined {
  const entry = env.findLast((one) => textAt(one, 'name') === name);
  if (entry === undefined) return null;
  return Object.hasOwn(entry, 'valueFrom') ? undefined : (textAt(entry, 'value') ?? '');
}

/** The strategic merge patch that sets variables and keeps all others as they are. */
export function variablesPatch(variables: Variables): JsonObject {
  const env = [...variables].map(([name, value]) =>
    value === null ? { $patch: 'delete', name } : { name, value },
  );
  const containers = [{ name: AWS_NODE_PLACE.name, env }];
  return { spec: { template: { spec: { containers } } } };
}

/** A setting as people may see it: settings are counts and switches, and else nobody knows what. */
function shownValue(value: string): string {
  return /^(?:\d{1,6}|true|false)$/i.test(value) ? value : '<another text>';
}

/** What changes, one variable a line. */
export function variablesDiff(env: readonly JsonObject[], variables: Variables): readonly string[] {
  return [...variables].flatMap(([name, value]) => {
    const before = variableOf(env, name) ?? null;
    return [
      ...(before === null ? [] : [`- ${name}=${shownValue(before)}`]),
      ...(value === null ? [] : [`+ ${name}=${value}`]),
    ];
  });
}

/** The program that installs the DaemonSet from a source of its own, in words; null is not shown. */
export function installerOf(daemonSet: JsonObject): string | null {
  const annotations = textsAt(daemonSet, 'metadata.annotations');
  const release = annotations['meta.helm.sh/release-name'];
  if (release !== undefined) return `the Helm release ${release}`;
  const tracked = annotations['argocd.argoproj.io/tracking-id'];
  return tracked === undefined ? null : `the Argo CD application ${tracked.split(':')[0] ?? ''}`;
}
