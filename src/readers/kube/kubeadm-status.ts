import { factValues } from '../../evidence/fact-values.ts';
import { at, isObject } from '../../evidence/json.ts';
import type { KubeObject } from '../../evidence/kube/object.ts';
import type { Observations } from '../../evidence/observations.ts';
import { parseYamlDocuments } from '../text/parse.ts';

const TEXT_MAX = 64 * 1024;

function isKubeadmConfig({ name, namespace }: KubeObject): boolean {
  return name === 'kubeadm-config' && namespace === 'kube-system';
}

/**
 * Names of the control planes in `ClusterStatus` of the ConfigMap kubeadm-config, which kubeadm
 * kept up to 1.21; undefined when it was not seen.
 */
export function kubeadmEndpoints(observations: Observations): readonly string[] | undefined {
  const config = factValues(observations, 'kube/ConfigMap').find(isKubeadmConfig);
  const text = config?.data?.['ClusterStatus'];
  if (text === undefined || text.length > TEXT_MAX) return undefined;
  const [status] = [...parseYamlDocuments(text.split('\n'), 1)];
  const endpoints = status?.ok === true ? at(status.value, 'apiEndpoints') : undefined;
  return isObject(endpoints) ? Object.keys(endpoints) : undefined;
}
