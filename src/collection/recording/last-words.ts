import { logsOfNode, NOTHING_ASKED } from '../../diagnosis/representatives.ts';
import { checksumOf } from '../../evidence/checksum.ts';
import { textAt } from '../../evidence/json.ts';
import type { Observations } from '../../evidence/observations.ts';
import { excerptOf, redact } from '../../evidence/redact.ts';
import { PortError } from '../../ports/port-error.ts';
import { collectDetails, type DetailClients } from '../details.ts';
import type { CollectedDocument } from '../document.ts';
import { startLimit } from '../time-limit.ts';
import type { Happening } from './change.ts';
import { leavingMachines, type LeavingMachine } from './leaving.ts';

/** What machines that go are asked for at most. */
const AN_HOUR_MAX = 60;
const AT_ONCE_MAX = 5;
const HOUR_MS = 3_600_000;
const LIMIT_MS = 20_000;
const TEXT_LENGTH_MAX = 16 * 1024;
const IPAMD_LOG = 'aws-routed-eni/ipamd.log';

export interface LastWordsOptions {
  readonly clients: DetailClients;
  /** True to read the log of the VPC CNI through kubelets, which needs `get nodes/proxy`. */
  readonly readsNodeLogs: boolean;
  /** Ends what is under way. */
  readonly end: AbortSignal;
}

/**
 * Asks machines that are about to go for what goes with them: the console, the logs of the programs
 * of the node, the log of the VPC CNI. Nobody waits for it; what came is recorded with a later look.
 */
export class LastWords {
  readonly #options: LastWordsOptions;
  /** Machines that were asked and are still about to go. */
  #asked = new Set<string>();
  #askedAtMs: number[] = [];
  #underWay = 0;
  #came: Happening[] = [];
  #bug: Error | null = null;

  constructor(options: LastWordsOptions) {
    this.#options = options;
  }

  /** Begins to ask those that were not asked yet. */
  ask(observations: Observations, nowMs: number): void {
    if (this.#options.end.aborted) return;
    this.#askedAtMs = this.#askedAtMs.filter((atMs) => nowMs - atMs < HOUR_MS);
    const leaving = leavingMachines(observations, nowMs);
    // One that stayed after all is asked again when it goes.
    this.#asked = this.#asked.intersection(new Set(leaving.map(keyOfMachine)));
    for (const machine of leaving) {
      const key = keyOfMachine(machine);
      const isFull = this.#underWay >= AT_ONCE_MAX || this.#askedAtMs.length >= AN_HOUR_MAX;
      if (this.#asked.has(key) || isFull) continue;
      this.#asked.add(key);
      this.#askedAtMs.push(nowMs);
      this.#underWay += 1;
      void this.#askOne(machine, observations);
    }
  }

  /** What came since this was asked last. @throws what was a bug and no failure of a source */
  take(): readonly Happening[] {
    if (this.#bug !== null) throw this.#bug;
    const came = this.#came;
    this.#came = [];
    return came;
  }

  async #askOne(machine: LeavingMachine, observations: Observations): Promise<void> {
    const { clients, end } = this.#options;
    const time = startLimit(clients.clock, LIMIT_MS);
    const signal = AbortSignal.any([end, time.signal]);
    this.#came.push(leavingHappening(machine));
    const add = ({ locator, content }: CollectedDocument): void => {
      const text = textOf(content);
      if (text !== null) this.#came.push(wordsHappening(machine, locator, text));
    };
    const { node, instanceId } = machine;
    const target = {
      ...NOTHING_ASKED,
      instanceIds: instanceId === null ? [] : [instanceId],
      logs: node === null ? [] : logsOfNode(observations, node),
    };
    try {
      const evidence = { add, refuse: () => undefined, shorten: () => undefined };
      await Promise.all([
        collectDetails(clients, target, evidence, signal),
        this.#readNodeLog(machine, signal),
      ]);
    } catch (error) {
      if (!signal.aborted) this.#bug = error instanceof Error ? error : new Error(String(error));
    } finally {
      time.clear();
      this.#underWay -= 1;
    }
  }

  async #readNodeLog(machine: LeavingMachine, signal: AbortSignal): Promise<void> {
    const { clients, readsNodeLogs } = this.#options;
    const { node } = machine;
    if (!readsNodeLogs || clients.kube === null || node === null) return;
    const limits = { bytesMax: TEXT_LENGTH_MAX, signal };
    try {
      const { bytes, isCut } = await clients.kube.nodeLog(node, { path: IPAMD_LOG }, limits);
      const text = new TextDecoder().decode(bytes);
      const whole = isCut ? text.slice(text.indexOf('\n') + 1) : text;
      this.#came.push(wordsHappening(machine, IPAMD_LOG, whole));
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
    }
  }
}

function keyOfMachine({ instanceId, node }: LeavingMachine): string {
  return instanceId ?? node ?? '';
}

/** The text of a console or of a log; user data holds what nobody needs later. */
function textOf(content: CollectedDocument['content']): string | null {
  if (typeof content === 'string') return null;
  return textAt(content, 'answer.Output') ?? textAt(content, 'text');
}

function ownerOf({ node, instanceId }: LeavingMachine): Pick<Happening, 'subject' | 'subjectKind'> {
  return instanceId === null
    ? { subject: node ?? '', subjectKind: 'Node' }
    : { subject: instanceId, subjectKind: 'Machine' };
}

function leavingHappening(machine: LeavingMachine): Happening {
  return {
    ...ownerOf(machine),
    atMs: null,
    kind: 'leaving',
    source: 'rollcall',
    parts: [machine.instanceId, machine.node, machine.why],
    what: `about to go: ${excerptOf(machine.why)}`,
    more: { node: machine.node },
  };
}

function wordsHappening(machine: LeavingMachine, from: string, text: string): Happening {
  // Behind a cut through a secret nobody would know the rest of it.
  const content = redact(text).slice(-TEXT_LENGTH_MAX);
  return {
    ...ownerOf(machine),
    atMs: null,
    kind: 'evidence',
    source: 'rollcall',
    parts: [machine.instanceId, machine.node, from, checksumOf(content)],
    what: `kept the end of: ${excerptOf(from)}`,
    more: { part: from, content },
  };
}
