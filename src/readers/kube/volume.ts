import { at, isObject, type JsonObject, textAt } from '../../evidence/json.ts';

/** Volumes of the old plug-in are served by the driver that took its place. */
function driverOf(value: JsonObject): string | null {
  const isOld = isObject(at(value, 'spec.awsElasticBlockStore'));
  return textAt(value, 'spec.csi.driver') ?? (isOld ? 'ebs.csi.aws.com' : null);
}

/** A PersistentVolume whose driver is named wherever it is told. */
export function withDriver(value: JsonObject): JsonObject {
  const spec = at(value, 'spec');
  return isObject(spec) ? { ...value, spec: { ...spec, csi: { driver: driverOf(value) } } } : value;
}
