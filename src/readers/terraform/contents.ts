import { AWS_SHAPES } from '../../evidence/aws/shapes.ts';
import { KUBE_SHAPES } from '../../evidence/kube/shapes.ts';
import { at, type JsonObject, textAt } from '../../evidence/json.ts';
import type { FactKind, FactTypes } from '../../evidence/kinds.ts';
import type { Doubt, PlanContents, Planned } from '../../evidence/planned.ts';
import { projectFact } from '../../evidence/project.ts';
import { readUserData } from '../aws/user-data.ts';
import { kubeadmInUserData } from '../kubeadm/user-data.ts';
import { awsAuthOf, isAwsAuth } from './config-map.ts';
import type { Answer, Made, Plan } from './made.ts';
import { madeOf } from './makers.ts';
import { directoryOf } from './references.ts';
import { type Resource, textOf } from './resource.ts';

/** Where resources were read, and what is known of them as a whole. */
export interface Source {
  readonly locator: string;
  /** What wrote it, as evidence names it. */
  readonly by: string;
  /** Beside those that its resources leave. */
  readonly doubts: readonly Doubt[];
  /** True where something that nodes depend on goes away. */
  readonly isRemoving: boolean;
  /** True where it could write the ConfigMap aws-auth. */
  readonly canWriteMaps: boolean;
}

/** What resources come to once they are made. */
export function contentsOf(resources: readonly Resource[], source: Source): PlanContents {
  const { locator, by, canWriteMaps } = source;
  const directory = directoryOf(resources);
  const managed = resources.filter(({ isLookedUp }) => !isLookedUp);
  const plan: Plan = { directory, byType: Map.groupBy(managed, ({ type }) => type) };
  const facts: Planned[] = [];
  const doubts: Doubt[] = [];
  for (const resource of resources) {
    const place = { address: resource.address, locator: `${locator}#${resource.address}`, by };
    for (const made of madeOf(plan, resource)) {
      if ('doubt' in made) doubts.push({ kind: made.doubt, what: made.what, ...place });
      else if ('object' in made) addObject(facts, resource, made, place);
      else addFact(facts, resource, made, place);
    }
    addTexts(plan, resource, { facts, doubts, place });
  }
  doubts.push(...source.doubts);
  const isChanging = source.isRemoving || facts.some(({ change }) => change !== 'keep');
  return { facts, doubts, resourceCount: managed.length, isChanging, canWriteMaps };
}

interface Place {
  readonly address: string;
  readonly locator: string;
  readonly by: string;
}

function planned<K extends FactKind>(
  kind: K,
  value: FactTypes[K],
  { change }: Resource,
  place: Place,
): Planned {
  return { state: 'seen', kind, value, change, ...place };
}

function addFact(
  facts: Planned[],
  resource: Resource,
  { kind, answer }: Extract<Made, { readonly answer: Answer }>,
  place: Place,
): void {
  const known = Object.entries(answer).filter(([, value]) => value !== undefined);
  const projected = projectFact(AWS_SHAPES[kind], Object.fromEntries(known) as JsonObject);
  if (projected === null) return;
  facts.push(planned(kind, withoutUnknown(projected.value, answer) as never, resource, place));
}

/** An object that an add-on makes, as the API server would show it. */
function addObject(
  facts: Planned[],
  resource: Resource,
  { object, body }: Extract<Made, { readonly body: JsonObject }>,
  place: Place,
): void {
  const kept = projectFact(KUBE_SHAPES[object], body, false)?.value ?? {};
  const metadata = at(body, 'metadata');
  const named = { name: textAt(metadata, 'name'), namespace: textAt(metadata, 'namespace') };
  facts.push(planned(`kube/${object}`, { ...kept, ...named } as never, resource, place));
}

/** What is known after apply is undefined, where it would be null if it were not set. */
function withoutUnknown(value: object, answer: Answer): object {
  const unknown = Object.entries(answer).filter(([, given]) => given === undefined);
  const gone = new Set(unknown.map(([name]) => name));
  return Object.fromEntries(Object.entries(value).filter(([name]) => !gone.has(name)));
}

/** The mapping of roles, and what a template's user data says of the cluster. */
function addTexts(
  { directory }: Plan,
  resource: Resource,
  { facts, doubts, place }: { facts: Planned[]; doubts: Doubt[]; place: Place },
): void {
  if (isAwsAuth(resource)) {
    const { value, isWhole } = awsAuthOf(directory, resource);
    facts.push(planned('kube/aws-auth', value, resource, place));
    const what = 'which roles aws-auth maps, until the plan is applied';
    if (!isWhole) doubts.push({ kind: 'kube/aws-auth', what, ...place });
  }
  if (resource.type !== 'aws_launch_template') return;
  const userData = textOf(resource, 'user_data');
  if (userData === undefined) return;
  const id = textAt(resource.values, 'id') ?? resource.address;
  facts.push(planned('aws/user-data', readUserData(id, userData), resource, place));
  const kubeadm = kubeadmInUserData(id, userData);
  if (kubeadm !== null) facts.push(planned('kube/kubeadm', kubeadm, resource, place));
}
