/** The features of an installation that have rights of their own, and every combination of them. */
import { isObject, type JsonObject, listAt, textAt } from '../../src/evidence/json.ts';
import { type Case, installed, type Objects } from './chart-cases.ts';

export type Part = 'controller' | 'gate' | 'agent';

/** One switch of a part, with each of its positions. */
export interface Feature {
  readonly part: Part;
  /** As people set it: `gate.evictSlipIns`. */
  readonly value: string;
  readonly positions: readonly { readonly text: string; readonly set: JsonObject }[];
}

function flag(part: Part, field: string): Feature {
  const positions = [true, false].map((on) => ({ text: String(on), set: { [field]: on } }));
  return { part, value: `${part}.${field}`, positions };
}

function choice(part: Part, field: string, words: readonly string[]): Feature {
  const positions = words.map((word) => ({ text: word || "''", set: { [field]: word } }));
  return { part, value: `${part}.${field}`, positions };
}

const DRIVERS = ['ebs.csi.aws.com'];

/** A probe beside one that has no rights. */
function probe(name: string): Feature {
  const positions = [true, false].map((on) => ({
    text: on ? 'on' : 'off',
    set: { probes: on ? [name] : [] },
  }));
  return { part: 'agent', value: `agent.probes: ${name}`, positions };
}

export const FEATURES: readonly Feature[] = [
  flag('controller', 'reports'),
  flag('controller', 'events'),
  choice('controller', 'auth', ['', 'report', 'restore']),
  choice('controller', 'eniJanitor', ['', 'delete']),
  flag('gate', 'nodeReadinessRules'),
  flag('gate', 'evictSlipIns'),
  flag('gate', 'taintAtCreate'),
  probe('api-server'),
  probe('pod-network'),
  probe('csi'),
];

function merged(sets: readonly JsonObject[], part: Part): JsonObject {
  const all: JsonObject = Object.assign({}, ...sets) as JsonObject;
  if (part !== 'agent') return all;
  const probes = sets.flatMap((set) => listAt(set, 'probes'));
  return { csiDrivers: DRIVERS, probes: ['dns', ...probes] };
}

const PARTS: readonly Part[] = ['controller', 'gate', 'agent'];

/** A part alone, with some positions of its features. */
export function alone(part: Part, sets: readonly JsonObject[]): JsonObject {
  const off = PARTS.filter((one) => one !== part).map((one) => [one, { enabled: false }]);
  return { ...Object.fromEntries(off), [part]: merged(sets, part) } as JsonObject;
}

/** Every combination of the features of a part. */
export function featureCases(part: Part): readonly Case[] {
  let all: readonly { readonly title: string; readonly sets: readonly JsonObject[] }[] = [
    { title: '', sets: [] },
  ];
  for (const { value, positions } of FEATURES.filter((one) => one.part === part)) {
    const short = value.replace(`${part}.`, '').replace('probes: ', '');
    all = all.flatMap(({ title, sets }) =>
      positions.map(({ text, set }) => ({
        title: `${title} ${short}=${text}`.trim(),
        sets: [...sets, set],
      })),
    );
  }
  return all.map(({ title, sets }) => ({ title, values: alone(part, sets) }));
}

interface Bound {
  readonly role: string;
  /** null in the whole cluster. */
  readonly namespace: string | null;
}

function bindingsOf(objects: Objects, account: string): readonly Bound[] {
  return [...objects.values()]
    .filter((one) => textAt(one, 'kind')?.endsWith('RoleBinding') === true)
    .filter((one) => listAt(one, 'subjects').some((who) => textAt(who, 'name') === account))
    .map((one) => ({
      role: `${textAt(one, 'roleRef.kind')} ${textAt(one, 'metadata.namespace') ?? ''} ${textAt(one, 'roleRef.name')}`,
      namespace: textAt(one, 'metadata.namespace'),
    }));
}

function rightsIn(rule: unknown): readonly string[] {
  if (!isObject(rule as JsonObject)) return [];
  const texts = (field: string): readonly string[] => listAt(rule as JsonObject, field).map(String);
  return texts('apiGroups').flatMap((group) =>
    texts('resources').flatMap((resource) =>
      texts('verbs').map((verb) => `${verb} ${resource}${group === '' ? '' : `.${group}`}`),
    ),
  );
}

/** What the roles of an installation give an account, in each namespace and everywhere. */
export function rightsGiven(one: Case, account: string): ReadonlyMap<string, readonly string[]> {
  const objects = installed(one);
  const all = new Map<string, readonly string[]>();
  for (const { role, namespace } of bindingsOf(objects, account)) {
    const key = namespace ?? '';
    const rules = listAt(objects.get(role) ?? {}, 'rules').flatMap(rightsIn);
    all.set(key, [...new Set([...(all.get(key) ?? []), ...rules])].toSorted());
  }
  return all;
}

/** All that the roles of an installation give an account, with the namespace where it is one. */
function rightTexts(values: JsonObject, account: string): ReadonlySet<string> {
  const given = rightsGiven({ title: '', values }, account);
  return new Set(
    [...given].flatMap(([namespace, rights]) =>
      rights.map((right) => (namespace === '' ? right : `${right} in ${namespace}`)),
    ),
  );
}

/** `get nodes, patch nodes` as `get, patch nodes` */
function shortened(rights: readonly string[]): string {
  const byObject = Map.groupBy(rights, (right) => right.slice(right.indexOf(' ') + 1));
  const texts = [...byObject].map(([object, all]) => {
    const verbs = all.map((right) => right.slice(0, right.indexOf(' ')));
    return `\`${verbs.join(', ')} ${object}\``;
  });
  return texts.length === 0 ? 'none' : texts.join(', ');
}

/** Each position of each feature, and the rights that it adds to a part without any feature. */
export function featuresTable(): string {
  const rows = FEATURES.flatMap(({ part, value, positions }) => {
    const account = `rollcall-${part}`;
    const least = FEATURES.filter((one) => one.part === part).map(
      (one) => one.positions.find(({ text }) => /^(?:false|off|'')$/.test(text))?.set ?? {},
    );
    const base = rightTexts(alone(part, least), account);
    return positions
      .filter(({ text }) => !/^(?:false|off|'')$/.test(text))
      .map(({ text, set }) => {
        const rights = rightTexts(alone(part, [...least, set]), account);
        const added = [...rights].filter((one) => !base.has(one));
        return `| \`${value}\` | ${text} | ${shortened(added)} |`;
      });
  });
  return ['| value | set to | rights it adds |', '|---|---|---|', ...rows].join('\n');
}
