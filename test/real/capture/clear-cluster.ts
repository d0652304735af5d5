/** Takes out of a cluster what one scenario laid into it, so that the next sees only its own. */
import type { KubeClient, KubeObject } from '../kube-client.ts';

/** Kinds of which a new cluster has none. */
const COLLECTIONS = [
  '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
  '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
  '/apis/apps/v1/daemonsets',
  '/apis/apps/v1/deployments',
  '/apis/apps/v1/replicasets',
  '/apis/policy/v1/poddisruptionbudgets',
  '/api/v1/resourcequotas',
  '/api/v1/pods',
  '/api/v1/nodes',
  '/apis/certificates.k8s.io/v1/certificatesigningrequests',
  '/apis/storage.k8s.io/v1/csinodes',
  '/api/v1/events',
];

const CONFIG_MAPS = [
  '/api/v1/namespaces/kube-system/configmaps/aws-auth',
  '/api/v1/namespaces/kube-system/configmaps/kubeadm-config',
  '/api/v1/namespaces/kube-system/configmaps/kubelet-config',
  '/api/v1/namespaces/kube-public/configmaps/cluster-info',
];

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const KUBEADM_COLLECTIONS = [
  '/api/v1/namespaces/kube-system/secrets',
  `${RBAC}/clusterroles`,
  `${RBAC}/clusterrolebindings`,
  `${RBAC}/namespaces/kube-system/roles`,
  `${RBAC}/namespaces/kube-system/rolebindings`,
  `${RBAC}/namespaces/kube-public/roles`,
  `${RBAC}/namespaces/kube-public/rolebindings`,
];

export async function clearCluster(client: KubeClient): Promise<void> {
  for (const path of COLLECTIONS) {
    for (const object of await client.list<KubeObject>(path)) await remove(client, path, object);
  }
  for (const path of CONFIG_MAPS) await client.remove(path).catch(() => undefined);
  await removeKubeadm(client);
}

/** What `kubeadm init` lays into a cluster for joining; roles that are left would let a token more. */
async function removeKubeadm(client: KubeClient): Promise<void> {
  for (const path of KUBEADM_COLLECTIONS) {
    const objects = await client.list<KubeObject>(path);
    const own = objects.filter(({ metadata }) => /^kubeadm:|^bootstrap-token-/.test(metadata.name));
    for (const object of own) await remove(client, path, object);
  }
}

/** Without grace: no kubelet is there to say that a pod has ended. */
async function remove(client: KubeClient, path: string, { metadata }: KubeObject): Promise<void> {
  const place = placeOf(path, metadata);
  await client.patch(place, { metadata: { finalizers: null } }).catch(() => undefined);
  await client.remove(`${place}?gracePeriodSeconds=0`).catch(() => undefined);
}

function placeOf(path: string, { name, namespace }: KubeObject['metadata']): string {
  if (namespace === undefined || path.includes('/namespaces/')) return `${path}/${name}`;
  const cut = path.lastIndexOf('/');
  return `${path.slice(0, cut)}/namespaces/${namespace}${path.slice(cut)}/${name}`;
}
