import { at, isObject, type Json, type JsonObject, textAt } from '../../evidence/json.ts';

function picked(value: JsonObject, paths: readonly string[]): JsonObject {
  const found: [string, Json][] = [];
  for (const path of paths) {
    const entry = at(value, path);
    if (entry !== undefined) found.push([path.split('.').at(-1) ?? path, entry]);
  }
  return Object.fromEntries(found);
}

/** What causes read of a PersistentVolumeClaim; its annotations tell the provisioner. */
export function projectClaim(value: JsonObject): JsonObject {
  return {
    spec: picked(value, ['spec.volumeName', 'spec.storageClassName']),
    status: picked(value, ['status.phase']),
  };
}

/** Volumes of the old plug-in are served by the driver that took its place. */
function driverOf(value: JsonObject): string | null {
  const isOld = isObject(at(value, 'spec.awsElasticBlockStore'));
  return textAt(value, 'spec.csi.driver') ?? (isOld ? 'ebs.csi.aws.com' : null);
}

/** What causes read of a PersistentVolume: its driver, the zones it can be used in, its claim. */
export function projectVolume(value: JsonObject): JsonObject {
  return {
    spec: {
      ...picked(value, ['spec.nodeAffinity']),
      csi: { driver: driverOf(value) },
    },
    status: picked(value, ['status.phase']),
  };
}
