import {
  isObject,
  type Json,
  type JsonObject,
  listAt,
  textAt,
  textsAt,
} from '../../../evidence/json.ts';
import { type NidhoggFile, readNidhogg } from '../policies/nidhogg.ts';
import { readNodeReadinessRule } from '../policies/node-readiness-rule.ts';
import { shownKey } from '../policies/shown.ts';
import type { GatePolicy, PolicyReading } from '../policy.ts';
import { nodeGateOf } from './node-gate-of.ts';
import { isExcluded, isVigil, readVigil, type VigilConfig, vigilPolicy } from './vigil.ts';

/** One document of a file, as it was parsed. */
export interface ConvertDocument extends NidhoggFile {
  /** The file, as the user named it. */
  readonly path: string;
}

export interface ConvertedGate {
  /** What it was made of: `nidhogg kube-system/kiam of config.yaml`. */
  readonly from: string;
  readonly gate: JsonObject;
  /** What differs from the program it was made for, a sentence each. */
  readonly notes: readonly string[];
}

export interface Conversion {
  readonly gates: readonly ConvertedGate[];
  /** What cannot be converted, and why. */
  readonly refusals: readonly string[];
}

/** How the text of a document inside another one is parsed; null for a text that is none. */
export type ParseDocument = (text: string) => NidhoggFile | null;

const NIDHOGG_NOTES = [
  'nidhogg puts the same taint back when the Pod is lost later; this gate puts its regress taint, which no autoscaler takes for a starting node.',
  'nidhogg opens a node while the DaemonSet does not exist; this gate keeps it shut.',
  'Events TaintsChanged and the metrics taint_operations have no equal; this gate has its own Events and rollcall_gate_happenings_total.',
];
const RULE_NOTES = [
  'The rule puts its own taint back when a condition is lost; this gate puts its regress taint, which Karpenter does not take for a startup taint.',
  'The status of the rule has no equal; ask: rollcall gate explain NODE',
];
const VIGIL_NOTES = [
  'vigil opens a node after timeoutSeconds; this gate reports it after the same time and keeps it shut.',
  'vigil never adds its taint; this gate also puts it on a node that was born without it.',
  'All gates of this taint must open before it goes.',
];

interface Found {
  readonly gates: ConvertedGate[];
  readonly refusals: string[];
  readonly daemonSets: JsonObject[];
  readonly vigils: { readonly path: string; readonly config: VigilConfig }[];
}

const NAME_CHARS_MAX = 200;

/** A name that an object may have. */
function gateName(words: string): string {
  const plain = words.toLowerCase().replaceAll(/[^a-z0-9.-]+/g, '.');
  const parts = plain.slice(0, NAME_CHARS_MAX).split('.');
  const whole = parts.map((part) => part.replaceAll(/^-+|-+$/g, '')).filter((part) => part !== '');
  return whole.length === 0 ? 'gate' : whole.join('.');
}

function takeReading(
  found: Found,
  from: (policy: GatePolicy) => string,
  { policies, refusals, warnings }: PolicyReading,
  notes: readonly string[],
): void {
  const told = warnings.map(({ why }) => why);
  for (const policy of policies) {
    if (policy.refusedWhy !== null) continue;
    const prefix = policy.source.kind === 'nidhogg' ? 'nidhogg.' : '';
    const gate = nodeGateOf(policy, gateName(`${prefix}${policy.source.name}`));
    found.gates.push({ from: from(policy), gate, notes: [...notes, ...told] });
  }
  found.refusals.push(...refusals.map(({ why }) => why));
}

function takeNidhogg(found: Found, document: ConvertDocument): void {
  const reading = readNidhogg(document);
  const before = found.refusals.length;
  takeReading(
    found,
    ({ source }) => `nidhogg ${source.name} of ${document.path}`,
    reading,
    NIDHOGG_NOTES,
  );
  for (let at = before; at < found.refusals.length; at++)
    found.refusals[at] = `${document.path}: ${found.refusals[at]}`;
}

function ruleNotes(rule: JsonObject): readonly string[] {
  const isOnce = textAt(rule, 'spec.enforcementMode') === 'bootstrap-only';
  if (!isOnce || textAt(rule, 'metadata.uid') !== null) return RULE_NOTES;
  return [
    ...RULE_NOTES,
    'The file has no UID of the rule, so nodes that it is done with are looked at again; convert it from kubectl get nodereadinessrule -o yaml instead.',
  ];
}

function takeRule(found: Found, path: string, rule: JsonObject): void {
  const reading = readNodeReadinessRule(rule);
  const name = textAt(rule, 'metadata.name') ?? '';
  const notes = ruleNotes(rule);
  const before = found.refusals.length;
  takeReading(found, () => `NodeReadinessRule ${name} of ${path}`, reading, notes);
  for (let at = before; at < found.refusals.length; at++)
    found.refusals[at] = `${path}: NodeReadinessRule ${name}: ${found.refusals[at]}`;
}

function takeVigil(found: Found, path: string, value: JsonObject): void {
  const config = readVigil(value);
  if ('taint' in config) found.vigils.push({ path, config });
  else found.refusals.push(...config.map((why) => `${path}: ${why}`));
}

/** The files that a ConfigMap holds, of which some may be configuration. */
function takeConfigMap(found: Found, document: ConvertDocument, parse: ParseDocument): void {
  let isAny = false;
  for (const [name, text] of Object.entries(textsAt(document.value, 'data'))) {
    const parsed = parse(text);
    if (parsed === null || !isConfiguration(parsed.value)) continue;
    isAny = true;
    take(found, { ...parsed, path: `${document.path}, data ${shownKey(name)}` }, parse);
  }
  if (!isAny)
    found.refusals.push(`${document.path}: the ConfigMap holds no configuration of a gate`);
}

function isConfiguration(value: Json): boolean {
  return isObject(value) && ('daemonsets' in value || isVigil(value));
}

function take(found: Found, document: ConvertDocument, parse: ParseDocument): void {
  const { value, path } = document;
  const kind = textAt(value, 'kind');
  if (kind?.endsWith('List') === true) {
    for (const item of listAt(value, 'items')) takeItem(found, { ...document, value: item }, parse);
    return;
  }
  if (kind !== null) return takeItem(found, document, parse);
  if (isObject(value) && 'daemonsets' in value) return takeNidhogg(found, document);
  if (isObject(value) && isVigil(value)) return takeVigil(found, path, value);
  found.refusals.push(
    `${path}: not recognized; give configuration of nidhogg or vigil, or NodeReadinessRules`,
  );
}

function takeItem(found: Found, document: ConvertDocument, parse: ParseDocument): void {
  const { value, path } = document;
  const kind = textAt(value, 'kind');
  if (!isObject(value) || kind === null) return;
  if (kind === 'NodeReadinessRule') takeRule(found, path, value);
  else if (kind === 'DaemonSet') found.daemonSets.push(value);
  else if (kind === 'ConfigMap') takeConfigMap(found, document, parse);
  else found.refusals.push(`${path}: ${kind} ${textAt(value, 'metadata.name') ?? ''} is no gate`);
}

/** vigil finds its DaemonSets in the cluster; here they are those that were given. */
function finishVigils({ vigils, daemonSets, gates, refusals }: Found): void {
  for (const { path, config } of vigils) {
    const wanted = daemonSets.filter((one) => !isExcluded(config, one));
    if (wanted.length === 0)
      refusals.push(
        `${path}: vigil waits for every DaemonSet of the cluster; give them too: kubectl get daemonsets -A -o yaml | rollcall gate convert ${path} -`,
      );
    const ignored = config.startupTaintKeys.map(
      (key) =>
        `knownStartupTaintKeys ${key}: a gate looks at labels alone to tell where a DaemonSet runs.`,
    );
    for (const one of wanted) {
      const policy = vigilPolicy(config, one);
      const gate = nodeGateOf(policy, gateName(`vigil.${policy.source.name}`));
      const from = `vigil ${path}, DaemonSet ${policy.source.name}`;
      gates.push({ from, gate, notes: [...VIGIL_NOTES, ...ignored] });
    }
  }
}

/** Two documents may lead to the same name; the second one gets another. */
function withOwnNames(gates: readonly ConvertedGate[]): readonly ConvertedGate[] {
  const taken = new Map<string, number>();
  return gates.map((one) => {
    const name = textAt(one.gate, 'metadata.name') ?? '';
    const count = (taken.get(name) ?? 0) + 1;
    taken.set(name, count);
    if (count === 1) return one;
    const metadata: Json = { name: `${name}-${count}` };
    return { ...one, gate: { ...one.gate, metadata } };
  });
}

/** Turns configuration of nidhogg, vigil and the Node Readiness Controller into NodeGates. */
export function convert(documents: readonly ConvertDocument[], parse: ParseDocument): Conversion {
  const found: Found = { gates: [], refusals: [], daemonSets: [], vigils: [] };
  for (const document of documents) take(found, document, parse);
  finishVigils(found);
  return { gates: withOwnNames(found.gates), refusals: found.refusals };
}
