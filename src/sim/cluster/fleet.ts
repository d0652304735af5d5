import type { SimulatedAws } from '../aws/cloud.ts';
import type { WorldSetting } from '../stories/scenario.ts';
import { drawFirstSeen, showLater } from './first-seen.ts';
import { clusterTag, type GroupInfrastructure, type Infrastructure } from './infrastructure.ts';
import { type JoinSecret, userDataOf } from './user-data.ts';

/** The machines of a simulated cluster by their names: `workers-0`, `workers-1`, … */
export interface Fleet {
  /** null before it is launched. */
  instanceOf(name: string): string | null;
  /** Names in the order of their launch. */
  names(): readonly string[];
  /** Launches one more machine of a group; returns its name. */
  launch(group: GroupInfrastructure): string;
}

/** In what a fleet is launched. */
export interface FleetWorld {
  readonly seed: number;
  readonly cloud: SimulatedAws;
  readonly setting: WorldSetting;
}

/** `node%02d` with the number of the machine. */
function numbered(hostname: string | null, index: number): string | null {
  return (
    hostname?.replace(/%0?(\d?)d/, (_, width) => String(index).padStart(Number(width), '0')) ?? null
  );
}

export function createFleet(
  { seed, cloud, setting: world }: FleetWorld,
  { securityGroupIds }: Infrastructure,
  join: JoinSecret,
): Fleet {
  const { cluster, isLaunchLate = false } = world;
  const instances = new Map<string, string>();
  const counts = new Map<string, number>();
  return {
    instanceOf: (name) => instances.get(name) ?? null,
    names: () => [...instances.keys()],
    launch({ setting, subnetId, imageId, profileArn }) {
      const index = counts.get(setting.name) ?? 0;
      counts.set(setting.name, index + 1);
      const name = `${setting.name}-${index}`;
      const own = { ...setting, hostname: numbered(setting.hostname, index) };
      const instanceId = cloud.controls.launch({
        instanceType: setting.instanceType,
        imageId,
        subnetId,
        groupIds: securityGroupIds,
        profileArn,
        userData: userDataOf(cluster, own, join),
        isSpot: setting.isSpot,
        tags: { ...clusterTag(cluster.name), Name: name },
      });
      if (isLaunchLate && !setting.isControlPlane)
        showLater(cloud, instanceId, drawFirstSeen(seed, name));
      instances.set(name, instanceId);
      return name;
    },
  };
}
