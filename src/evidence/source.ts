/** What kind of program or answer a line came from; known by content, never by file name. */
export interface SourceTraits {
  /** The line was written on the machine it speaks of, so a host prefix names the subject. */
  readonly onMachine: boolean;
  /** For people: where such lines come from. */
  readonly title: string;
  /** The read-only command that collects it. */
  readonly collect: string;
}

function onMachine(title: string, collect: string): SourceTraits {
  return { onMachine: true, title, collect };
}

function ofCluster(title: string, collect: string): SourceTraits {
  return { onMachine: false, title, collect };
}

function podLogs(selector: string): string {
  return `kubectl -n kube-system logs -l ${selector} --tail=2000 --prefix`;
}

export const SOURCES = {
  kubelet: onMachine(
    'kubelet journal',
    'journalctl -u kubelet --no-pager -o short-iso | tail -n 5000',
  ),
  containerd: onMachine(
    'container runtime journal',
    'journalctl -u containerd --no-pager | tail -n 2000',
  ),
  nodeadm: onMachine('nodeadm journal', 'journalctl -u nodeadm-config -u nodeadm-run --no-pager'),
  'cloud-init': onMachine('cloud-init output', 'sudo cat /var/log/cloud-init-output.log'),
  'user-data': onMachine('user data as given', 'sudo cat /var/lib/cloud/instance/user-data.txt'),
  nodeup: onMachine('kOps nodeup journal', 'journalctl -u kops-configuration --no-pager'),
  kubeadm: onMachine('kubeadm output', 'sudo tail -n 500 /var/log/cloud-init-output.log'),
  bottlerocket: onMachine('Bottlerocket services', 'journalctl -b --no-pager'),
  ignition: onMachine('Ignition log', 'journalctl -t ignition --no-pager'),
  console: onMachine(
    'EC2 console output',
    'aws ec2 get-console-output --latest --output text --instance-id <instance>',
  ),
  kernel: onMachine('kernel log', 'sudo dmesg -T'),
  journal: onMachine('system journal', 'journalctl -b --no-pager | tail -n 5000'),
  'host-file': onMachine(
    'files of the machine',
    'sudo iptables-save; ip route; ip rule; cat /etc/resolv.conf',
  ),
  ipamd: onMachine('VPC CNI ipamd log', 'sudo tail -n 5000 /var/log/aws-routed-eni/ipamd.log'),
  'cni-plugin': onMachine(
    'VPC CNI plugin log',
    'sudo tail -n 2000 /var/log/aws-routed-eni/plugin.log',
  ),
  'aws-node': onMachine('aws-node pod log', podLogs('k8s-app=aws-node')),
  'kube-proxy': onMachine('kube-proxy pod log', podLogs('k8s-app=kube-proxy')),
  'calico-node': onMachine('calico-node pod log', podLogs('k8s-app=calico-node')),
  cilium: onMachine('cilium agent log', podLogs('k8s-app=cilium')),
  'kiam-agent': onMachine('kiam agent log', podLogs('app=kiam,component=agent')),
  kube2iam: onMachine('kube2iam log', podLogs('app=kube2iam')),
  'pod-identity-agent': onMachine(
    'EKS Pod Identity agent log',
    podLogs('app.kubernetes.io/name=eks-pod-identity-agent'),
  ),
  'csi-driver': onMachine('CSI node driver log', podLogs('app=ebs-csi-node')),
  'device-plugin': onMachine('device plugin log', podLogs('name=nvidia-device-plugin-ds')),
  'kiam-server': ofCluster('kiam server log', podLogs('app=kiam,component=server')),
  'pod-identity-webhook': ofCluster(
    'pod identity webhook log',
    podLogs('app=pod-identity-webhook'),
  ),
  coredns: ofCluster('CoreDNS log', podLogs('k8s-app=kube-dns')),
  nidhogg: ofCluster('nidhogg log', podLogs('app=nidhogg')),
  karpenter: ofCluster('Karpenter controller log', podLogs('app.kubernetes.io/name=karpenter')),
  'cloud-controller': ofCluster(
    'cloud controller manager log',
    podLogs('k8s-app=aws-cloud-controller-manager'),
  ),
  'controller-manager': ofCluster(
    'kube-controller-manager log',
    podLogs('component=kube-controller-manager'),
  ),
  'vpc-resource-controller': ofCluster('VPC resource controller log', 'kubectl get events -A'),
  scheduler: ofCluster('kube-scheduler log', podLogs('component=kube-scheduler')),
  'kube-apiserver': ofCluster('kube-apiserver log', podLogs('component=kube-apiserver')),
  authenticator: ofCluster(
    'EKS authenticator log',
    'aws logs filter-log-events --log-group-name /aws/eks/<cluster>/cluster --log-stream-name-prefix authenticator-',
  ),
  audit: ofCluster(
    'API server audit log',
    'aws logs filter-log-events --log-group-name /aws/eks/<cluster>/cluster --log-stream-name-prefix kube-apiserver-audit-',
  ),
  'kops-controller': ofCluster('kops-controller log', podLogs('k8s-app=kops-controller')),
  'machine-approver': ofCluster(
    'machine or CSR approver log',
    'oc -n openshift-cluster-machine-approver logs deploy/machine-approver -c machine-approver-controller',
  ),
  'machine-config-server': ofCluster(
    'machine-config-server log',
    'oc -n openshift-machine-config-operator logs ds/machine-config-server',
  ),
  event: ofCluster('Kubernetes events', 'kubectl get events -A --sort-by=.lastTimestamp'),
  'pod-status': ofCluster('pod states', 'kubectl get pods -A -o wide'),
  'node-status': ofCluster('node states', 'kubectl get nodes -o yaml'),
  'node-claim': ofCluster(
    'Karpenter objects',
    'kubectl get nodeclaims,nodepools,ec2nodeclasses -o yaml',
  ),
  object: ofCluster('other Kubernetes objects', 'kubectl get all -A -o yaml'),
  'aws-message': ofCluster(
    'AWS API answers',
    'aws eks describe-nodegroup --cluster-name <cluster> --nodegroup-name <node-group>',
  ),
  terraform: ofCluster('Terraform, CloudFormation or eksctl output', 'terraform plan'),
  'client-output': ofCluster('kubectl and other client output', 'kubectl get nodes -o wide'),
  'pod-app': ofCluster('application log', 'kubectl logs <pod>'),
  unknown: ofCluster('text of unknown origin', ''),
} as const satisfies Record<string, SourceTraits>;

export type LineSource = keyof typeof SOURCES;

export function isLineSource(text: string): text is LineSource {
  return Object.hasOwn(SOURCES, text);
}
