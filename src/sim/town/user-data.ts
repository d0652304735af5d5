import type { ClusterSetting, GroupSetting } from '../stories/scenario.ts';
import { CONTROL_PLANE } from './system-pods.ts';

/** With what a machine of a kubeadm cluster joins. */
export interface JoinSecret {
  /** `10.0.0.10:6443` */
  readonly endpoint: string;
  /** `abcdef.0123456789abcdef` */
  readonly token: string;
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

/** What the zone and the id of the machine are only known to itself. */
const PROVIDER_ID = [
  'TOKEN=$(curl -sX PUT -H "X-aws-ec2-metadata-token-ttl-seconds: 60" http://169.254.169.254/latest/api/token)',
  'meta() { curl -sH "X-aws-ec2-metadata-token: $TOKEN" "http://169.254.169.254/latest/meta-data/$1"; }',
  'PROVIDER_ID="aws:///$(meta placement/availability-zone)/$(meta instance-id)"',
];

function kubeadmScript(cluster: ClusterSetting, group: GroupSetting, join: JoinSecret): string {
  const lines = [
    '#!/bin/bash',
    'set -euo pipefail',
    ...(group.hostname === null ? [] : [`hostnamectl set-hostname ${group.hostname}`]),
    ...(group.hasProviderId ? PROVIDER_ID : []),
    `echo "KUBELET_EXTRA_ARGS=${kubeletFlags(cluster, group).join(' ')}" > /etc/default/kubelet`,
    `kubeadm join ${join.endpoint} --token ${join.token} --discovery-token-unsafe-skip-ca-verification`,
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
