import { isObject, type Json, textAt } from '../../evidence/json.ts';
import type { FactKind, FactTypes } from '../../evidence/kinds.ts';
import type { Planned } from '../../evidence/planned.ts';
import { KUBE_SHAPES } from '../../evidence/kube/shapes.ts';
import { projectFact } from '../../evidence/project.ts';
import type { PlanRead } from '../terraform/plan.ts';
import { isOfKubeadm, kubeadmGiven } from './documents.ts';

const BY = 'kubeadm configuration';

/** True for what a cluster of kubeadm is made from: its configuration and its cloud controller. */
export function isForKubeadm(document: Json): boolean {
  return isOfKubeadm(document) || isCloudController(document);
}

/** True for the workload of the AWS cloud controller manager. */
function isCloudController(document: Json): boolean {
  const kind = textAt(document, 'kind');
  const name = textAt(document, 'metadata.name') ?? '';
  return (kind === 'DaemonSet' || kind === 'Deployment') && name === 'aws-cloud-controller-manager';
}

/**
 * Reads configuration files of kubeadm (v1beta2 to v1beta4) as what machines join with.
 *
 * @param locator what the file is called in evidence
 */
export function readKubeadm(documents: readonly Json[], locator: string): PlanRead {
  const given = kubeadmGiven(documents);
  const [first = ''] = given?.kinds ?? [];
  const facts = [
    ...(given === null ? [] : [planned('kube/kubeadm', given, first, locator)]),
    ...documents.filter(isCloudController).flatMap((one) => controllerFacts(one, locator)),
  ];
  const resourceCount = documents.filter(isForKubeadm).length;
  const contents = { facts, doubts: [], resourceCount, isChanging: true, canWriteMaps: false };
  return { ok: true, contents };
}

function controllerFacts(document: Json, locator: string): readonly Planned[] {
  if (!isObject(document)) return [];
  const kind = textAt(document, 'kind') === 'DaemonSet' ? 'DaemonSet' : 'Deployment';
  const name = textAt(document, 'metadata.name');
  const kept = projectFact(KUBE_SHAPES[kind], document, false)?.value ?? {};
  const value = { ...kept, name, namespace: textAt(document, 'metadata.namespace') };
  return [planned(`kube/${kind}`, value as never, `${kind}/${name ?? ''}`, locator)];
}

function planned<K extends FactKind>(
  kind: K,
  value: FactTypes[K],
  address: string,
  locator: string,
): Planned {
  const place = { address, locator: `${locator}#${address}`, by: BY };
  return { state: 'seen', kind, value, change: 'create', ...place };
}
