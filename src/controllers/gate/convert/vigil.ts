import {
  at,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  textAt,
  textsAt,
} from '../../../evidence/json.ts';
import { hasLabels } from '../node-selector.ts';
import { Fields } from '../policies/fields.ts';
import { readSelector, readTaint } from '../policies/parts.ts';
import type { GatePolicy, GateTaint, LabelRequirement, ObjectName } from '../policy.ts';

/** A configuration of vigil (Nextdoor), which waits for every DaemonSet that a node is for. */
export interface VigilConfig {
  readonly taint: GateTaint;
  readonly timeoutMs: number;
  readonly isDryRun: boolean;
  readonly startupTaintKeys: readonly string[];
  readonly excludedNames: readonly string[];
  /** null for none. */
  readonly excludedLabels: readonly LabelRequirement[] | null;
}

const KNOWN = [
  'taintKey',
  'taintEffect',
  'knownStartupTaintKeys',
  'timeoutSeconds',
  'dryRun',
  'maxConcurrentReconciles',
  'excludeDaemonSets',
];
const DEFAULT_KEY = 'node.nextdoor.com/initializing';
const TIMEOUT_SECONDS = 120;
const TIMEOUT_SECONDS_MAX = 86_400;

export function isVigil(value: JsonObject): boolean {
  return ['taintKey', 'knownStartupTaintKeys', 'excludeDaemonSets'].some((key) => key in value);
}

/** `name` or `{namespace, name}` of a DaemonSet. */
function excludedName(entry: Json): readonly string[] {
  if (typeof entry === 'string') return [entry];
  const [namespace, name] = [textAt(entry, 'namespace'), textAt(entry, 'name')];
  if (name === null) return [];
  return [namespace === null ? name : `${namespace}/${name}`];
}

function excludedLabels(value: Json): readonly LabelRequirement[] | null {
  const found = at(value, 'excludeDaemonSets.byLabel');
  if (!isObject(found) || Object.keys(found).length === 0) return null;
  return readSelector(new Fields({ byLabel: found }, '', ['byLabel']), 'byLabel');
}

/** @returns the sentences about what cannot be read, when there are some */
export function readVigil(value: JsonObject): VigilConfig | readonly string[] {
  const fields = new Fields(value, '', KNOWN);
  const key = fields.text('taintKey', DEFAULT_KEY);
  const effect = fields.text('taintEffect', 'NoSchedule');
  const given = new Fields({ taint: { key, effect } }, '', ['taint']);
  const taint = readTaint(given, 'taint');
  const seconds = fields.number('timeoutSeconds', TIMEOUT_SECONDS, 1, TIMEOUT_SECONDS_MAX);
  const config = {
    timeoutMs: seconds * 1000,
    isDryRun: fields.flag('dryRun'),
    startupTaintKeys: fields.texts('knownStartupTaintKeys'),
    excludedNames: listAt(value, 'excludeDaemonSets.byName').flatMap(excludedName),
    excludedLabels: excludedLabels(value),
  };
  const whys = [...fields.whys(), ...given.whys()];
  return taint === null || whys.length > 0 ? whys : { ...config, taint };
}

function nameOf(daemonSet: JsonObject): ObjectName {
  return {
    namespace: textAt(daemonSet, 'metadata.namespace') ?? 'default',
    name: textAt(daemonSet, 'metadata.name') ?? '',
  };
}

/** True for a DaemonSet that vigil does not wait for. */
export function isExcluded(config: VigilConfig, daemonSet: JsonObject): boolean {
  const { namespace, name } = nameOf(daemonSet);
  const { excludedNames, excludedLabels: labels } = config;
  if ([name, `${namespace}/${name}`].some((one) => excludedNames.includes(one))) return true;
  return labels !== null && hasLabels(labels, textsAt(daemonSet, 'metadata.labels'));
}

/** What vigil asks of nodes on which this DaemonSet would be placed. */
export function vigilPolicy(config: VigilConfig, daemonSet: JsonObject): GatePolicy {
  const placedBy = nameOf(daemonSet);
  return {
    source: {
      kind: 'NodeGate',
      name: `${placedBy.namespace}/${placedBy.name}`,
      uid: null,
      generation: null,
    },
    createdMs: null,
    selects: { requirements: [], placedBy },
    taint: config.taint,
    needs: { all: [{ kind: 'daemonset', ...placedBy }] },
    dwellMs: 0,
    freshnessMs: null,
    mode: 'bootstrap-only',
    regressTaint: null,
    regressAfterMs: 0,
    blastShareMax: 1,
    expiryMs: config.timeoutMs,
    isDryRun: config.isDryRun,
    isBoundToBoot: true,
    openingMarks: [],
    completedBy: [],
    refusedWhy: null,
  };
}
