import type { Timer } from '../kernel/kernel.ts';
import type { RandomStream } from '../kernel/random.ts';
import type { TrueInstance } from '../aws/contract.ts';
import type { World } from '../world.ts';
import type { MachineFault, Spread } from './contract.ts';
import type { MachineFiles } from './logs/files.ts';
import { klogText, type Severity } from './logs/klog.ts';
import type { HypervisorSettings } from './settings.ts';

/** What programs of one machine have to live on. */
export interface Host {
  readonly world: World;
  readonly settings: HypervisorSettings;
  readonly instanceId: string;
  readonly random: RandomStream;
  readonly files: MachineFiles;
  readonly faults: FaultBoard;
  instance(): TrueInstance;
  hostname(): string;
  setHostname(name: string): void;
  /** The wall clock of this machine. */
  nowMs(): number;
  /** How far local time is ahead of UTC at a moment of the wall clock, minutes. */
  zoneMinutes(atMs: number): number;
  /** True time. */
  trueMs(): number;
  /** Adds a line to the journal. */
  note(unit: string, pid: number, message: string): void;
  /** Plans something that does not outlive the present boot. */
  after(delayMs: number, task: () => void): Timer;
  /** ms since the system came up. */
  uptimeMs(): number;
  nextPid(): number;
  /** Of the credentials that the metadata service gives; null without a role. */
  accessKeyId(): string | null;
}

/** Adds a klog line of a program to the journal. */
export function noteKlog(
  host: Host,
  { unit, pid, severity, place }: KlogOrigin,
  message: string,
): void {
  host.note(unit, pid, klogText({ severity, atMs: localMs(host), pid, place, message }));
}

/** The moment whose UTC text is what the host's local time reads now. */
export function localMs(host: Host): number {
  const nowMs = host.nowMs();
  return nowMs + host.zoneMinutes(nowMs) * MINUTE_MS;
}

const MINUTE_MS = 60_000;

export interface KlogOrigin {
  readonly unit: string;
  readonly pid: number;
  readonly severity: Severity;
  readonly place: string;
}

export function drawn(random: RandomStream, { medianMs, sigma }: Spread): number {
  return sigma === 0 ? medianMs : random.lognormal(medianMs, sigma);
}

type FaultOf<K extends MachineFault['kind']> = Extract<MachineFault, { kind: K }>;

/** What ails a machine at the moment. */
export class FaultBoard {
  readonly #faults = new Set<MachineFault>();
  readonly #listeners: (() => void)[] = [];

  add(fault: MachineFault): () => void {
    const own = { ...fault };
    this.#faults.add(own);
    this.#tell();
    return () => {
      if (this.#faults.delete(own)) this.#tell();
    };
  }

  of<K extends MachineFault['kind']>(kind: K): readonly FaultOf<K>[] {
    if (this.#faults.size === 0) return [];
    return [...this.#faults].filter((fault): fault is FaultOf<K> => fault.kind === kind);
  }

  has(kind: MachineFault['kind']): boolean {
    return this.#faults.size > 0 && this.of(kind).length > 0;
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
