import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json, JsonObject } from '../../../evidence/json.ts';
import { ATTACHMENT, CLAIM, CSI_DRIVER, CSI_NODE, STORAGE_CLASS, VOLUME } from './storage.ts';
import { cell, cells, madeBefore } from './testing.ts';

const metadata = madeBefore(60);
const NAMED = { Name: 'one', Age: '60s' };

test('a PersistentVolume shows what it holds, for whom, and in which state', () => {
  const spec = {
    capacity: { storage: '8Gi' },
    accessModes: ['ReadWriteOnce'],
    persistentVolumeReclaimPolicy: 'Delete',
    claimRef: { namespace: 'shop', name: 'data' },
    storageClassName: 'gp3',
    volumeAttributesClassName: 'fast',
    volumeMode: 'Block',
  };
  assert.deepEqual(cells(VOLUME, { metadata, spec, status: { phase: 'Failed', reason: 'Why' } }), {
    ...NAMED,
    Capacity: '8Gi',
    'Access Modes': 'RWO',
    'Reclaim Policy': 'Delete',
    Status: 'Failed',
    Claim: 'shop/data',
    StorageClass: 'gp3',
    VolumeAttributesClass: 'fast',
    Reason: 'Why',
    VolumeMode: 'Block',
  });
  assert.deepEqual(cells(VOLUME, { metadata }), {
    ...NAMED,
    Capacity: '',
    'Access Modes': '',
    'Reclaim Policy': '',
    Status: '',
    Claim: '',
    StorageClass: '',
    VolumeAttributesClass: '<unset>',
    Reason: '',
    VolumeMode: '<unset>',
  });
});

test('access modes are shortened, each once and in the order of kubectl', () => {
  const modes = (...accessModes: readonly Json[]): Json =>
    cell(VOLUME, 'Access Modes', { spec: { accessModes } });
  const all = ['ReadWriteOncePod', 'ReadWriteMany', 'ReadOnlyMany', 'ReadWriteOnce'];
  assert.equal(modes(...all), 'RWO,ROX,RWX,RWOP');
  assert.equal(modes('ReadWriteMany', 'Odd', 7, 'ReadWriteMany'), 'RWX');
});

test('a volume or claim under deletion is Terminating', () => {
  const leaving = { metadata: { deletionTimestamp: 'x' }, status: { phase: 'Bound' } };
  assert.equal(cell(VOLUME, 'Status', leaving), 'Terminating');
  assert.equal(cell(CLAIM, 'Status', leaving), 'Terminating');
});

test('a PersistentVolumeClaim shows its size and modes once it is bound', () => {
  const rest = { storageClassName: 'gp3', volumeAttributesClassName: 'fast', volumeMode: 'Block' };
  const status = {
    phase: 'Bound',
    capacity: { storage: '8Gi' },
    accessModes: ['ReadWriteOnce'],
  };
  const shown = {
    ...NAMED,
    Status: 'Bound',
    Volume: 'pv-1',
    Capacity: '8Gi',
    'Access Modes': 'RWO',
    StorageClass: 'gp3',
    VolumeAttributesClass: 'fast',
    VolumeMode: 'Block',
  };
  assert.deepEqual(
    cells(CLAIM, { metadata, spec: { volumeName: 'pv-1', ...rest }, status }),
    shown,
  );
  assert.deepEqual(cells(CLAIM, { metadata, spec: rest, status }), {
    ...shown,
    Volume: '',
    Capacity: '',
    'Access Modes': '',
  });
});

describe('a StorageClass', () => {
  test('shows its provisioner and its policies, or their defaults', () => {
    const own = {
      provisioner: 'ebs.csi.aws.com',
      reclaimPolicy: 'Retain',
      volumeBindingMode: 'WaitForFirstConsumer',
      allowVolumeExpansion: true,
    };
    assert.deepEqual(cells(STORAGE_CLASS, { metadata, ...own }), {
      ...NAMED,
      Provisioner: 'ebs.csi.aws.com',
      ReclaimPolicy: 'Retain',
      VolumeBindingMode: 'WaitForFirstConsumer',
      AllowVolumeExpansion: true,
    });
    assert.deepEqual(cells(STORAGE_CLASS, { metadata }), {
      ...NAMED,
      Provisioner: '',
      ReclaimPolicy: 'Delete',
      VolumeBindingMode: 'Immediate',
      AllowVolumeExpansion: false,
    });
  });

  test('is marked as the default by its annotation alone', () => {
    const named = (annotations: JsonObject): Json =>
      cell(STORAGE_CLASS, 'Name', { metadata: { ...metadata, annotations } });
    assert.equal(named({ 'storageclass.kubernetes.io/is-default-class': 'true' }), 'one (default)');
    assert.equal(named({ 'storageclass.kubernetes.io/is-default-class': 'false' }), 'one');
    assert.equal(named({ other: 'true' }), 'one');
  });
});

test('a CSINode counts its drivers', () => {
  const shown = { ...NAMED, Drivers: 2 };
  assert.deepEqual(cells(CSI_NODE, { metadata, spec: { drivers: [{}, {}] } }), shown);
});

test('a CSIDriver shows what it wants of the kubelet, or the defaults', () => {
  assert.deepEqual(cells(CSI_DRIVER, { metadata }), {
    ...NAMED,
    AttachRequired: true,
    PodInfoOnMount: false,
    StorageCapacity: false,
    TokenRequests: '<unset>',
    RequiresRepublish: false,
    Modes: '<none>',
  });
  const spec = {
    attachRequired: false,
    podInfoOnMount: true,
    storageCapacity: true,
    tokenRequests: [{ audience: 'sts.amazonaws.com' }, { audience: 'vault' }],
    requiresRepublish: true,
    volumeLifecycleModes: ['Persistent', 'Ephemeral'],
  };
  assert.deepEqual(cells(CSI_DRIVER, { metadata, spec }), {
    ...NAMED,
    AttachRequired: false,
    PodInfoOnMount: true,
    StorageCapacity: true,
    TokenRequests: 'sts.amazonaws.com,vault',
    RequiresRepublish: true,
    Modes: 'Persistent,Ephemeral',
  });
});

test('a VolumeAttachment shows which volume is attached to which node', () => {
  const source = { persistentVolumeName: 'pv-1' };
  const spec = { attacher: 'ebs.csi.aws.com', nodeName: 'node-a', source };
  assert.deepEqual(cells(ATTACHMENT, { metadata, spec, status: { attached: true } }), {
    ...NAMED,
    Attacher: 'ebs.csi.aws.com',
    PV: 'pv-1',
    Node: 'node-a',
    Attached: true,
  });
  assert.equal(cell(ATTACHMENT, 'Attached', { spec }), false);
});
