import type { JsonObject } from '../../evidence/json.ts';
import type { ClusterSetting } from '../stories/scenario.ts';

/** Tolerated by whatever must run before a node is ready. */
const EVERYTHING = [{ operator: 'Exists' }];
const NAMESPACE = 'kube-system';
/** The label and the taint of machines that run the API server. */
export const CONTROL_PLANE = 'node-role.kubernetes.io/control-plane';

interface AgentPart {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly readinessProbe?: JsonObject;
  readonly livenessProbe?: JsonObject;
  /** True where it has an address of the node; of the pod network otherwise. */
  readonly isOnHost?: boolean;
  /** True where it runs beside the API server only; everywhere otherwise. */
  readonly isOnControlPlane?: boolean;
}

function agent({
  name,
  image,
  args = [],
  isOnControlPlane = false,
  isOnHost = true,
  ...probes
}: AgentPart): JsonObject {
  const labels = { 'k8s-app': name };
  const container = {
    name,
    image,
    ...(args.length === 0 ? {} : { args: [...args] }),
    resources: { requests: { cpu: '25m', memory: '32Mi' } },
    securityContext: { privileged: true },
    ...probes,
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace: NAMESPACE, labels },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          hostNetwork: isOnHost,
          priorityClassName: 'system-node-critical',
          serviceAccountName: name,
          tolerations: EVERYTHING,
          ...(isOnControlPlane ? { nodeSelector: { [CONTROL_PLANE]: '' } } : {}),
          containers: [container],
        },
      },
    },
  };
}

function kubeProxy({ version, kind }: ClusterSetting, region: string): JsonObject {
  const registry =
    kind === 'eks' ? `602401143452.dkr.ecr.${region}.amazonaws.com/eks` : 'registry.k8s.io';
  return agent({ name: 'kube-proxy', image: `${registry}/kube-proxy:v${version}` });
}

/** Its readiness probe asks felix, which is ready once the routes are programmed. */
function calico(): JsonObject {
  return agent({
    name: 'calico-node',
    image: 'docker.io/calico/node:v3.30.2',
    readinessProbe: {
      exec: { command: ['/bin/calico-node', '-felix-ready', '-bird-ready'] },
      periodSeconds: 10,
    },
  });
}

function vpcCni({ cniVersion }: ClusterSetting, region: string): JsonObject {
  return agent({
    name: 'aws-node',
    image: `602401143452.dkr.ecr.${region}.amazonaws.com/amazon-k8s-cni:${cniVersion}`,
    readinessProbe: {
      exec: { command: ['/app/grpc-health-probe', '-addr=:50051'] },
      initialDelaySeconds: 1,
      periodSeconds: 10,
    },
  });
}

/** As in the manifests that kiam ships: only a liveness probe, which asks whether it listens. */
function kiam(cluster: ClusterSetting): readonly JsonObject[] {
  const image = 'quay.io/uswitch/kiam:v4.2';
  const livenessProbe = { httpGet: { path: '/ping', port: 8181 }, periodSeconds: 3 };
  return [
    agent({
      name: 'kiam-agent',
      image,
      args: ['agent', '--iptables', hostInterface(cluster), '--server-address=kiam-server:443'],
      livenessProbe,
    }),
    agent({
      name: 'kiam-server',
      image,
      args: ['server', '--bind=0.0.0.0:443'],
      isOnHost: false,
      isOnControlPlane: true,
    }),
  ];
}

function kube2iam(cluster: ClusterSetting): JsonObject {
  return agent({
    name: 'kube2iam',
    image: 'jtblin/kube2iam:0.12.0',
    args: ['--iptables=true', hostInterface(cluster), '--auto-discover-base-arn'],
  });
}

function podIdentityAgent(region: string): JsonObject {
  return agent({
    name: 'eks-pod-identity-agent',
    image: `602401143452.dkr.ecr.${region}.amazonaws.com/eks/eks-pod-identity-agent:v0.1.33`,
  });
}

/** By what name the pod network's interfaces on the node begin. */
function hostInterface({ podNetwork }: ClusterSetting): string {
  return `--host-interface=${podNetwork === 'vpc-cni' ? 'eni' : 'cali'}+`;
}

/** The pod in which the cloud controller of the platform runs. */
export const CLOUD_CONTROLLER = 'aws-cloud-controller-manager';

function cloudController({ version }: ClusterSetting): JsonObject {
  return agent({
    name: CLOUD_CONTROLLER,
    image: `registry.k8s.io/provider-aws/cloud-controller-manager:v${version}`,
    args: ['--cloud-provider=aws', '--use-service-account-credentials=true'],
    isOnControlPlane: true,
  });
}

/** The agents that a cluster runs on its nodes. */
export function systemAgents(cluster: ClusterSetting, region: string): readonly JsonObject[] {
  const { podNetwork, podIdentity, kind } = cluster;
  const hasCloudController = kind === 'kubeadm' && cluster.cloudController !== 'none';
  return [
    ...(hasCloudController ? [cloudController(cluster)] : []),
    kubeProxy(cluster, region),
    ...(podNetwork === 'calico' ? [calico()] : []),
    ...(podNetwork === 'vpc-cni' ? [vpcCni(cluster, region)] : []),
    ...(podIdentity === 'kiam' ? kiam(cluster) : []),
    ...(podIdentity === 'kube2iam' ? [kube2iam(cluster)] : []),
    ...(podIdentity === 'pod-identity' ? [podIdentityAgent(region)] : []),
  ];
}
