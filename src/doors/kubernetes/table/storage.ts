import { type Json, type JsonObject, listAt, textAt } from '../../../evidence/json.ts';
import {
  age,
  type Cell,
  type Column,
  columns,
  flag,
  joined,
  length,
  name,
  NONE,
  objectsAt,
  orUnset,
  text,
} from './column.ts';

const SHORT_MODES = new Map([
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
]);

function modes(path: string): Cell {
  return (object) => {
    const all = new Set(
      listAt(object, path).map((one) => (typeof one === 'string' ? SHORT_MODES.get(one) : '')),
    );
    return joined([...SHORT_MODES.values()].filter((one) => all.has(one)));
  };
}

function stateOf(object: JsonObject): Json {
  const isLeaving = textAt(object, 'metadata.deletionTimestamp') !== null;
  return isLeaving ? 'Terminating' : (textAt(object, 'status.phase') ?? '');
}

export const VOLUME: readonly Column[] = columns(
  'Name/name | Capacity | Access Modes | Reclaim Policy | Status | Claim | StorageClass | VolumeAttributesClass | Reason | Age | VolumeMode*1',
  name,
  text('spec.capacity.storage'),
  modes('spec.accessModes'),
  text('spec.persistentVolumeReclaimPolicy'),
  stateOf,
  (object) => {
    const own = textAt(object, 'spec.claimRef.name');
    return own === null ? '' : `${textAt(object, 'spec.claimRef.namespace') ?? ''}/${own}`;
  },
  text('spec.storageClassName'),
  orUnset('spec.volumeAttributesClassName'),
  text('status.reason'),
  age,
  orUnset('spec.volumeMode'),
);

/** A claim says what it has once it is bound. */
function whenBound(cell: Cell): Cell {
  return (object, nowMs) => (textAt(object, 'spec.volumeName') === null ? '' : cell(object, nowMs));
}

export const CLAIM: readonly Column[] = columns(
  'Name/name | Status | Volume | Capacity | Access Modes | StorageClass | VolumeAttributesClass | Age | VolumeMode*1',
  name,
  stateOf,
  text('spec.volumeName'),
  whenBound(text('status.capacity.storage')),
  whenBound(modes('status.accessModes')),
  text('spec.storageClassName'),
  orUnset('spec.volumeAttributesClassName'),
  age,
  orUnset('spec.volumeMode'),
);

const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';

export const STORAGE_CLASS: readonly Column[] = columns(
  'Name/name | Provisioner | ReclaimPolicy | VolumeBindingMode | AllowVolumeExpansion | Age',
  (object) => {
    const own = textAt(object, 'metadata.name') ?? '';
    const annotations = (object['metadata'] as JsonObject)['annotations'] as JsonObject | undefined;
    return annotations?.[DEFAULT_CLASS] === 'true' ? `${own} (default)` : own;
  },
  text('provisioner'),
  text('reclaimPolicy', 'Delete'),
  text('volumeBindingMode', 'Immediate'),
  flag('allowVolumeExpansion'),
  age,
);

export const CSI_NODE: readonly Column[] = columns(
  'Name/name | Drivers:integer | Age',
  name,
  length('spec.drivers'),
  age,
);

export const CSI_DRIVER: readonly Column[] = columns(
  'Name/name | AttachRequired:boolean | PodInfoOnMount:boolean | StorageCapacity:boolean | TokenRequests | RequiresRepublish:boolean | Modes | Age',
  name,
  flag('spec.attachRequired', true),
  flag('spec.podInfoOnMount'),
  flag('spec.storageCapacity'),
  (object) =>
    joined(objectsAt(object, 'spec.tokenRequests').map((one) => textAt(one, 'audience'))) ||
    '<unset>',
  flag('spec.requiresRepublish'),
  (object) => listAt(object, 'spec.volumeLifecycleModes').map(String).join(',') || NONE,
  age,
);

export const ATTACHMENT: readonly Column[] = columns(
  'Name/name | Attacher/name | PV | Node | Attached:boolean | Age',
  name,
  text('spec.attacher'),
  text('spec.source.persistentVolumeName'),
  text('spec.nodeName'),
  flag('status.attached'),
  age,
);
