/** States in which nothing is wrong, or in which nobody can see enough. */
import { launch, machineOf, NODE_ROLE } from './cloud.ts';
import { eksCluster, healthyNodes, join, work } from './clusters.ts';
import { goneNode } from './nodes.ts';
import { putEvent } from './objects.ts';
import { DAY, REGION, type Scene } from './scene.ts';
import type { LiveState } from './state.ts';

function firstOfThree(scene: Scene): string {
  const [node] = healthyNodes(eksCluster(scene), 3);
  return node?.name ?? '';
}

/** A managed node group with the three machines that it launched. */
function layGroup(scene: Scene): null {
  const cluster = eksCluster(scene);
  const { controls } = scene.cloud;
  const { grounds } = cluster;
  scene.until(300);
  const launchTemplateId = controls.createLaunchTemplate({
    name: 'harbor-workers',
    asked: { ImageId: grounds.imageId, SecurityGroupIds: [grounds.groupId] },
  });
  controls.createNodegroup({
    cluster: 'harbor',
    name: 'workers',
    nodeRole: NODE_ROLE,
    subnetIds: grounds.subnetIds,
    launchTemplateId,
    instanceTypes: ['m6i.large'],
    desiredSize: 3,
  });
  scene.until(290);
  for (const one of scene.cloud.instances()) {
    const node = join(cluster, machineOf(one, 299));
    work(cluster, node, 3);
  }
  return null;
}

export const STATES_WITHOUT_CAUSE: readonly LiveState[] = [
  {
    id: 'lh0',
    title: 'Three healthy nodes, of which one is asked about',
    end: 'well',
    accept: [],
    stage: null,
    shows: [],
    lay: firstOfThree,
  },
  {
    id: 'lh1',
    title: 'The roll call of a healthy node group',
    end: 'well',
    accept: [],
    stage: null,
    command: 'status',
    shows: ['workers'],
    lay: layGroup,
  },
  {
    id: 'lh2',
    title: 'A healthy node beside old events of disk pressure, its own healed one among them',
    end: 'well',
    accept: [],
    stage: null,
    shows: [],
    lay(scene) {
      const name = firstOfThree(scene);
      const old = goneNode(`ip-10-40-1-77.${REGION}.compute.internal`);
      const told = { minutes: 7 * DAY };
      putEvent(
        scene,
        old,
        ['NodeHasDiskPressure', 'Node status is now: NodeHasDiskPressure'],
        told,
      );
      const words = 'Attempting to reclaim ephemeral-storage';
      putEvent(scene, old, ['EvictionThresholdMet', words], { minutes: 7 * DAY - 1 });
      const healed = `Node ${name} status is now: NodeHasNoDiskPressure`;
      const own = goneNode(name);
      putEvent(scene, own, ['NodeHasNoDiskPressure', healed], { minutes: 300, type: 'Normal' });
      return name;
    },
  },
  {
    id: 'lh4',
    title: 'Seven addresses are left in a small subnet, and every pod has one',
    end: 'well',
    accept: [],
    stage: null,
    shows: [],
    lay(scene) {
      const cluster = eksCluster(scene, { grounds: { cidr: '10.40.1.0/27' } });
      const nodes = [1, 2].map(() => join(cluster, launch(scene, cluster.grounds, 360)));
      for (const node of nodes) work(cluster, node, 4);
      return nodes[0]?.name ?? '';
    },
  },
  {
    id: 'lh8',
    title: 'A machine was launched 25 seconds ago and has no Node yet',
    end: 'joining',
    accept: [],
    stage: null,
    shows: [],
    lay(scene) {
      const cluster = eksCluster(scene);
      healthyNodes(cluster, 2);
      return launch(scene, cluster.grounds, 25 / 60, { address: '10.40.1.50', addresses: 0 }).id;
    },
  },
  {
    id: 'lk0',
    title: 'AWS refuses every call, and the Node looks well',
    end: 'open',
    accept: [],
    stage: null,
    shows: [],
    lay(scene) {
      const name = firstOfThree(scene);
      scene.deny();
      return name;
    },
  },
];
