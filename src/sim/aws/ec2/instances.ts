/** The life of instances: from the launch to what is left behind. */
import { type Json, type JsonObject, textAt } from '../../../evidence/json.ts';
import { type Account, drawMs, emit, isoMoment } from '../account.ts';
import { refused } from '../refusal.ts';
import type {
  HostnameType,
  Instance,
  InstanceState,
  MetadataOptions,
  StateReason,
  Tags,
} from '../state.ts';
import { claimCapacity, freeCapacity } from './capacity.ts';
import {
  attach,
  createInterface,
  dropInterface,
  interfacesOf,
  release,
  subnetOf,
} from './interfaces.ts';
import { closeSpotRequest, interrupt, openSpotRequest } from './spot.ts';
import { typeLimits } from './types.ts';

export interface Launch {
  readonly instanceType: string;
  readonly imageId: string;
  readonly subnetId: string;
  readonly groupIds?: readonly string[];
  readonly profileArn?: string | null;
  /** Decoded. */
  readonly userData?: string;
  readonly isSpot?: boolean;
  readonly keyName?: string | null;
  readonly tags?: Tags;
  readonly metadataOptions?: Partial<MetadataOptions>;
  readonly hostnameType?: HostnameType;
  readonly address?: string | undefined;
  readonly launchTemplate?: JsonObject | null;
  readonly reservationId?: string;
  readonly clientToken?: string;
}

/** From `pending` to `running`; 5 to 15 s are usual, a minute is rare. */
const BOOT_MEDIAN_MS = 7000;
const BOOT_SIGMA = 0.35;
/** The two status checks are `initializing` for two or three minutes. */
const CHECKS_MEDIAN_MS = 140_000;
/** From `shutting-down` to `terminated`: the system has its services stop first. */
const SHUTDOWN_MEDIAN_MS = 35_000;
const STOP_MEDIAN_MS = 30_000;
/** A terminated instance is listed for about an hour (EC2 user guide, "Terminate instances"). */
const LISTED_MS = 3_600_000;

/** EC2's defaults for an image without `ImdsSupport` (EC2 user guide). */
const METADATA: MetadataOptions = {
  httpTokens: 'optional',
  httpPutResponseHopLimit: 1,
  httpEndpoint: 'enabled',
  instanceMetadataTags: 'disabled',
};

/** @throws RefusedError when there is no such instance */
export function instanceOf(account: Account, instanceId: string): Instance {
  const found = account.instances.get(instanceId);
  if (found !== undefined) return found;
  throw missingInstances([instanceId]);
}

export function missingInstances(ids: readonly string[]): Error {
  const text =
    ids.length === 1
      ? `The instance ID '${ids.join('')}' does not exist`
      : `The instance IDs '${ids.join(', ')}' do not exist`;
  return refused('InvalidInstanceID.NotFound', text);
}

/** @throws RefusedError when anything that it names is missing, or nothing is left to launch it */
export function launch(account: Account, wanted: Launch): Instance {
  const subnet = subnetOf(account, wanted.subnetId);
  typeLimits(account, wanted.instanceType);
  imageOf(account, wanted.imageId);
  const isSpot = wanted.isSpot ?? false;
  claimCapacity(account, { ...wanted, zone: subnet.zone.name, isSpot });
  const groupIds = wanted.groupIds ?? defaultGroups(account, subnet.vpcId);
  const { subnetId, address } = wanted;
  const primary = createInterface(account, { subnetId, groupIds, address });
  const made = pendingInstance(account, wanted, { groupIds, hostnameType: subnet.hostnameType });
  if (subnet.mapPublicIp) givePublicIp(account, primary.networkInterfaceId);
  attach(account, {
    networkInterfaceId: primary.networkInterfaceId,
    instanceId: made.instanceId,
    deviceIndex: 0,
    deleteOnTermination: true,
    isSlow: false,
  });
  account.instances.set(made.instanceId, made, account.kernel.nowMs());
  setTags(account, made.instanceId, { ...wanted.tags, ...templateTags(made.launchTemplate) });
  emit(account, { kind: 'instance-pending', instanceId: made.instanceId });
  boot(account, made.instanceId);
  return made;
}

function setTags(account: Account, resourceId: string, tags: Tags): void {
  if (Object.keys(tags).length > 0) account.tags.set(resourceId, tags, account.kernel.nowMs());
}

/** EC2 says on an instance which template it was launched from. */
function templateTags(launchTemplate: JsonObject | null): Tags {
  if (launchTemplate === null) return {};
  return {
    'aws:ec2launchtemplate:id': textAt(launchTemplate, 'LaunchTemplateId') ?? '',
    'aws:ec2launchtemplate:version': textAt(launchTemplate, 'Version') ?? '',
  };
}

/** @throws RefusedError InvalidAMIID.NotFound */
function imageOf(account: Account, imageId: string): JsonObject {
  const found = account.plain.image.get(imageId);
  if (found !== undefined) return found;
  throw refused('InvalidAMIID.NotFound', `The image id '[${imageId}]' does not exist`);
}

function defaultGroups(account: Account, vpcId: string): readonly string[] {
  const own = account.plain['security-group']
    .values()
    .find((group) => group['VpcId'] === vpcId && group['GroupName'] === 'default');
  const id = textAt(own, 'GroupId');
  return id === null ? [] : [id];
}

function givePublicIp(account: Account, networkInterfaceId: string): void {
  const random = account.kernel.random('aws/addresses');
  const octets = [54, 68 + random.below(180), random.below(256), 1 + random.below(254)];
  account.interfaces.change(networkInterfaceId, account.kernel.nowMs(), (before) => ({
    ...before,
    publicIp: octets.join('.'),
  }));
}

function pendingInstance(
  account: Account,
  wanted: Launch,
  given: { readonly groupIds: readonly string[]; readonly hostnameType: HostnameType },
): Instance {
  const { ids, kernel } = account;
  const instanceId = ids.resource('i');
  return {
    instanceId,
    reservationId: wanted.reservationId ?? ids.resource('r'),
    instanceType: wanted.instanceType,
    imageId: wanted.imageId,
    subnetId: wanted.subnetId,
    keyName: wanted.keyName ?? null,
    state: 'pending',
    stateReason: null,
    transition: '',
    launchedMs: kernel.nowMs(),
    runningMs: null,
    profileArn: wanted.profileArn ?? null,
    userData: wanted.userData ?? '',
    spotRequestId: wanted.isSpot === true ? openSpotRequest(account, wanted, instanceId) : null,
    hostnameType: wanted.hostnameType ?? given.hostnameType,
    metadataOptions: { ...metadataOf(account, wanted.imageId), ...wanted.metadataOptions },
    groupIds: given.groupIds,
    launchTemplate: wanted.launchTemplate ?? null,
    clientToken: wanted.clientToken ?? ids.uuid(),
    checkedMs: Infinity,
    rootVolumeId: ids.resource('vol'),
  };
}

/** An image may ask for tokens (EC2 user guide, "Configure the AMI"). */
function metadataOf(account: Account, imageId: string): MetadataOptions {
  const isStrict = textAt(account.plain.image.get(imageId), 'ImdsSupport') === 'v2.0';
  return isStrict ? { ...METADATA, httpTokens: 'required', httpPutResponseHopLimit: 2 } : METADATA;
}

/** Changes an instance as it is now. */
export function changeInstance(
  account: Account,
  instanceId: string,
  changed: Partial<Instance>,
): void {
  account.instances.change(instanceId, account.kernel.nowMs(), (before) => ({
    ...before,
    ...changed,
  }));
}

/** Goes on with an instance after a while, unless something else became of it meanwhile. */
function later(
  account: Account,
  instanceId: string,
  medianMs: number,
  next: (before: Instance) => void,
): void {
  const state = account.instances.get(instanceId)?.state;
  const delayMs = drawMs(account, 'aws/instances', medianMs, BOOT_SIGMA);
  account.kernel.after(delayMs, () => {
    const instance = account.instances.get(instanceId);
    if (instance !== undefined && instance.state === state) next(instance);
  });
}

function boot(account: Account, instanceId: string): void {
  later(account, instanceId, BOOT_MEDIAN_MS, () => {
    const nowMs = account.kernel.nowMs();
    const checkedMs = nowMs + drawMs(account, 'aws/instances', CHECKS_MEDIAN_MS, BOOT_SIGMA);
    changeInstance(account, instanceId, { state: 'running', runningMs: nowMs, checkedMs });
    emit(account, { kind: 'instance-running', instanceId });
    limitLife(account, instanceId);
  });
}

/** Some day EC2 wants a Spot Instance back. */
function limitLife(account: Account, instanceId: string): void {
  const { spotLifeMs } = account.options;
  const { spotRequestId } = instanceOf(account, instanceId);
  if (spotLifeMs === undefined || spotRequestId === null) return;
  const lifeMs = Math.round(account.kernel.random('aws/spot').exponential(spotLifeMs));
  account.kernel.after(lifeMs, () => {
    takeBack(account, instanceId);
  });
}

/** Tells a Spot Instance that it goes, and ends it two minutes later. */
export function takeBack(account: Account, instanceId: string): void {
  const instance = account.instances.get(instanceId);
  if (instance === undefined) return;
  interrupt(account, instance, () => {
    terminate(account, instanceId, BY_SPOT);
  });
}

/** `2026-11-22 08:00:00 GMT`, as in the reasons of transitions. */
function gmt(ms: number): string {
  return `${isoMoment(ms).slice(0, 19).replace('T', ' ')} GMT`;
}

const BY_USER: StateReason = {
  Code: 'Client.UserInitiatedShutdown',
  Message: 'Client.UserInitiatedShutdown: User initiated shutdown',
};

const BY_SPOT: StateReason = {
  Code: 'Server.SpotInstanceTermination',
  Message: 'Server.SpotInstanceTermination: Instance terminated due to no spot capacity',
};

/** The first half of an end; a second call changes nothing. */
export function terminate(account: Account, instanceId: string, reason = BY_USER): void {
  const { state } = instanceOf(account, instanceId);
  if (state === 'shutting-down' || state === 'terminated') return;
  changeInstance(account, instanceId, {
    state: 'shutting-down',
    stateReason: reason,
    transition: transitionOf(account, reason),
  });
  emit(account, { kind: 'instance-stopping', instanceId });
  later(account, instanceId, SHUTDOWN_MEDIAN_MS, (instance) => {
    endInstance(account, instance);
  });
}

function transitionOf({ kernel }: Account, reason: StateReason): string {
  const who = reason === BY_USER ? 'User initiated' : 'Server.SpotInstanceTermination';
  return `${who} (${gmt(kernel.nowMs())})`;
}

function endInstance(account: Account, instance: Instance): void {
  const { instanceId } = instance;
  for (const one of interfacesOf(account, instanceId)) {
    if (one.attachment?.deleteOnTermination === true)
      dropInterface(account, one.networkInterfaceId);
    else release(account, one.networkInterfaceId);
  }
  changeInstance(account, instanceId, { state: 'terminated', checkedMs: Infinity });
  freeCapacity(account, instance);
  closeSpotRequest(account, instance);
  emit(account, { kind: 'instance-terminated', instanceId });
  account.kernel.after(LISTED_MS, () => {
    account.instances.delete(instanceId, account.kernel.nowMs());
    account.attached.delete(instanceId);
  });
}

/** @throws RefusedError for a Spot Instance, and one that cannot stop in its state */
export function stop(account: Account, instanceId: string): void {
  const { state, spotRequestId } = instanceOf(account, instanceId);
  if (spotRequestId !== null) {
    const message = `You can't stop the Spot Instance '${instanceId}' because it is associated with a one-time Spot Instance request. You can only stop Spot Instances associated with persistent Spot Instance requests.`;
    throw refused('UnsupportedOperation', message);
  }
  if (state === 'stopping' || state === 'stopped') return;
  checkState(instanceId, state, 'stopped', ['running']);
  changeInstance(account, instanceId, {
    state: 'stopping',
    stateReason: BY_USER,
    transition: transitionOf(account, BY_USER),
  });
  emit(account, { kind: 'instance-stopping', instanceId });
  later(account, instanceId, STOP_MEDIAN_MS, () => {
    changeInstance(account, instanceId, { state: 'stopped', checkedMs: Infinity });
    emit(account, { kind: 'instance-stopped', instanceId });
  });
}

export function start(account: Account, instanceId: string): void {
  const { state } = instanceOf(account, instanceId);
  if (state === 'running' || state === 'pending') return;
  checkState(instanceId, state, 'started', ['stopped']);
  changeInstance(account, instanceId, {
    state: 'pending',
    stateReason: null,
    transition: '',
    launchedMs: account.kernel.nowMs(),
  });
  emit(account, { kind: 'instance-pending', instanceId });
  boot(account, instanceId);
}

/** The machine restarts; EC2 shows nothing of it but its status checks. */
export function reboot(account: Account, instanceId: string): void {
  checkState(instanceId, instanceOf(account, instanceId).state, 'rebooted', ['running']);
  emit(account, { kind: 'instance-rebooting', instanceId });
}

function checkState(
  instanceId: string,
  state: InstanceState,
  done: string,
  from: readonly InstanceState[],
): void {
  if (from.includes(state)) return;
  const message = `The instance '${instanceId}' is not in a state from which it can be ${done}.`;
  throw refused('IncorrectInstanceState', message);
}

/** Tags of a specification in the order that they are given. */
export function tagsOf(list: readonly Json[]): Tags {
  return Object.fromEntries(
    list.map((one) => [textAt(one, 'Key') ?? '', textAt(one, 'Value') ?? '']),
  );
}
