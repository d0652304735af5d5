import type { ClusterSetting, GroupSetting, JoinedBy } from '../stories/scenario.ts';
import { CONTROL_PLANE } from './system-pods.ts';

/** With what a machine of a kubeadm cluster joins. */
export interface JoinSecret {
  /** `10.0.0.10:6443` */
  readonly endpoint: string;
  /** `abcdef.0123456789abcdef` */
  readonly token: string;
}

export function joinCommand({ endpoint, token }: JoinSecret): string {
  return `kubeadm join ${endpoint} --token ${token} --discovery-token-unsafe-skip-ca-verification`;
}

function kubeletFlags(cluster: ClusterSetting, group: GroupSetting): readonly string[] {
  const gate = gateTaint(cluster);
  const taint = group.isControlPlane ? `${CONTROL_PLANE}=:NoSchedule` : gate;
  return [
    ...(cluster.cloudController === 'none' ? [] : ['--cloud-provider=external']),
    ...(group.hasProviderId ? ['--provider-id=$PROVIDER_ID'] : []),
    `--node-labels=node-role.example.com/pool=${group.name}`,
    ...(taint === null ? [] : [`--register-with-taints=${taint}`]),
  ];
}

/** The startup taint of the gate that a cluster has, `key=value:Effect`; null without one. */
export function gateTaint({ gate, podIdentity }: ClusterSetting): string | null {
  const agent = podIdentity === 'kube2iam' ? 'kube2iam' : 'kiam-agent';
  if (gate === 'nidhogg') return `nidhogg.uswitch.com/kube-system.${agent}=:NoSchedule`;
  return gate === 'node-readiness-controller'
    ? 'readiness.k8s.io/pod-identity=pending:NoSchedule'
    : null;
}

/** What only the machine itself knows: its zone, its id, its whole name. */
const METADATA = [
  'TOKEN=$(curl -sX PUT -H "X-aws-ec2-metadata-token-ttl-seconds: 60" http://169.254.169.254/latest/api/token)',
  'meta() { curl -sH "X-aws-ec2-metadata-token: $TOKEN" "http://169.254.169.254/latest/meta-data/$1"; }',
];
const PROVIDER_ID = 'PROVIDER_ID="aws:///$(meta placement/availability-zone)/$(meta instance-id)"';
/** The hostname of a scenario that is the whole name by which EC2 knows the machine. */
const PRIVATE_DNS_NAME = '{private-dns-name}';

function hostnameLines(hostname: string | null): readonly string[] {
  if (hostname === null) return [];
  const name = hostname === PRIVATE_DNS_NAME ? '"$(meta local-hostname)"' : hostname;
  return [`hostnamectl set-hostname ${name}`];
}

/** The command, and what sees to it that something comes of it. */
function joinedWith(by: JoinedBy, command: string): string {
  if (by === 'rollcall') return `rollcall join -- ${command}`;
  if (by === 'user-data') return command;
  const look = 'kubectl --kubeconfig /etc/kubernetes/kubelet.conf get node "$(hostname)"';
  return `until ${look}; do kubeadm reset -f; ${command} || true; sleep 10; done`;
}

function kubeadmScript(cluster: ClusterSetting, group: GroupSetting, join: JoinSecret): string {
  const asksMetadata = group.hasProviderId || group.hostname === PRIVATE_DNS_NAME;
  const lines = [
    '#!/bin/bash',
    'set -euo pipefail',
    ...(asksMetadata ? METADATA : []),
    ...hostnameLines(group.hostname),
    ...(group.hasProviderId ? [PROVIDER_ID] : []),
    `echo "KUBELET_EXTRA_ARGS=${kubeletFlags(cluster, group).join(' ')}" > /etc/default/kubelet`,
    joinedWith(group.joinedBy ?? 'user-data', joinCommand(join)),
  ];
  return `${lines.join('\n')}\n`;
}

function bootstrapScript({ name }: ClusterSetting, group: GroupSetting): string {
  const labels = `--node-labels=node-role.example.com/pool=${group.name}`;
  return `#!/bin/bash\n/etc/eks/bootstrap.sh ${name} --kubelet-extra-args '${labels}'\n`;
}

function nodeConfig({ name }: ClusterSetting, group: GroupSetting, endpoint: string): string {
  return [
    'apiVersion: node.eks.aws/v1alpha1',
    'kind: NodeConfig',
    'spec:',
    '  cluster:',
    `    name: ${name}`,
    `    apiServerEndpoint: https://${endpoint}`,
    '    certificateAuthority: Y2x1c3RlciBhdXRob3JpdHk=',
    '    cidr: 172.20.0.0/16',
    '  kubelet:',
    '    flags:',
    `      - --node-labels=node-role.example.com/pool=${group.name}`,
    '',
  ].join('\n');
}

/** What the machines of a group run when they start for the first time. */
export function userDataOf(cluster: ClusterSetting, group: GroupSetting, join: JoinSecret): string {
  if (cluster.kind === 'kubeadm') return kubeadmScript(cluster, group, join);
  return group.image === 'al2'
    ? bootstrapScript(cluster, group)
    : nodeConfig(cluster, group, join.endpoint);
}
