import { type Fields, type FieldsOf, shown, text } from '../shape.ts';
import { type KubeObject, NODE_SELECTOR } from './object.ts';

export const CSI_NODE = {
  spec: { drivers: [{ name: text, nodeID: text }] },
} as const satisfies Fields;

export const PERSISTENT_VOLUME_CLAIM = {
  spec: { volumeName: text, storageClassName: text },
  status: shown({ phase: text }),
} as const satisfies Fields;

/** A volume of the old plug-in has the driver that took its place (`csi.driver`). */
export const PERSISTENT_VOLUME = {
  spec: { csi: { driver: text }, nodeAffinity: { required: NODE_SELECTOR } },
  status: shown({ phase: text }),
} as const satisfies Fields;

export interface CsiNode extends KubeObject, FieldsOf<typeof CSI_NODE> {}
export interface PersistentVolumeClaim
  extends KubeObject,
    FieldsOf<typeof PERSISTENT_VOLUME_CLAIM> {}
export interface PersistentVolume extends KubeObject, FieldsOf<typeof PERSISTENT_VOLUME> {}
