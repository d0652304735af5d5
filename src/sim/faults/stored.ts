import { at, isObject, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import type { RandomStream } from '../kernel/random.ts';
import type { KubeObject } from '../kube/contract.ts';
import type { Effect, Fault } from './contract.ts';
import { MINUTE_MS, onMember, patchNode, truthOf } from './shapes.ts';

/** One bit of one character is another. */
function flipped(text: string, random: RandomStream): string {
  const letters = [...text.matchAll(/[a-z]/g)].map(({ index }) => index);
  if (letters.length === 0) return text;
  const place = random.pick(letters);
  const code = text.charCodeAt(place);
  const other = String.fromCharCode(code === 97 ? code + 1 : code - 1);
  return `${text.slice(0, place)}${other}${text.slice(place + 1)}`;
}

/** A field of a Node that can be corrupted. */
interface Field {
  readonly what: string;
  readonly causes: readonly string[];
  readonly shows: readonly Effect[];
  /** null where the Node has no such field. */
  readonly read: (node: KubeObject) => string | null;
  /** The same Node where it does not have the one before. */
  readonly write: (node: KubeObject, before: string, after: string) => KubeObject;
}

const ZONE = 'topology.kubernetes.io/zone';

function labelsOf(node: KubeObject): JsonObject {
  const labels = at(node, 'metadata.labels');
  return isObject(labels) ? labels : {};
}

function merged(node: KubeObject, part: 'metadata' | 'spec', change: JsonObject): KubeObject {
  const before = node[part];
  return { ...node, [part]: { ...(isObject(before) ? before : {}), ...change } };
}

const FIELDS: readonly Field[] = [
  {
    what: 'the key of its label of the zone',
    causes: ['topology-labels-missing'],
    shows: [],
    read: (node) => (labelsOf(node)[ZONE] === undefined ? null : ZONE),
    write(node, before, after) {
      const { [before]: value, ...others } = labelsOf(node);
      if (value === undefined) return node;
      return merged(node, 'metadata', { labels: { ...others, [after]: value } });
    },
  },
  {
    what: 'its providerID',
    causes: ['provider-id-missing-or-malformed'],
    shows: ['deleted'],
    read: (node) => textAt(node, 'spec.providerID'),
    write: (node, before, after) =>
      textAt(node, 'spec.providerID') === before
        ? merged(node, 'spec', { providerID: after })
        : node,
  },
  {
    what: 'the key of a taint',
    causes: ['startup-taint-not-removed', 'cordon-or-deliberate-taint'],
    shows: ['tainted'],
    read: (node) => textAt(listAt(node, 'spec.taints')[0], 'key'),
    write(node, before, after) {
      const taints = listAt(node, 'spec.taints');
      if (!taints.some((one) => textAt(one, 'key') === before)) return node;
      const changed = taints.map((one) =>
        isObject(one) && one['key'] === before ? { ...one, key: after } : one,
      );
      return merged(node, 'spec', { taints: changed });
    },
  },
];

/** A bit of a stored object is another one, which no rule of the API server sees. */
const corrupted = onMember(
  { id: 'F14', perHour: 0.7, lastsMs: 10 * MINUTE_MS },
  ({ simulated, people }, { machine, name }, random) => {
    const node = people.get('Node', name);
    const { what, causes, shows, read, write } = random.pick(FIELDS);
    const before = node === null ? null : read(node);
    if (before === null) return null;
    const after = flipped(before, random);
    const overwrite = (from: string, to: string): void =>
      simulated.api.overwrite('Node', name, (one) => write(one, from, to));
    overwrite(before, after);
    return {
      what: `${name}: ${what} is corrupted, ${before} is ${after}`,
      truths: [truthOf(machine, causes, shows)],
      undo: () => {
        overwrite(after, before);
        if (people.get('Node', name) === null) machine.restartKubelet();
      },
    };
  },
);

/** Of annotations of one object, keys and values together (apimachinery, ValidateAnnotations). */
const ANNOTATION_BYTES = 256 * 1024;
const FILLER = 'example.com/filler';

/** Somebody's annotations leave no room for another one. */
const full = onMember({ id: 'F15', perHour: 0.7, lastsMs: 10 * MINUTE_MS }, (stage, { name }) => {
  const annotations = at(stage.people.get('Node', name), 'metadata.annotations');
  const others = isObject(annotations) ? Object.entries(annotations) : [];
  const used = others.reduce(
    (sum, [key, value]) => sum + key.length + (typeof value === 'string' ? value.length : 0),
    0,
  );
  const left = ANNOTATION_BYTES - used - FILLER.length;
  if (left <= 0) return null;
  const fill = (value: string | null): void =>
    patchNode(stage, name, { metadata: { annotations: { [FILLER]: value } } });
  fill('x'.repeat(left));
  return {
    what: `${name}: its annotations are as large as they may be`,
    truths: [],
    undo: () => fill(null),
  };
});

/** Faults of what is stored. */
export const STORED_FAULTS: readonly Fault[] = [corrupted, full];
