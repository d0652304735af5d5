/** Nodes with their Leases, Pods and instances in memory, an hour after the beginning. */
import { NODE_DELETION_NOTE } from '../../../src/controllers/fix/name/fix-name.ts';
import { NODES } from '../../../src/controllers/gate/plan.ts';
import { type JsonObject, textAt } from '../../../src/evidence/json.ts';
import { LEASES } from '../../../src/runtime/election/lease-record.ts';
import { PODS } from '../gate/scene.ts';
import { type Scene, scene } from './scene.ts';

export const HOUR_MS = 3_600_000;
export const DELETED_NODE = NODE_DELETION_NOTE;

export interface PodOnNode {
  readonly node: string;
  readonly owner?: JsonObject | null;
  readonly labels?: JsonObject;
  readonly annotations?: JsonObject;
  readonly isReady?: boolean;
}

export interface NodeScene extends Scene {
  readonly layNode: (name: string, change?: JsonObject) => void;
  readonly renew: (name: string, atMs: number) => void;
  readonly layPod: (name: string, on: PodOnNode) => void;
  /** What EC2 shows from now on, by instance id. */
  readonly instances: (states: Readonly<Record<string, string>>) => void;
  readonly nodeNames: () => readonly string[];
  readonly uidOf: (name: string) => string;
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

/** A Node: `ready`, `providerID`, `createdMs`, `labels`, `finalizers`, `machineID`, `systemUUID`. */
export function namedNode(name: string, change: JsonObject = {}): JsonObject {
  const { ready = 'True', providerID = null, createdMs = 0, labels = {}, finalizers = [] } = change;
  const { machineID = '', systemUUID = '', kubeletVersion = 'v1.34.1' } = change;
  const metadata = { name, uid: `uid-${name}`, resourceVersion: '1', labels, finalizers };
  return {
    metadata: { ...metadata, creationTimestamp: timeOf(Number(createdMs)) },
    spec: providerID === null ? {} : { providerID },
    status: {
      nodeInfo: { machineID, systemUUID, kubeletVersion },
      conditions: [{ type: 'Ready', status: ready }],
    },
  };
}

const OWNER = { kind: 'ReplicaSet', name: 'cart', uid: 'rs-1', controller: true };

export function nodeScene(): NodeScene {
  const at = scene();
  for (const kind of [PODS, NODES, LEASES]) at.api.serve(kind);
  void at.tools().clock.sleep(HOUR_MS);
  const renew = (name: string, atMs: number): void => {
    const metadata = { namespace: 'kube-node-lease', name };
    at.api.put(LEASES, { metadata, spec: { renewTime: timeOf(atMs) } });
  };
  return {
    ...at,
    renew,
    layNode: (name, change = {}) => {
      const { metadata, ...rest } = namedNode(name, change);
      const { uid: _uid, resourceVersion: _version, ...own } = metadata as JsonObject;
      at.api.put(NODES, { metadata: own, ...rest });
      if (change['renewedMs'] !== undefined) renew(name, Number(change['renewedMs']));
    },
    layPod: (name, { node, owner = OWNER, labels = {}, annotations = {}, isReady = true }) => {
      const ownerReferences = owner === null ? [] : [owner];
      const ready = { type: 'Ready', status: isReady ? 'True' : 'False' };
      at.api.put(PODS, {
        metadata: { namespace: 'shop', name, labels, annotations, ownerReferences },
        spec: { nodeName: node },
        status: { phase: 'Running', conditions: [ready] },
      });
    },
    instances: (states) => {
      const rows = Object.entries(states).map(([InstanceId, Name]) => ({
        InstanceId,
        State: { Name },
      }));
      at.aws.answer('ec2:DescribeInstances', () => [{ Reservations: [{ Instances: rows }] }]);
    },
    nodeNames: () => at.api.objects(NODES).map((node) => textAt(node, 'metadata.name') ?? ''),
    uidOf: (name) => {
      const node = at.api.objects(NODES).find((one) => textAt(one, 'metadata.name') === name);
      return textAt(node, 'metadata.uid') ?? '';
    },
  };
}
