/** The programs that decide whether a node comes up, and the modules that hold their source. */
import type { LineSource } from '../../src/evidence/source.ts';

export interface GoModule {
  readonly path: string;
  readonly version: string;
  /** Folders and files of the module that belong to the program. */
  readonly parts: readonly string[];
}

/** Error, status and health codes of an AWS client: its errors, and its enumerations so named. */
export interface SdkModel {
  readonly client: string;
  readonly enumerations: RegExp;
}

export interface Release {
  /** As people name it. */
  readonly version: string;
  readonly modules: readonly GoModule[];
  readonly models?: readonly SdkModel[];
}

export interface Program {
  readonly name: string;
  /** What the messages are printed in. */
  readonly sources: readonly LineSource[];
  /** Oldest first. */
  readonly releases: readonly Release[];
}

type Parts = Readonly<Record<string, readonly string[]>>;

function releases(
  parts: Parts,
  versions: Readonly<Record<string, readonly string[]>>,
): readonly Release[] {
  const paths = Object.entries(parts);
  return Object.entries(versions).map(([version, pinned]) => ({
    version,
    modules: paths.flatMap(([path, inside], index) => {
      const module = pinned[index];
      return module === undefined ? [] : [{ path, version: module, parts: inside }];
    }),
  }));
}

const KUBERNETES = {
  '1.33': ['v1.33.13', 'v0.33.13'],
  '1.34': ['v1.34.4', 'v0.34.13'],
  '1.35': ['v1.35.4', 'v0.35.10'],
  '1.36': ['v1.36.3', 'v0.36.6'],
  '1.37': ['v1.37.2', 'v0.37.2'],
};

const CLIENT = [
  'plugin/pkg/client/auth/exec',
  'rest',
  'tools/cache/reflector.go',
  'util/certificate',
];

export const PROGRAMS: readonly Program[] = [
  {
    name: 'kubelet',
    sources: ['kubelet', 'event', 'node-status', 'pod-status'],
    releases: releases(
      {
        'k8s.io/kubernetes': [
          'cmd/kubelet',
          'pkg/kubelet',
          'pkg/credentialprovider',
          'pkg/volume/csi',
          'pkg/volume/util/operationexecutor',
        ],
        'k8s.io/client-go': CLIENT,
      },
      KUBERNETES,
    ),
  },
  {
    name: 'kubeadm',
    sources: ['kubeadm', 'cloud-init'],
    releases: releases({ 'k8s.io/kubernetes': ['cmd/kubeadm'] }, KUBERNETES),
  },
  {
    name: 'kube-controller-manager',
    sources: ['controller-manager', 'cloud-controller', 'event', 'node-status'],
    releases: releases(
      {
        'k8s.io/kubernetes': [
          'pkg/controller/certificates',
          'pkg/controller/nodeipam',
          'pkg/controller/nodelifecycle',
          'pkg/controller/podgc',
          'pkg/controller/tainteviction',
          'pkg/controller/daemon',
        ],
      },
      KUBERNETES,
    ),
  },
  {
    name: 'kube-apiserver',
    sources: ['kube-apiserver', 'kubelet', 'client-output', 'kubeadm'],
    releases: releases(
      {
        'k8s.io/kubernetes': [
          'plugin/pkg/admission/noderestriction',
          'plugin/pkg/auth/authenticator/token/bootstrap',
          'plugin/pkg/auth/authorizer/node',
          'pkg/kubeapiserver/authenticator',
        ],
      },
      KUBERNETES,
    ),
  },
  {
    name: 'kube-proxy',
    sources: ['kube-proxy', 'event'],
    releases: releases({ 'k8s.io/kubernetes': ['cmd/kube-proxy', 'pkg/proxy'] }, KUBERNETES),
  },
  {
    name: 'aws-cloud-controller-manager',
    sources: ['cloud-controller', 'controller-manager', 'event', 'node-status'],
    releases: releases(
      {
        'k8s.io/cloud-provider-aws': ['cmd/aws-cloud-controller-manager', 'pkg'],
        'k8s.io/cloud-provider': ['app', 'controllers', 'node'],
      },
      {
        '1.33': ['v1.33.4', 'v0.33.13'],
        '1.34': ['v1.34.4', 'v0.34.13'],
        '1.35': ['v1.35.3', 'v0.35.10'],
        '1.36': ['v1.36.2', 'v0.36.6'],
        '1.37': ['v1.37.1', 'v0.37.2'],
      },
    ),
  },
  {
    name: 'ipamd',
    sources: ['ipamd', 'aws-node', 'cni-plugin', 'event'],
    releases: releases(
      { 'github.com/aws/amazon-vpc-cni-k8s': ['cmd', 'pkg', 'utils'] },
      {
        '1.15': ['v1.15.5'],
        '1.19': ['v1.19.6'],
        '1.20': ['v1.20.4'],
        '1.22': ['v1.22.4'],
        '1.23': ['v1.23.2'],
      },
    ),
  },
  {
    name: 'karpenter',
    sources: ['karpenter', 'event', 'node-claim'],
    releases: releases(
      {
        'sigs.k8s.io/karpenter': ['pkg'],
        'github.com/aws/karpenter-provider-aws': ['pkg', 'cmd'],
      },
      {
        '1.8': ['v1.6.4', 'v1.8.2'],
        '1.9': ['v1.9.0', 'v1.9.3'],
        '1.13': ['v1.12.1', 'v1.13.1'],
        '1.14': ['v1.14.3', 'v1.14.3'],
        '1.15': ['v1.15.0', 'v1.15.1'],
      },
    ),
  },
  {
    name: 'nodeadm',
    sources: ['nodeadm', 'cloud-init', 'journal'],
    releases: releases(
      { 'github.com/awslabs/amazon-eks-ami/nodeadm': ['api', 'cmd', 'internal'] },
      { '2024-02': ['v0.0.0-20240229193347-cfab22a10647'] },
    ),
  },
  {
    name: 'aws-iam-authenticator',
    sources: ['authenticator', 'kubelet', 'client-output'],
    releases: releases(
      { 'sigs.k8s.io/aws-iam-authenticator': ['cmd', 'pkg'] },
      { '0.6': ['v0.6.13'] },
    ),
  },
  {
    name: 'containerd',
    sources: ['containerd', 'kubelet', 'event', 'journal'],
    releases: [
      ...releases(
        { 'github.com/containerd/containerd': ['pkg/cri', 'runtime/v2', 'remotes/docker'] },
        { '1.7': ['v1.7.35'] },
      ),
      ...releases(
        {
          'github.com/containerd/containerd/v2': [
            'core/remotes/docker',
            'core/runtime',
            'internal/cri',
            'plugins/cri',
          ],
        },
        { '2.1': ['v2.1.9'], '2.2': ['v2.2.9'], '2.3': ['v2.3.7'], '2.4': ['v2.4.2'] },
      ),
    ],
  },
  {
    name: 'calico-node',
    sources: ['calico-node', 'event', 'pod-status'],
    releases: releases(
      { 'github.com/projectcalico/calico': ['cni-plugin', 'node/cmd', 'node/pkg'] },
      { '2025-08': ['v1.11.0-cni-plugin.0.20250813170300-a0db560f0520'] },
    ),
  },
  {
    name: 'cilium-agent',
    sources: ['cilium', 'event', 'pod-status'],
    releases: releases(
      {
        'github.com/cilium/cilium': [
          'daemon',
          'operator/pkg/ipam',
          'operator/watchers',
          'pkg/aws',
          'pkg/ipam',
          'plugins/cilium-cni',
        ],
      },
      { '1.15': ['v1.15.19'], '1.20': ['v1.20.2'] },
    ),
  },
  {
    name: 'aws',
    sources: ['aws-message', 'karpenter', 'node-claim', 'client-output', 'terraform', 'event'],
    releases: [
      {
        version: 'SDK 3',
        modules: [],
        models: [
          {
            client: 'client-ec2',
            enumerations:
              /^(?:FleetStateCode|LaunchTemplateErrorCode|StatusName|EventCode|StatusType|SummaryStatus|VolumeStatusName|VolumeStatusInfoStatus|InstanceStateName|SpotInstanceState|NetworkInterfaceStatus|AttachmentStatus|SubnetState|ReportInstanceReasonCodes|ImageState|CapacityReservationState|InstanceHealthStatus|InstanceBootModeValues)$/,
          },
          { client: 'client-eks', enumerations: /(?:Code|Status)$/ },
          { client: 'client-auto-scaling', enumerations: /(?:Code|State|Status|Reason)$/ },
          { client: 'client-sts', enumerations: /^$/ },
          { client: 'client-iam', enumerations: /^$/ },
        ],
      },
    ],
  },
];
