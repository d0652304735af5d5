import { at, isObject, type Json, textAt } from '../../../evidence/json.ts';
import type {
  GatePolicy,
  LabelRequirement,
  NodeSelector,
  ObjectName,
  PolicyReading,
  PolicyRefusal,
  PolicySource,
  TaintEffect,
  TaintRelease,
} from '../policy.ts';
import { TAINT_EFFECTS } from '../policy.ts';
import { whyNoKey, whyNoSubdomain } from './names.ts';
import { readSelectorText } from './selector-text.ts';
import { shown } from './shown.ts';

/** A configuration file of nidhogg, JSON or YAML, as it was parsed. */
export interface NidhoggFile {
  readonly value: Json;
  /** The line, from 1, of a value by its path: `daemonsets.0.name`. */
  readonly lineOf: (path: string) => number;
}

export const NIDHOGG_DEFAULT_PREFIX = 'nidhogg.uswitch.com';
const KNOWN = [
  'daemonsets',
  'nodeSelector',
  'taintNamePrefix',
  'taintEffect',
  'taintRemovalDelayInSeconds',
];
const DAEMON_SETS_MAX = 256;
const DELAY_SECONDS_MAX = 86_400;

/** What the whole file says, which all its policies share. */
interface Shared {
  readonly requirements: readonly LabelRequirement[] | null;
  readonly prefix: string;
  readonly effect: TaintEffect;
  readonly delayMs: number;
}

/** Collects sentences about one file. */
class Notes {
  readonly #file: NidhoggFile;
  readonly refusals: PolicyRefusal[] = [];
  readonly warnings: PolicyRefusal[] = [];

  constructor(file: NidhoggFile) {
    this.#file = file;
  }

  refuse(path: string, why: string, name = ''): void {
    this.refusals.push({ source: sourceOf(name), why: this.#sentence(path, why) });
  }

  warn(path: string, why: string): void {
    this.warnings.push({ source: sourceOf(''), why: this.#sentence(path, why) });
  }

  #sentence(path: string, why: string): string {
    const key = path.replace(/\.(\d+)/g, '[$1]');
    return `Line ${this.#file.lineOf(path)}: ${key === '' ? 'the file' : key} ${why}.`;
  }
}

function sourceOf(name: string): PolicySource {
  return { kind: 'nidhogg', name, uid: null, generation: null };
}

/** The entries of a list are joined by AND; the older form is a map of labels. */
function readNodeSelector(file: Json, notes: Notes): readonly LabelRequirement[] | null {
  const found = at(file, 'nodeSelector') ?? null;
  if (found === null) return null;
  const texts = isObject(found)
    ? Object.entries(found).map(
        ([key, value]) => [`nodeSelector.${key}`, labelText(key, value)] as const,
      )
    : Array.isArray(found)
      ? (found as readonly Json[]).map((entry, index) => [`nodeSelector.${index}`, entry] as const)
      : null;
  if (texts === null) {
    notes.refuse('nodeSelector', 'is neither a list of selectors nor a map of labels');
    return [];
  }
  return texts.flatMap(([path, text]) => readEntry(path, text, notes));
}

function labelText(key: string, value: Json): Json {
  return typeof value === 'string' ? `${key}=${value}` : value;
}

function readEntry(path: string, text: Json, notes: Notes): readonly LabelRequirement[] {
  if (typeof text !== 'string') {
    notes.refuse(path, `is ${shown(text)}, not text; write it in quotes`);
    return [];
  }
  const read = readSelectorText(text);
  if (read.ok) return read.requirements;
  notes.refuse(path, `cannot be read: ${read.why}`);
  return [];
}

function readPrefix(file: Json, notes: Notes): string {
  const found = at(file, 'taintNamePrefix') ?? NIDHOGG_DEFAULT_PREFIX;
  const prefix = found === '' ? NIDHOGG_DEFAULT_PREFIX : found;
  const why = typeof prefix === 'string' ? whyNoSubdomain(prefix) : 'is not text';
  if (why !== null) notes.refuse('taintNamePrefix', why);
  return typeof prefix === 'string' ? prefix : NIDHOGG_DEFAULT_PREFIX;
}

/** An unknown effect is NoSchedule, as nidhogg takes it. */
function readEffect(file: Json, notes: Notes): TaintEffect {
  const found = at(file, 'taintEffect') ?? 'NoSchedule';
  const effect = TAINT_EFFECTS.find((one) => one === found);
  if (effect === undefined && found !== '')
    notes.warn('taintEffect', `is ${shown(found)}, which counts as NoSchedule`);
  if (effect === 'NoExecute')
    notes.warn('taintEffect', 'is NoExecute: a node that is shut again loses its Pods');
  return effect ?? 'NoSchedule';
}

function readDelayMs(file: Json, notes: Notes): number {
  const found = at(file, 'taintRemovalDelayInSeconds') ?? 0;
  const isFine = typeof found === 'number' && Number.isInteger(found) && found >= 0;
  if (isFine && found <= DELAY_SECONDS_MAX) return found * 1000;
  notes.refuse(
    'taintRemovalDelayInSeconds',
    `is ${shown(found)}; use a whole number from 0 to ${DELAY_SECONDS_MAX}`,
  );
  return 0;
}

interface Named extends ObjectName {
  readonly path: string;
}

function readName(entry: Json, path: string, notes: Notes): Named | null {
  if (!isObject(entry)) {
    notes.refuse(path, 'is not an object with name and namespace');
    return null;
  }
  const [namespace, name] = [textAt(entry, 'namespace'), textAt(entry, 'name')];
  for (const [field, value] of [
    ['name', name],
    ['namespace', namespace],
  ] as const) {
    const why = value === null || value === '' ? 'is missing' : whyNoSubdomain(value);
    if (why === null) continue;
    notes.refuse(`${path}.${field}`, why);
    return null;
  }
  return { namespace: namespace ?? '', name: name ?? '', path };
}

function readDaemonSets(file: Json, notes: Notes): readonly Named[] {
  const found = at(file, 'daemonsets') ?? null;
  if (!Array.isArray(found)) {
    notes.refuse('daemonsets', found === null ? 'is missing' : 'is not a list');
    return [];
  }
  const list = found as readonly Json[];
  if (list.length === 0) notes.warn('daemonsets', 'is empty: no node waits for anything');
  if (list.length > DAEMON_SETS_MAX)
    notes.refuse('daemonsets', `has ${list.length} entries; ${DAEMON_SETS_MAX} are allowed`);
  const byName = new Map<string, Named>();
  for (const [index, entry] of list.slice(0, DAEMON_SETS_MAX).entries()) {
    const named = readName(entry, `daemonsets.${index}`, notes);
    if (named === null) continue;
    const name = `${named.namespace}/${named.name}`;
    if (byName.has(name)) notes.warn(named.path, `names ${name} again`);
    else byName.set(name, named);
  }
  return [...byName.values()];
}

/** Where the file has no selector, the nodes that the DaemonSet is for. */
function selectorOf({ requirements }: Shared, { namespace, name }: ObjectName): NodeSelector {
  const placedBy = requirements === null ? { namespace, name } : null;
  return { requirements: requirements ?? [], placedBy };
}

/** The annotations of both forks: when a node was open for the first time. */
export function nidhoggMarks(prefix: string): GatePolicy['openingMarks'] {
  return [`${prefix}/first-time-ready`, `${prefix}/ready-since`].map((key) => ({
    key,
    value: null,
  }));
}

function policyOf(daemonSet: Named, shared: Shared, notes: Notes): GatePolicy | null {
  const { namespace, name, path } = daemonSet;
  const key = `${shared.prefix}/${namespace}.${name}`;
  const why = whyNoKey(key);
  if (why !== null) {
    notes.refuse(path, `needs the taint ${key}, which ${why}`, `${namespace}/${name}`);
    return null;
  }
  return {
    source: sourceOf(`${namespace}/${name}`),
    createdMs: null,
    selects: selectorOf(shared, daemonSet),
    taint: { key, value: '', effect: shared.effect },
    needs: { all: [{ kind: 'daemonset', namespace, name }] },
    dwellMs: shared.delayMs,
    freshnessMs: null,
    mode: 'continuous',
    regressTaint: null,
    regressAfterMs: 0,
    blastShareMax: 1,
    expiryMs: null,
    isDryRun: false,
    isBoundToBoot: true,
    openingMarks: nidhoggMarks(shared.prefix),
    completedBy: [],
    refusedWhy: null,
  };
}

/** Taints of the file, also of an older one: nidhogg removes those that it does not want now. */
function releasesOf({ prefix }: Shared): readonly TaintRelease[] {
  return [{ key: `${prefix}/`, isPrefix: true, effect: null }];
}

/**
 * Reads a configuration file of nidhogg, of either fork: a policy for each DaemonSet. One that
 * cannot be followed does not stop the others; a file whose nodes, prefix or delay cannot be read
 * is refused whole, so that the taints of its nodes stay as they are.
 */
export function readNidhogg(file: NidhoggFile): PolicyReading {
  const notes = new Notes(file);
  const { value } = file;
  if (!isObject(value)) {
    notes.refuse('', 'is not an object with daemonsets');
    return { policies: [], refusals: notes.refusals, warnings: [], releases: [] };
  }
  for (const key of Object.keys(value)
    .filter((one) => !KNOWN.includes(one))
    .slice(0, KNOWN.length))
    notes.warn(key, 'is unknown and ignored');
  const shared: Shared = {
    requirements: readNodeSelector(value, notes),
    prefix: readPrefix(value, notes),
    effect: readEffect(value, notes),
    delayMs: readDelayMs(value, notes),
  };
  const isWhole = notes.refusals.length === 0;
  const daemonSets = readDaemonSets(value, notes);
  const followed = isWhole ? daemonSets : [];
  return {
    policies: followed.flatMap((one) => policyOf(one, shared, notes) ?? []),
    refusals: notes.refusals,
    warnings: notes.warnings,
    releases: notes.refusals.length === 0 ? releasesOf(shared) : [],
  };
}
