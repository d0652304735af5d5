import type { JsonObject } from '../../evidence/json.ts';

const RBAC = 'rbac.authorization.k8s.io';
const JOINING = 'system:bootstrappers:kubeadm:default-node-token';

interface Subject {
  readonly kind: 'User' | 'Group';
  readonly name: string;
}

function group(name: string): Subject {
  return { kind: 'Group', name };
}

function binding(
  namespace: string | null,
  name: string,
  role: { readonly kind: 'Role' | 'ClusterRole'; readonly name: string },
  subjects: readonly Subject[],
): JsonObject {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: namespace === null ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata: { name, ...(namespace === null ? {} : { namespace }) },
    roleRef: { apiGroup: RBAC, ...role },
    subjects: subjects.map((subject) => ({ apiGroup: RBAC, ...subject })),
  };
}

/** Reading one ConfigMap, and who may. */
function readable(
  namespace: string,
  role: string,
  configMap: string,
  subjects: readonly Subject[],
): readonly JsonObject[] {
  const rule = {
    apiGroups: [''],
    resources: ['configmaps'],
    resourceNames: [configMap],
    verbs: ['get'],
  };
  return [
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'Role',
      metadata: { name: role, namespace },
      rules: [rule],
    },
    binding(namespace, role, { kind: 'Role', name: role }, subjects),
  ];
}

/** Names of the built-in roles for kubelets that ask for a certificate. */
const CERTIFICATES = 'system:certificates.k8s.io:certificatesigningrequests';

/** The rights that `kubeadm init` gives to machines that join (kubeadm, phase bootstrap-token). */
export function kubeadmRoles(): readonly JsonObject[] {
  const joining = [group(JOINING)];
  const known = [group(JOINING), group('system:nodes')];
  const anybody: readonly Subject[] = [{ kind: 'User', name: 'system:anonymous' }];
  const bound = (name: string, role: string, subjects: readonly Subject[]): JsonObject =>
    binding(null, name, { kind: 'ClusterRole', name: role }, subjects);
  return [
    ...readable('kube-public', 'kubeadm:bootstrap-signer-clusterinfo', 'cluster-info', anybody),
    ...readable('kube-system', 'kubeadm:nodes-kubeadm-config', 'kubeadm-config', known),
    ...readable('kube-system', 'kubeadm:kubelet-config', 'kubelet-config', known),
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRole',
      metadata: { name: 'kubeadm:get-nodes' },
      rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get'] }],
    },
    bound('kubeadm:get-nodes', 'kubeadm:get-nodes', joining),
    bound('kubeadm:kubelet-bootstrap', 'system:node-bootstrapper', joining),
    bound('kubeadm:node-autoapprove-bootstrap', `${CERTIFICATES}:nodeclient`, joining),
    bound('kubeadm:node-autoapprove-certificate-rotation', `${CERTIFICATES}:selfnodeclient`, [
      group('system:nodes'),
    ]),
  ];
}
