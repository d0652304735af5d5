import { isObject, type Json, type JsonObject, textAt } from '../../evidence/json.ts';
import { withRequestedUser } from '../kube/signing-request.ts';
import { keptEntries } from './config-map.ts';
import {
  countLeftOut,
  fields,
  keep,
  type Kept,
  type KeptBy,
  type KeptFields,
  type LeftOut,
} from './keep.ts';
import { POD_SPEC } from './pod-spec.ts';

/** Annotations that causes read; in any other somebody may keep whatever they like. */
const ANNOTATIONS =
  /amazonaws\.com\/|(?:^|\.)k8s\.aws\/|karpenter\.sh\/|cluster-autoscaler|vpc-resource|nidhogg|projectcalico\.org\/|provided-node-ip$|^volume\.(?:beta\.)?kubernetes\.io\/|eni-?config|readiness\.(?:node\.x-)?k8s\.io|^(?:gate\.)?rollcall/i;

const keptAnnotations: KeptBy = (value, left) => {
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value);
  const kept = entries.filter(([key]) => ANNOTATIONS.test(key));
  countLeftOut(left, 'annotations', entries.length - kept.length);
  return Object.fromEntries(kept);
};

/** Who last wrote a part of an object, and when; of all the parts those that causes ask about. */
const WRITERS: KeptFields = {
  ...fields('manager', 'operation', 'time'),
  fieldsV1: {
    'f:spec': { 'f:taints': () => ({}), 'f:unschedulable': () => ({}) },
    'f:metadata': { 'f:annotations': { 'f:eks.amazonaws.com/role-arn': () => ({}) } },
  },
};

const METADATA: KeptFields = {
  ...fields(
    'name',
    'namespace',
    'uid',
    'labels',
    'creationTimestamp',
    'deletionTimestamp',
    'finalizers',
  ),
  annotations: keptAnnotations,
  ownerReferences: [fields('kind', 'name', 'uid')],
  managedFields: [WRITERS],
};

const CONDITIONS: Kept = [
  fields('type', 'status', 'reason', 'message', 'lastTransitionTime', 'lastHeartbeatTime'),
];

const CONTAINER_STATUS: KeptFields = fields(
  'name',
  'ready',
  'restartCount',
  'image',
  'state',
  'lastState',
);

const WEBHOOKS: Kept = [
  {
    ...fields('name', 'failurePolicy', 'namespaceSelector', 'objectSelector', 'timeoutSeconds'),
    clientConfig: { service: fields('name', 'namespace') },
    rules: [fields('apiGroups', 'operations', 'resources', 'scope')],
  },
];

/** Nothing of a certificate is read but that there is one. */
const isThere: KeptBy = (value) => (value === '' || value === null ? undefined : '‹certificate›');

const CONDITIONED: KeptFields = { status: { conditions: CONDITIONS } };

/** What is kept of the body of each kind; of kinds that are not here, their conditions. */
const BODIES: Readonly<Record<string, KeptFields>> = {
  Node: {
    spec: fields('podCIDR', 'providerID', 'taints', 'unschedulable'),
    status: {
      ...fields('addresses', 'allocatable', 'capacity', 'nodeInfo'),
      conditions: CONDITIONS,
    },
  },
  Pod: {
    spec: POD_SPEC,
    status: {
      ...fields('reason', 'message', 'phase', 'hostIP', 'podIP', 'startTime'),
      conditions: CONDITIONS,
      containerStatuses: [CONTAINER_STATUS],
      initContainerStatuses: [CONTAINER_STATUS],
    },
  },
  Event: {
    ...fields('type', 'reason', 'message', 'note', 'count', 'reportingComponent'),
    ...fields('firstTimestamp', 'lastTimestamp', 'eventTime', 'deprecatedSource', 'source'),
    involvedObject: fields('kind', 'name', 'namespace', 'uid'),
    regarding: fields('kind', 'name', 'namespace', 'uid'),
  },
  Lease: { spec: fields('holderIdentity', 'leaseDurationSeconds', 'renewTime') },
  DaemonSet: {
    spec: {
      selector: 'whole',
      template: { metadata: fields('labels'), spec: POD_SPEC },
      updateStrategy: fields('type'),
    },
    status: 'whole',
  },
  Deployment: {
    spec: { replicas: 'whole', template: { metadata: fields('labels'), spec: POD_SPEC } },
    status: 'whole',
  },
  CSINode: { spec: { drivers: [fields('name', 'nodeID', 'allocatable')] } },
  CNINode: { spec: { features: [fields('name')] } },
  CertificateSigningRequest: {
    requestedUser: 'whole',
    spec: fields('signerName', 'username'),
    status: { certificate: isThere, conditions: CONDITIONS },
  },
  MutatingWebhookConfiguration: { webhooks: WEBHOOKS },
  ValidatingWebhookConfiguration: { webhooks: WEBHOOKS },
  EndpointSlice: {
    endpoints: [fields('addresses', 'conditions', 'nodeName')],
    ports: 'whole',
  },
  PersistentVolumeClaim: {
    spec: fields('volumeName', 'storageClassName'),
    status: fields('phase'),
  },
  PersistentVolume: {
    spec: {
      nodeAffinity: 'whole',
      csi: fields('driver'),
      awsElasticBlockStore: () => ({}),
    },
    status: fields('phase'),
  },
  PodDisruptionBudget: {
    spec: fields('selector', 'minAvailable', 'maxUnavailable'),
    status: fields('currentHealthy', 'desiredHealthy', 'disruptionsAllowed', 'expectedPods'),
  },
  SecurityGroupPolicy: {
    spec: {
      ...fields('podSelector', 'serviceAccountSelector'),
      securityGroups: fields('groupIds'),
    },
  },
  ENIConfig: { spec: fields('subnet', 'securityGroups') },
  Namespace: { status: fields('phase') },
  NodeClaim: {
    spec: fields('startupTaints', 'taints', 'nodeClassRef', 'requirements'),
    status: {
      ...fields('nodeName', 'providerID', 'imageID', 'allocatable', 'capacity'),
      conditions: CONDITIONS,
    },
  },
  NodePool: {
    spec: {
      ...fields('limits', 'weight', 'disruption'),
      template: { spec: fields('nodeClassRef', 'startupTaints', 'taints', 'requirements') },
    },
    status: { ...fields('resources'), conditions: CONDITIONS },
  },
  EC2NodeClass: {
    spec: fields(
      'subnetSelectorTerms',
      'securityGroupSelectorTerms',
      'amiSelectorTerms',
      'amiFamily',
      'role',
      'instanceProfile',
    ),
    ...CONDITIONED,
  },
  NodeReadinessRule: { spec: fields('conditions', 'taint', 'enforcementMode', 'nodeSelector') },
  Machine: {
    spec: fields('providerID'),
    status: {
      ...fields('phase', 'errorMessage', 'errorReason', 'nodeName', 'nodeRef'),
      conditions: CONDITIONS,
    },
  },
  JoinConfiguration: {
    discovery: { bootstrapToken: () => ({}), file: () => ({}) },
  },
};

/** What causes read of an object of Kubernetes. */
export function keptObject(value: JsonObject, kind: string, left: LeftOut): JsonObject {
  const body = Object.hasOwn(BODIES, kind) ? (BODIES[kind] ?? {}) : CONDITIONED;
  const shape = { ...fields('apiVersion', 'kind'), metadata: METADATA, ...body };
  const given = kind === 'CertificateSigningRequest' ? withRequestedUser(value) : value;
  const kept = keep(given, shape, left);
  const entries = kind === 'ConfigMap' ? keptEntries(value, left) : undefined;
  return { ...(isObject(kept) ? kept : {}), ...(entries === undefined ? {} : { data: entries }) };
}

const LIST_METADATA: KeptFields = {
  annotations: keptAnnotations,
  continue: (value) => moreOf(value),
};

/** That there is another page is said by any token. */
function moreOf(token: Json): Json | undefined {
  return typeof token === 'string' && token !== '' ? 'more' : undefined;
}

/** What causes read of a list of objects; those of `kind: List` say what they are themselves. */
export function keptList(list: JsonObject, left: LeftOut): JsonObject {
  const kind = (textAt(list, 'kind') ?? '').replace(/List$/, '');
  const items = Array.isArray(list['items']) ? (list['items'] as readonly Json[]) : [];
  const head = keep(list, { ...fields('apiVersion', 'kind'), metadata: LIST_METADATA }, left);
  return {
    ...(isObject(head) ? head : {}),
    items: items.filter(isObject).map((item) => keptObject(item, kindOf(item, kind), left)),
  };
}

function kindOf(item: JsonObject, ofList: string): string {
  return textAt(item, 'kind') ?? ofList;
}
