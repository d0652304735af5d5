import { listAt, textAt } from '../../../evidence/json.ts';
import type { EniBudget } from '../../../capacity/eni.ts';
import type { Timer } from '../../kernel/kernel.ts';
import {
  type AddressStore,
  prefixAddresses,
  type StoredInterface,
} from '../network/address-store.ts';
import type { CniAnswer, CniPlugin } from '../network/network.ts';
import { type Called, Ec2Calls } from './ec2-calls.ts';
import { type IpamdLog, ipamdLog } from './ipamd-log.ts';
import { type IpamdSettings, limitsOf } from './ipamd-limits.ts';
import type { ProgramRun } from './program.ts';

/** Timers of ipamd (pkg/ipamd/ipamd.go): pool, attachment, pause after a full subnet, shrinking. */
const POOL_MS = 5000;
const ATTACH_MS = 10_000;
const INSUFFICIENT_PAUSE_MS = 120_000;
const SHRINK_MS = 30_000;
const YOUNG_MS = 60_000;
/** It asks for the API server for this long, then goes on without it. */
const API_WAIT_MS = 30_000;
const API_STEP_MS = 7000;
/** Pool rounds in a row without success, after which an hour is not filled with them. */
const PATIENT_ROUNDS = 24;

const IPAMD = 'ipamd/ipamd.go:630';
const AWSUTILS = 'awsutils/awsutils.go:709';

export interface IpamdOwner {
  /** Addresses can be asked for. */
  onReady(): void;
  onExit(): void;
}

/** The address manager of the VPC CNI on one machine. */
export class Ipamd {
  readonly #run: ProgramRun;
  readonly #settings: IpamdSettings;
  readonly #owner: IpamdOwner;
  readonly #log: IpamdLog;
  readonly #calls: Ec2Calls;
  #budget: EniBudget | null = null;
  #pool: Timer | null = null;
  #round = 0;
  #pausedUntilMs = 0;
  #shrunkMs = 0;
  #isRunning = true;

  constructor(run: ProgramRun, settings: IpamdSettings, owner: IpamdOwner) {
    this.#run = run;
    this.#settings = settings;
    this.#owner = owner;
    this.#log = ipamdLog(run.host, settings.version);
    this.#calls = new Ec2Calls(run.host, run.network);
  }

  begin(): void {
    this.#say('info', MAIN, `Starting L-IPAMD ${this.#settings.version}  ...`);
    this.#say('info', MAIN, 'Testing communication with server');
    this.#reachApi(this.#run.host.trueMs());
  }

  end(): void {
    this.#isRunning = false;
    this.#pool?.cancel();
  }

  #say(level: 'debug' | 'info' | 'warn' | 'error', caller: string, msg: string): void {
    this.#log.line(level, caller, msg);
  }

  #reachApi(sinceMs: number): void {
    const { host, network } = this.#run;
    const { kubernetesVersion, serviceAddress } = host.settings;
    if (network.serviceWay(true) === 'delivered') {
      const version = kubernetesVersion.split('.').slice(0, 2).join('.');
      this.#say(
        'info',
        'wait/wait.go:211',
        `Successful communication with the Cluster! Cluster Version is: ${version}. git version: ${kubernetesVersion}. git tree state: clean. platform: linux/amd64`,
      );
      return void this.#run.after(500, () => this.#initialize());
    }
    if (host.trueMs() - sinceMs >= API_WAIT_MS) {
      this.#say(
        'error',
        MAIN,
        'Failed to check API server connectivity: timed out waiting for the condition',
      );
      return void this.#run.after(500, () => this.#initialize());
    }
    this.#run.after(5000, () => {
      this.#say(
        'info',
        'wait/wait.go:222',
        `Unable to reach API Server, Get "https://${serviceAddress}:443/version?timeout=5s": dial tcp ${serviceAddress}:443: i/o timeout`,
      );
      this.#run.after(API_STEP_MS - 5000, () => this.#reachApi(sinceMs));
    });
  }

  #initialize(): void {
    const { host } = this.#run;
    const instance = host.instance();
    const caller = 'awsutils/awsutils.go:402';
    this.#say('debug', caller, `Found availability zone: ${instance.zone} `);
    this.#say(
      'debug',
      caller,
      `Discovered the instance primary IPv4 address: ${instance.privateIp}`,
    );
    this.#say('debug', caller, `Found instance-id: ${instance.instanceId} `);
    this.#say('debug', caller, `Found instance-type: ${instance.instanceType} `);
    this.#say('debug', caller, `Found subnet-id: ${instance.subnetId} `);
    const limits = limitsOf(instance.instanceType, this.#settings, this.#calls, this.#log);
    if (typeof limits === 'string') {
      this.#say('error', MAIN, `Initialization failure: ${limits}`);
      return this.#owner.onExit();
    }
    this.#budget = limits;
    this.#say('info', 'ipamd/ipamd.go:384', 'Setting up host network... ');
    this.#adopt();
    this.#say(
      'debug',
      'ipamd/ipamd.go:397',
      `Total number of interfaces found: ${this.#store.interfaces().length} `,
    );
    this.#fill();
    this.#owner.onReady();
    this.#check(POOL_MS);
  }

  get #store(): AddressStore {
    return this.#run.network.addresses;
  }

  /** Interfaces that the machine has already, with what is on them. */
  #adopt(): void {
    const known = new Set(this.#store.interfaces().map(({ id }) => id));
    for (const [index, one] of this.#run.host.instance().interfaces.entries()) {
      if (known.has(one.networkInterfaceId)) continue;
      this.#store.put({
        id: one.networkInterfaceId,
        isPrimary: index === 0,
        attachedMs: this.#run.host.trueMs(),
        attachmentId: null,
        addresses: [...one.addresses.slice(1), ...one.prefixes.flatMap(prefixAddresses)],
        slots: one.addresses.length - 1 + one.prefixes.length,
      });
    }
  }

  /** The first interface is filled at once. */
  #fill(): void {
    const primary = this.#store.interfaces().find(({ isPrimary }) => isPrimary);
    if (primary !== undefined && primary.slots === 0) this.#assign(primary);
  }

  get #perEni(): number {
    const budget = this.#budget;
    return budget === null ? 0 : budget.slotsPerEni * budget.addressesPerSlot;
  }

  #check(delayMs: number): void {
    if (!this.#isRunning) return;
    this.#pool?.cancel();
    this.#pool = this.#run.after(delayMs, () => this.#poolRound());
  }

  #poolRound(): void {
    if (this.#isTooLow()) return this.#grow();
    this.#round = 0;
    if (this.#mayShrink()) this.#shrink();
    if (this.#store.cooling(this.#run.host.trueMs()) > 0) this.#check(SHRINK_MS);
  }

  #isTooLow(): boolean {
    const { warmEnis } = this.#settings;
    const available = this.#store.available(this.#run.host.trueMs());
    return available < warmEnis * this.#perEni;
  }

  #grow(): void {
    const nowMs = this.#run.host.trueMs();
    this.#round += 1;
    this.#check(this.#round > PATIENT_ROUNDS ? 12 * POOL_MS : POOL_MS);
    const { warmEnis } = this.#settings;
    const available = this.#store.available(nowMs);
    this.#say(
      'debug',
      IPAMD,
      `IP pool is too low: available (${available}) < ENI target (${warmEnis}) * addrsPerENI (${this.#perEni})`,
    );
    this.#say(
      'debug',
      'ipamd/ipamd.go:631',
      `IP stats - total IPs: ${this.#store.total()}, assigned IPs: ${this.#store.assigned()}, cooldown IPs: ${this.#store.cooling(nowMs)}`,
    );
    if (nowMs < this.#pausedUntilMs)
      return this.#say(
        'debug',
        IPAMD,
        'Recently we had InsufficientCidr error hence will wait for 2m0s before retrying',
      );
    const roomy = this.#store
      .interfaces()
      .find(({ slots }) => slots < (this.#budget?.slotsPerEni ?? 0));
    if (roomy !== undefined) return this.#assign(roomy);
    this.#attach();
  }

  /** Fills an interface; when the subnet cannot give all, one more is asked for. */
  #assign(one: StoredInterface): void {
    const { isPrefix } = this.#settings;
    const wanted = isPrefix ? 1 : (this.#budget?.slotsPerEni ?? 0) - one.slots;
    this.#say('info', AWSUTILS, `Trying to allocate ${wanted} IP addresses on ENI ${one.id}`);
    const all = this.#calls.assign(one.id, wanted, isPrefix);
    if (all.ok) return this.#assigned(one, all);
    this.#say(
      'error',
      AWSUTILS,
      `Failed to allocate a private IP/Prefix addresses on ENI ${one.id}: ${this.#log.refusal('AssignPrivateIpAddresses', all.refusal)}`,
    );
    this.#say(
      'warn',
      'ipamd/ipamd.go:1017',
      `failed to allocate all available IP addresses on ENI ${one.id}, err: ${all.refusal.code}`,
    );
    const single = wanted > 1 ? this.#calls.assign(one.id, 1, isPrefix) : all;
    if (single.ok) return this.#assigned(one, single);
    if (!INSUFFICIENT.has(single.refusal.code)) return;
    this.#say(
      'error',
      'ipamd/ipamd.go:1031',
      "Unable to attach IPs/Prefixes for the ENI, subnet doesn't seem to have enough IPs/Prefixes. Consider using new subnet or carve a reserved range using create-subnet-cidr-reservation",
    );
    this.#pausedUntilMs = this.#run.host.trueMs() + INSUFFICIENT_PAUSE_MS;
  }

  #assigned(one: StoredInterface, { output }: Extract<Called, { ok: true }>): void {
    const singles = listAt(output, 'AssignedPrivateIpAddresses').flatMap(
      (item) => textAt(item, 'PrivateIpAddress') ?? [],
    );
    const prefixes = listAt(output, 'AssignedIpv4Prefixes').flatMap(
      (item) => textAt(item, 'Ipv4Prefix') ?? [],
    );
    const addresses = [...one.addresses, ...singles, ...prefixes.flatMap(prefixAddresses)];
    this.#store.put({ ...one, addresses, slots: one.slots + singles.length + prefixes.length });
    this.#say(
      'info',
      AWSUTILS,
      `Allocated ${singles.length + prefixes.length} private IP addresses/prefixes`,
    );
    this.#round = 0;
  }

  #attach(): void {
    const limit = this.#budget?.podEnis ?? 0;
    const held = this.#store.interfaces().length;
    if (held >= limit) {
      this.#round = PATIENT_ROUNDS;
      return this.#say(
        'debug',
        IPAMD,
        `Skipping ENI allocation as the max ENI limit is already reached`,
      );
    }
    const made = this.#calls.createInterface();
    if (!made.ok || made.id === undefined) {
      const text = made.ok
        ? 'no answer'
        : this.#log.refusal('CreateNetworkInterface', made.refusal);
      this.#say('error', AWSUTILS, `Failed to CreateNetworkInterface ${text}`);
      return this.#notGrown('not able to allocate ENI AllocENI: failed to create ENI');
    }
    this.#say('info', AWSUTILS, `Created a new ENI: ${made.id}`);
    const attached = this.#calls.attach(made.id, this.#freeDeviceIndex());
    if (!attached.ok) {
      const text = this.#log.refusal('AttachNetworkInterface', attached.refusal);
      this.#say('error', 'awsutils/awsutils.go:640', `Failed to attach ENI ${made.id}: ${text}`);
      this.#calls.call('DeleteNetworkInterface', { NetworkInterfaceId: made.id });
      return this.#notGrown(
        `not able to allocate ENI AllocENI: error attaching ENI: attachENI: failed to attach ENI: ${text}`,
      );
    }
    this.#settle(made.id, textAt(attached.output, 'AttachmentId') ?? '');
  }

  /** An interface that was freed leaves its place between those of others. */
  #freeDeviceIndex(): number {
    const taken = new Set(this.#run.host.instance().interfaces.map((one) => one.deviceIndex));
    let free = 1;
    while (taken.has(free)) free++;
    return free;
  }

  #notGrown(why: string): void {
    this.#say('error', 'ipamd/ipamd.go:905', `Failed to increase pool size due to ${why}`);
  }

  #settle(id: string, attachmentId: string): void {
    this.#calls.bindToInstance(id, attachmentId);
    this.#check(ATTACH_MS + POOL_MS);
    this.#run.after(ATTACH_MS, () => {
      const attachedMs = this.#run.host.trueMs();
      const fresh = { id, isPrimary: false, attachedMs, attachmentId, addresses: [], slots: 0 };
      this.#store.put(fresh);
      this.#say('info', IPAMD, `Successfully set up ENI ${id}`);
      this.#assign(fresh);
    });
  }

  #mayShrink(): boolean {
    const nowMs = this.#run.host.trueMs();
    const surplus = (this.#settings.warmEnis + 1) * this.#perEni;
    return this.#store.available(nowMs) >= surplus && nowMs - this.#shrunkMs >= SHRINK_MS;
  }

  #shrink(): void {
    const nowMs = this.#run.host.trueMs();
    const free = this.#store
      .interfaces()
      .find(
        (one) => !one.isPrimary && nowMs - one.attachedMs >= YOUNG_MS && !this.#store.isUsed(one),
      );
    if (free === undefined || free.attachmentId === null) return;
    this.#shrunkMs = nowMs;
    this.#store.drop(free.id);
    this.#say('debug', IPAMD, `Starting to free ENI: ${free.id}`);
    this.#calls.call('DetachNetworkInterface', { AttachmentId: free.attachmentId });
    this.#run.after(ATTACH_MS * 2, () => {
      this.#calls.call('DeleteNetworkInterface', { NetworkInterfaceId: free.id });
      this.#say('info', IPAMD, `Successfully freed ENI: ${free.id}`);
    });
    this.#check(SHRINK_MS);
  }

  /** The plugin that the kubelet's runtime calls. */
  plugin(): CniPlugin {
    return {
      name: 'aws-cni',
      hostInterface: 'eni',
      add: (pod) => this.#add(pod),
      remove: (pod) => {
        this.#store.release(pod, this.#run.host.trueMs());
        this.#check(POOL_MS);
      },
    };
  }

  #add(pod: string): CniAnswer {
    const { host } = this.#run;
    const tookMs = host.random.lognormal(90, 0.3);
    if (!this.#isRunning) return { ok: false, message: `${FAILED_ADD} ${UNAVAILABLE}`, tookMs };
    const address = this.#store.take(pod, host.trueMs());
    this.#check(POOL_MS);
    if (address !== null) return { ok: true, address, tookMs };
    this.#say(
      'debug',
      'datastore/data_store.go:800',
      'DataStore has no available IP/Prefix addresses',
    );
    this.#say(
      'warn',
      'rpc/rpc.pb.go:713',
      'Send AddNetworkReply: IPv4Addr , IPv6Addr: , DeviceNumber: -1, err: AssignPodIPv4Address: no available IP/Prefix addresses',
    );
    return {
      ok: false,
      message: `${FAILED_ADD} failed to assign an IP address to container`,
      tookMs,
    };
  }
}

const MAIN = 'aws-k8s-agent/main.go:28';
const FAILED_ADD = 'plugin type="aws-cni" name="aws-cni" failed (add): add cmd:';
const UNAVAILABLE =
  'Error received from AddNetwork gRPC call: rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial tcp 127.0.0.1:50051: connect: connection refused"';
const INSUFFICIENT = new Set(['InsufficientFreeAddressesInSubnet', 'InsufficientCidrBlocks']);
