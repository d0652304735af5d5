/** A VPC with one subnet, and instances in it that belong to the test cluster. */
import { CLUSTER, REGION, type TestCluster } from './cluster.ts';

export interface TestFleet {
  readonly subnetId: string;
  readonly imageId: string;
  /** Launches an instance of the cluster. */
  launch(tags?: Readonly<Record<string, string>>): TestInstance;
}

export interface TestInstance {
  readonly id: string;
  readonly name: string;
  readonly providerId: string;
}

const OWN_TAGS = { [`kubernetes.io/cluster/${CLUSTER}`]: 'owned' };

export function createFleet({ world }: TestCluster): TestFleet {
  const { controls } = world.aws;
  const vpcId = controls.createVpc({ cidr: '10.0.0.0/16' });
  const zone = `${REGION}a`;
  const subnetId = controls.createSubnet({ vpcId, zone, cidr: '10.0.1.0/24' });
  const imageId = controls.createImage({ name: 'node' });
  return {
    subnetId,
    imageId,
    launch: (tags = OWN_TAGS) => {
      const id = controls.launch({ instanceType: 'm6i.large', imageId, subnetId, tags });
      const name = world.aws.instance(id)?.privateDnsName ?? '';
      return { id, name, providerId: `aws:///${zone}/${id}` };
    },
  };
}
