import type { LineSource } from '../evidence/source.ts';
import type { Stage } from '../evidence/stage.ts';

/** Something seen that cannot happen unless the stages it proves were passed. */
export interface Milestone {
  readonly id: string;
  readonly title: string;
  readonly proves: readonly Stage[];
  readonly signs: readonly MilestoneSign[];
}

export interface MilestoneSign {
  readonly in: readonly LineSource[];
  readonly anchors: readonly string[];
  readonly pattern: RegExp;
  readonly strict?: boolean;
}

const BOOTED: readonly Stage[] = ['launched', 'bootstrapped'];
const ADMITTED: readonly Stage[] = [...BOOTED, 'reachable', 'authenticated'];

/** A cloud controller that found the instance of a Node. */
export const NODE_INITIALISED = {
  in: ['cloud-controller', 'controller-manager'],
  anchors: ['Successfully initialized node'],
  pattern: /Successfully initialized node (?<node>[a-z0-9][a-z0-9.-]*) with cloud provider/,
} as const satisfies MilestoneSign;

/** The successes that pass stages and take earlier failures back. */
export const MILESTONES = [
  {
    id: 'kubelet-started',
    title: 'the kubelet runs',
    proves: BOOTED,
    signs: [
      {
        in: ['kubelet', 'journal'],
        anchors: ['Starting kubelet main sync loop', 'Started kubelet'],
        pattern: /Starting kubelet main sync loop|server\.go:\d+\] "?Started kubelet"?/,
      },
      {
        in: ['event'],
        anchors: ['Starting kubelet.'],
        pattern: /\bStarting\b.*\bStarting kubelet\./,
        strict: true,
      },
    ],
  },
  {
    id: 'kubelet-names-node',
    title: 'the kubelet logged the Node name it registers',
    proves: BOOTED,
    signs: [
      {
        in: ['kubelet'],
        anchors: [
          'Attempting to register node',
          'Unable to register node',
          'Error getting node',
          'Error getting the current node',
          'Failed to initialize CSINode',
        ],
        pattern:
          /(?:(?:Attempting|Unable) to register node|Error getting (?:the current )?node).*?(?:node |node=|node": ?(?:\{"name": ?)?)"(?<node>[a-z0-9][a-z0-9.-]*)"|Attempting to register node:? "?(?<node2>[a-z0-9][a-z0-9.-]*)/,
      },
    ],
  },
  {
    id: 'instance-named',
    title: 'a program on the machine logged the instance id',
    proves: ['launched'],
    signs: [
      {
        in: ['ipamd', 'nodeadm', 'cloud-init', 'aws-node'],
        anchors: [
          'Found instance-id',
          'Found instance ID',
          'Instance details populated',
          'instance-id: i-',
        ],
        pattern:
          /(?:Found instance-id: |Found instance ID[": ]+|Instance details populated.*"id":"|instance-id: )(?<self>i-[0-9a-f]{8,17})\b/,
        strict: true,
      },
      {
        in: ['ipamd', 'aws-node'],
        anchors: ['instance primary ip address', 'instance private IP'],
        pattern:
          /Discovered the instance (?:primary|private) (?:ip|IP) address: (?<self>\d{1,3}(?:\.\d{1,3}){3})/,
        strict: true,
      },
      {
        in: ['calico-node'],
        anchors: ['for node name '],
        pattern:
          /Using (?:NODENAME|HOSTNAME) environment(?: \(lowercase\))? for node name (?<self>[a-z0-9][a-z0-9.-]{0,252})/,
        strict: true,
      },
    ],
  },
  {
    id: 'api-answered',
    title: 'the API server answered',
    proves: [...BOOTED, 'reachable'],
    signs: [
      {
        in: ['kubelet'],
        anchors: [
          'Unable to register node',
          'Failed to ensure lease exists',
          'Failed to list *v1.',
        ],
        pattern:
          /(?:Unable to register node|Failed to ensure lease exists|Failed to list \*v1\.).*(?:\bUnauthorized\b|is forbidden)/,
      },
    ],
  },
  {
    id: 'api-knew-the-caller',
    title: 'the API server authenticated the caller',
    proves: ADMITTED,
    signs: [
      {
        in: ['kubelet'],
        anchors: ['is forbidden: node ', 'is forbidden: User'],
        pattern:
          /(?:register node|[Ff]ailed to (?:list|watch|ensure)|CSINode publishing).*is forbidden: (?:node |User "system:node:[a-z0-9])/,
      },
    ],
  },
  {
    id: 'kubelet-audited',
    title: 'the API server served the kubelet under its Node name',
    proves: ADMITTED,
    signs: [
      {
        in: ['audit'],
        anchors: ['system:node:'],
        pattern:
          /"user":\{"username":"system:node:(?<node>[a-z0-9][a-z0-9.-]*)".{0,1000}"userAgent":"kubelet\/.{0,600}"code":20\d\b/,
        strict: true,
      },
    ],
  },
  {
    id: 'node-served-to-kubelet',
    title: 'the API server returned the Node to its kubelet',
    proves: [...ADMITTED, 'registered'],
    signs: [
      {
        in: ['audit'],
        anchors: ['/api/v1/nodes/'],
        pattern:
          /"requestURI":"\/api\/v1\/nodes\/(?<node>[a-z0-9][a-z0-9.-]*)[^"]*","verb":"(?:get|patch|update)","user":\{"username":"system:node:\k<node>".{0,1000}"userAgent":"kubelet\/.{0,600}"code":20\d\b/,
        strict: true,
      },
    ],
  },
  {
    id: 'joined',
    title: 'kubeadm join succeeded',
    proves: ADMITTED,
    signs: [
      {
        in: ['kubeadm', 'cloud-init'],
        anchors: ['This node has joined the cluster'],
        pattern: /This node has joined the cluster/,
      },
    ],
  },
  {
    id: 'node-registered',
    title: 'the Node registered',
    proves: [...ADMITTED, 'registered'],
    signs: [
      {
        in: ['kubelet'],
        anchors: ['Successfully registered node', 'was previously registered'],
        pattern:
          /Successfully registered node(?:"?:?\s+(?:node=)?"?|",.*"node": ?(?:\{"name": ?)?")(?<node>[a-z0-9][a-z0-9.-]*)|Node was previously registered(?:"? (?:node=)?"?|",.*"node": ?(?:\{"name": ?)?")(?<node2>[a-z0-9][a-z0-9.-]*)/,
      },
    ],
  },
  {
    id: 'node-reported',
    title: 'a kubelet updated the status of the Node',
    proves: ADMITTED,
    signs: [
      {
        in: ['node-status'],
        anchors: [' version v1.'],
        pattern: /^Node (?<node>\S+) version v1\./,
        strict: true,
      },
      {
        in: ['node-status'],
        anchors: [' condition Ready='],
        pattern:
          /^Node (?<node>\S+) condition Ready=(?:False KubeletNotReady|Unknown NodeStatusUnknown)\b/,
        strict: true,
      },
    ],
  },
  {
    id: 'node-initialised',
    title: 'the cloud controller initialized the Node',
    proves: [...ADMITTED, 'registered'],
    signs: [NODE_INITIALISED],
  },
  {
    id: 'node-ready',
    title: 'the Node is Ready',
    proves: [...ADMITTED, 'registered', 'retained'],
    signs: [
      {
        in: ['event', 'kubelet'],
        anchors: ['status is now: NodeReady'],
        pattern:
          /Node (?<node>[a-z0-9][a-z0-9.-]*) (?:event: Registered Node .* )?status is now: NodeReady/,
      },
      {
        in: ['kubelet'],
        anchors: ['as it just became ready'],
        pattern: /Fast updating node status as it just became ready/,
      },
      {
        in: ['node-status'],
        anchors: ['condition Ready=True'],
        pattern: /^Node (?<node>\S+) condition Ready=True/,
        strict: true,
      },
    ],
  },
  {
    id: 'pod-started',
    title: 'a container started on the machine',
    proves: [...ADMITTED, 'registered'],
    signs: [
      {
        in: ['event'],
        anchors: ['Started container'],
        pattern: /\bStarted\b.*\bkubelet(?:,? (?<node>[a-z0-9][a-z0-9.-]*))?\s+Started container/,
        strict: true,
      },
      // Objects tell the node apart from the words. Programs on the host's network start before there
      // is a pod network, so that their starts say nothing of it.
      {
        in: ['event'],
        anchors: ['Started container'],
        pattern:
          /\bNormal Started pod\/(?!kube-proxy-|kube-apiserver-|kube-controller-manager-|kube-scheduler-|etcd-|aws-cloud-controller-manager-|aws-node-|calico-|cilium-|kube-flannel-|kiam-|kube2iam-|eks-pod-identity-agent-|ebs-csi-|efs-csi-|node-exporter|prometheus-node-exporter)\S+ Started container/,
        strict: true,
      },
    ],
  },
  {
    id: 'networking-initialized',
    title: 'the CNI plugin started',
    proves: [...ADMITTED, 'registered'],
    signs: [
      {
        in: ['aws-node'],
        anchors: [
          'Successfully copied CNI plugin binary and config file',
          'Successfully copied CNI plugin',
        ],
        pattern: /Successfully copied CNI plugin/,
      },
    ],
  },
] as const satisfies readonly Milestone[];

export type MilestoneId = (typeof MILESTONES)[number]['id'];

const WITHDRAWN_UNTIL_READY: readonly MilestoneId[] = ['node-registered', 'node-ready'];

/** Which successes take a failure of this stage back, unless the cause says otherwise. */
export function defaultWithdrawal(stage: Stage): readonly MilestoneId[] {
  switch (stage) {
    case 'launched':
    case 'bootstrapped':
    case 'reachable':
    case 'authenticated':
    case 'identified':
    case 'registered':
      return WITHDRAWN_UNTIL_READY;
    case 'retained':
    case 'networked':
      return ['node-ready'];
    default:
      return [];
  }
}
