import type { Timer } from '../kernel/kernel.ts';
import type { TrueInstance } from '../aws/contract.ts';
import type { KubeletPage } from '../kube/hooks.ts';
import type { World } from '../world.ts';
import { firstHostname } from './boot/hostname.ts';
import { boot } from './boot/boot.ts';
import type { BootParts } from './boot/boot-parts.ts';
import { imagePrograms } from './boot/image-programs.ts';
import type { Command } from './commands/command.ts';
import { commandsOf } from './commands/commands.ts';
import { Shell } from './commands/shell.ts';
import type {
  CommandResult,
  JournalFilter,
  JournalLine,
  SimulatedMachine,
  MachineFault,
  PodLogLine,
  PodLogOptions,
  SeenIdentity,
  UnitState,
} from './contract.ts';
import { collected } from './collected.ts';
import { drawn, FaultBoard, type Host } from './host.ts';
import { type KubeletConfig, withFlags } from './kubelet/config.ts';
import { KubeletDisk } from './kubelet/disk.ts';
import { ImageStore } from './kubelet/images.ts';
import { Kubelet } from './kubelet/kubelet.ts';
import { servedLog } from './kubelet/log-server.ts';
import type { NodeCache } from './kubelet/parts.ts';
import { NodeApi } from './kubelet/node-api.ts';
import { PodTable } from './kubelet/pod-table.ts';
import { BoundedLines, journalctl } from './logs/journal.ts';
import { MachineFiles } from './logs/files.ts';
import { minutesAhead } from './logs/zone.ts';
import { MachineNetwork } from './network/network.ts';
import { MetadataWay } from './network/metadata.ts';
import { programOf } from './programs/catalogue.ts';
import type { Neighbourhood } from './programs/program.ts';
import type { IdentityLedger } from './programs/identity-ledger.ts';
import type { HypervisorSettings } from './settings.ts';

/** What a hypervisor gives every machine. */
export interface MachineSurroundings {
  readonly world: World;
  readonly settings: HypervisorSettings;
  readonly cache: NodeCache;
  readonly neighbours: Neighbourhood;
  readonly ledger: IdentityLedger;
}

/** Credentials of an instance profile live about six hours; these are asked for every hour. */
const CREDENTIAL_MS = 3_600_000;
/** A machine that is told to reboot is down for this long before its kernel starts again. */
const REBOOT_MS = 8000;

/** Pods are gone and the disks written after this time. */
const SHUTDOWN_MS = 5000;

/** One computer: what is on its disk, what runs on it, and what it wrote. */
export class SimMachine implements SimulatedMachine {
  readonly instanceId: string;
  readonly #around: MachineSurroundings;
  readonly #journal = new BoundedLines<JournalLine>();
  readonly #files = new MachineFiles();
  readonly #faults = new FaultBoard();
  readonly #host: Host;
  readonly #network: MachineNetwork;
  readonly #metadata: MetadataWay;
  readonly #images: ImageStore;
  readonly #pods: PodTable;
  readonly #disk: KubeletDisk;
  readonly #kubelet: Kubelet;
  readonly #command: Command;
  readonly #units = new Map<string, UnitState>();
  #hostname: string | null = null;
  #instance: TrueInstance;
  #bootNumber = 0;
  #bootMs = 0;
  #isOn = false;
  #pid = 600;
  #key: { readonly id: string; readonly untilMs: number } | null = null;

  constructor(instance: TrueInstance, around: MachineSurroundings) {
    this.instanceId = instance.instanceId;
    this.#instance = instance;
    this.#around = around;
    this.#host = this.#makeHost();
    const host = this.#host;
    this.#network = new MachineNetwork(host);
    this.#metadata = new MetadataWay(host, this.#network);
    this.#images = new ImageStore(host, this.#network);
    this.#disk = new KubeletDisk(this.#files);
    const { neighbours, ledger, cache } = around;
    const shared = { host, network: this.#network, metadata: this.#metadata, neighbours };
    this.#pods = new PodTable({
      ...shared,
      images: this.#images,
      maxPods: () => this.#kubeletConfig()?.maxPods ?? 0,
      programOf: (image, words) => programOf(image, words, ledger),
    });
    const parts = { host, network: this.#network, disk: this.#disk, pods: this.#pods };
    this.#kubelet = new Kubelet({
      ...parts,
      cache,
      config: () => this.#kubeletConfig(),
      onRun: () => this.#translateByItself(),
    });
    const bootParts = this.#bootParts();
    this.#command = commandsOf({
      ...parts,
      kubelet: this.#kubelet,
      reboot: () => this.reboot(),
      journalText: (filter) => this.journalText(filter),
      nodeApi: () => this.#nodeApi(),
      ofImage: imagePrograms(bootParts),
    });
  }

  #makeHost(): Host {
    const { world, settings } = this.#around;
    const { kernel } = world;
    const random = kernel.random(`machine/${this.instanceId}`);
    const skewMs = (): number =>
      this.#faults
        .of('clock-skew')
        .reduce((sum, fault) => sum + fault.skewMs, settings.clockSkewMs);
    return {
      world,
      settings,
      instanceId: this.instanceId,
      random,
      files: this.#files,
      faults: this.#faults,
      instance: () => this.#instanceNow(),
      hostname: () => this.#hostname ?? 'localhost',
      setHostname: (name) => {
        this.#hostname = name;
        this.#files.write('/etc/hostname', `${name}\n`);
      },
      nowMs: () => kernel.nowMs() + skewMs(),
      zoneMinutes: this.#zoneMinutes,
      trueMs: () => kernel.nowMs(),
      note: (unit, pid, message) =>
        this.#journal.push({
          atMs: kernel.nowMs() + skewMs(),
          hostname: this.#hostname ?? 'localhost',
          unit,
          pid,
          message,
        }),
      after: (delayMs, task) => this.#after(delayMs, task),
      uptimeMs: () => kernel.nowMs() - this.#bootMs,
      nextPid: () => {
        this.#pid += 1 + random.below(40);
        return this.#pid;
      },
      accessKeyId: () => this.#accessKeyId(),
    };
  }

  readonly #zoneMinutes = (atMs: number): number => {
    const zone = this.#faults.of('local-time').at(-1)?.zone;
    return zone === undefined ? 0 : minutesAhead(zone, atMs);
  };

  #instanceNow(): TrueInstance {
    const now = this.#around.world.aws.instance(this.instanceId);
    if (now !== null) this.#instance = now;
    return this.#instance;
  }

  #after(delayMs: number, task: () => void): Timer {
    const bootNumber = this.#bootNumber;
    return this.#around.world.kernel.after(delayMs, () => {
      if (bootNumber === this.#bootNumber && this.#isOn) task();
    });
  }

  #accessKeyId(): string | null {
    const { roleArn } = this.#instanceNow();
    if (roleArn === null || this.#network.isLost('imds')) return null;
    const nowMs = this.#host.trueMs();
    if (this.#key === null || this.#key.untilMs < nowMs) {
      const keys = this.#around.world.aws.credentialsOf(roleArn, this.instanceId);
      this.#key = { id: keys.accessKeyId, untilMs: nowMs + CREDENTIAL_MS };
    }
    return this.#key.id;
  }

  /** Where no pod of kube-proxy is part of the world, its rules come some time after the kubelet. */
  #translateByItself(): void {
    const { kubeProxy, kubeProxyTime } = this.#around.settings;
    if (kubeProxy !== 'ready-made') return;
    this.#host.after(drawn(this.#host.random, kubeProxyTime), () =>
      this.#network.translateServices(true),
    );
  }

  #kubeletConfig(): KubeletConfig | null {
    const { config } = this.#disk;
    if (config === null) return null;
    const { settings } = this.#around;
    const environment = ['/etc/default/kubelet', '/etc/sysconfig/kubelet']
      .map((path) => this.#files.read(path) ?? '')
      .join(' ');
    return withFlags(withFlags(config, settings.kubeletExtraArgs), environment);
  }

  #bootParts(): BootParts {
    return {
      host: this.#host,
      network: this.#network,
      disk: this.#disk,
      kubelet: this.#kubelet,
      neighbours: this.#around.neighbours,
      setUnit: (name, state) => this.#units.set(name, state),
      runScript: (script, print, done) => this.#script(script, print, done),
    };
  }

  /** Power is on: the kernel starts. */
  powerOn(): void {
    if (this.#isOn) return;
    this.#isOn = true;
    this.#bootNumber += 1;
    this.#bootMs = this.#host.trueMs();
    const isFirst = this.#hostname === null;
    if (isFirst) this.#host.setHostname(firstHostname(this.#instanceNow(), this.#around.settings));
    this.#units.set('containerd', 'running');
    boot(this.#bootParts(), isFirst);
  }

  /** Power is gone, at once. */
  powerOff(): void {
    if (!this.#isOn) return;
    this.#kubelet.vanish();
    this.#pods.vanish();
    this.#network.reset();
    this.#metadata.reset();
    this.#images.reset();
    this.#isOn = false;
    this.#bootNumber += 1;
  }

  /** The system is told to go down, as EC2 does before it takes the power. */
  shutDown(): void {
    if (!this.#isOn) return;
    this.#host.note('systemd-logind', 1, 'System is powering down.');
    if (this.#kubelet.shutDown()) this.#after(SHUTDOWN_MS, () => this.powerOff());
    else this.powerOff();
  }

  hostname(): string | null {
    return this.#hostname;
  }

  nodeName(): string | null {
    return this.#kubelet.nodeName();
  }

  isOn(): boolean {
    return this.#isOn;
  }

  bootedMs(): number {
    return this.#bootMs;
  }

  nowMs(): number {
    return this.#host.nowMs();
  }

  unit(name: string): UnitState {
    if (!this.#isOn) return 'stopped';
    if (name === 'kubelet') return this.#kubelet.state();
    if (name === 'containerd' && this.#faults.has('containerd-hung')) return 'hung';
    return this.#units.get(name) ?? 'absent';
  }

  journal(): readonly JournalLine[] {
    return this.#journal.all();
  }

  journalText(filter?: JournalFilter): string {
    return journalctl(this.journal(), filter, this.#zoneMinutes);
  }

  files(): ReadonlyMap<string, string> {
    return this.#files.all();
  }

  podLogs(
    pod: string,
    container: string,
    options: PodLogOptions = {},
  ): readonly PodLogLine[] | null {
    const found = this.#pods
      .worker(pod)
      ?.containers()
      .find(({ name }) => name === container);
    return found?.lines(options.previous === true) ?? null;
  }

  collect(): readonly { readonly name: string; readonly text: string }[] {
    return collected(this, this.#instanceNow(), this.#pods, this.#zoneMinutes);
  }

  servedLog(path: string, query: Readonly<Record<string, string>>): KubeletPage {
    return servedLog(this, this.#around.settings, path, query);
  }

  startKubelet(): void {
    if (this.#isOn) this.#kubelet.start();
  }

  stopKubelet(): void {
    this.#kubelet.stop();
  }

  restartKubelet(): void {
    if (this.#isOn) this.#kubelet.restart();
  }

  reboot(): void {
    if (!this.#isOn) return;
    this.#host.note('systemd-logind', 1, 'System is rebooting.');
    this.powerOff();
    this.#around.world.kernel.after(REBOOT_MS, () => {
      if (this.#instanceNow().state === 'running') this.powerOn();
    });
  }

  run(command: string, onDone: (result: CommandResult) => void = () => {}): void {
    if (!this.#isOn) return onDone({ exitCode: 255, stdout: '', stderr: 'the machine is off\n' });
    this.#script(command, () => {}, onDone);
  }

  #script(
    script: string,
    print: (text: string) => void,
    done: (result: CommandResult) => void,
  ): void {
    const shell = new Shell(
      {
        after: (delayMs, task) => this.#after(delayMs, task),
        call: (call, end) => this.#command(call, end),
        write: (path, text, isAppending) =>
          this.#files.write(path, isAppending ? `${this.#files.read(path) ?? ''}${text}` : text),
        read: (path) => this.#files.read(path),
        print,
      },
      { HOSTNAME: this.#hostname ?? '' },
    );
    shell.run(script, done);
  }

  #nodeApi(): NodeApi {
    const { certificate } = this.#disk;
    const credential =
      certificate === null
        ? ({ kind: 'anonymous' } as const)
        : ({ kind: 'certificate', subject: certificate } as const);
    return new NodeApi(this.#host, this.#network, credential);
  }

  break(fault: MachineFault): () => void {
    return this.#faults.add(fault);
  }

  credentialsAsSeenBy(pod: string): SeenIdentity | null {
    const worker = this.#pods.running(pod);
    return worker === null ? null : (this.#around.ledger.now(worker.place.uid) ?? null);
  }
}
