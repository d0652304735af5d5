/** The AWS cloud controller manager against moto that hides, refuses or does not know instances. */
import { setTimeout as sleep } from 'node:timers/promises';
import { startCloudController } from '../../cloud-controller.ts';
import { type Moto, THROTTLED, unauthorized } from '../../moto.ts';
import { layNode, type NodeShape } from '../objects.ts';
import type { Scenario, Truth } from '../scenario.ts';
import { NODE_NAME } from '../stage.ts';

interface Broken extends Truth {
  readonly what: string;
  readonly broken: string;
  readonly node: Partial<NodeShape>;
  readonly arrange?: (moto: Moto) => void;
  readonly views?: boolean;
}

const ABSENT = 'aws:///us-west-2a/i-0a1b2c3d4e5f60718';
const UNINITIALIZED = {
  key: 'node.cloudprovider.kubernetes.io/uninitialized',
  value: 'true',
  effect: 'NoSchedule',
};
/** As long as it takes to try a few times. */
const WATCH_MS = 8_000;

const BROKEN: readonly Broken[] = [
  {
    what: 'name-unknown',
    broken: 'no instance has the private DNS name of the Node',
    node: { providerId: null, taints: [UNINITIALIZED] },
    cause: 'ccm-cannot-initialize-node',
    expect: 'found',
  },
  {
    what: 'foreign-name',
    broken: 'the Node has a name of the company',
    node: { name: 'ip-10-0-31-7.corp.example.com', providerId: null, taints: [UNINITIALIZED] },
    cause: 'foreign-dhcp-domain-name',
    expect: 'found',
  },
  {
    what: 'not-in-cloud',
    broken: 'EC2 does not list the instance of a Node that is not Ready',
    node: { ready: 'False', providerId: ABSENT, taints: [UNINITIALIZED] },
    cause: 'node-deleted-as-not-in-cloud',
    expect: 'found',
  },
  {
    what: 'not-in-cloud-events',
    broken: 'EC2 does not list the instance of a Node that is not Ready',
    node: { ready: 'False', providerId: ABSENT, taints: [UNINITIALIZED] },
    views: true,
    cause: 'node-deleted-as-not-in-cloud',
    expect: 'found',
  },
  {
    what: 'unauthorized',
    broken: 'its role may not describe instances',
    node: { providerId: ABSENT, taints: [UNINITIALIZED] },
    arrange: (moto) => moto.refuse('ec2:*', unauthorized('DescribeInstances')),
    cause: 'ccm-cannot-initialize-node',
    expect: 'found',
  },
  {
    what: 'throttled',
    broken: 'EC2 throttles it',
    node: { providerId: ABSENT, taints: [UNINITIALIZED] },
    arrange: (moto) => moto.refuse('ec2:*', THROTTLED),
    cause: 'ccm-cannot-initialize-node',
    expect: 'unknown',
  },
  {
    what: 'odd-provider-id',
    broken: 'the providerID of the Node is malformed',
    node: { providerId: 'aws:///us-west-2a/ip-10-0-31-7', taints: [UNINITIALIZED] },
    cause: 'provider-id-missing-or-malformed',
    expect: 'found',
  },
];

export const CLOUD_CONTROLLER: readonly Scenario[] = BROKEN.map(
  ({ what, broken, node, arrange, views = false, ...truth }) => ({
    ...truth,
    id: `aws-cloud-controller-manager/${what}`,
    source: `AWS cloud controller manager 1.34.3 with moto 5.2.1, where ${broken}`,
    needs: ['kube-apiserver', 'etcd', 'kubectl', 'moto', '1.34.3'],
    system: ['openssl'],
    run: async (stage) => {
      const controlPlane = await stage.controlPlane();
      const moto = await stage.moto();
      await moto.reset();
      const program = await startCloudController({ version: '1.34.3', controlPlane, moto });
      try {
        arrange?.(moto);
        await layNode(controlPlane.client, { name: NODE_NAME, ...node });
        await sleep(WATCH_MS);
        if (!views)
          return [{ name: 'aws-cloud-controller-manager.log', text: troubled(program.log()) }];
        const { text } = await stage.kubectl(['get', 'events', '-A']);
        return [{ name: 'events.txt', text }];
      } finally {
        await program.stop();
      }
    },
  }),
);

/** What it says of Nodes, without its start. */
function troubled(log: string): string {
  return log
    .split('\n')
    .filter((line) =>
      /^[EW]|node_(?:lifecycle_)?controller\.go|event\.go|describe_instance/.test(line),
    )
    .slice(0, 60)
    .join('\n');
}
