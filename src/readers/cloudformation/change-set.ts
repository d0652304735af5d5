import { at, isObject, type Json, listAt, textAt } from '../../evidence/json.ts';
import type { Change } from '../../evidence/planned.ts';

/** What `aws cloudformation describe-change-set` says that a stack's resources will undergo. */
export interface ChangeSet {
  readonly locator: string;
  readonly stack: string | null;
  readonly name: string | null;
  /** By logical id; what is not here stays as it is. */
  readonly changes: ReadonlyMap<string, Change>;
  /** Logical ids of resources that go away, with their types. */
  readonly removed: ReadonlyMap<string, string>;
  readonly parameters: Readonly<Record<string, string>>;
  /** Names of parameters whose values CloudFormation hides; their defaults say nothing. */
  readonly hidden: ReadonlySet<string>;
}

/** True for the answer of DescribeChangeSet. */
export function isChangeSet(document: Json): boolean {
  return (
    Array.isArray(at(document, 'Changes')) &&
    (textAt(document, 'ChangeSetName') ?? textAt(document, 'ChangeSetId')) !== null
  );
}

/** Reads a change set; null where the answer has further pages, so that it is not whole. */
export function readChangeSet(document: Json, locator: string): ChangeSet | null {
  if (textAt(document, 'NextToken') !== null) return null;
  const listed = listAt(document, 'Changes')
    .map((one) => at(one, 'ResourceChange'))
    .filter(isObject)
    .map((one) => ({ one, id: textAt(one, 'LogicalResourceId') ?? '' }));
  const isGone = (one: Json): boolean => textAt(one, 'Action') === 'Remove';
  return {
    locator,
    stack: textAt(document, 'StackName'),
    name: textAt(document, 'ChangeSetName'),
    changes: new Map(
      listed.filter(({ one }) => !isGone(one)).map(({ one, id }) => [id, changeOf(one)]),
    ),
    removed: new Map(
      listed
        .filter(({ one }) => isGone(one))
        .map(({ one, id }) => [id, textAt(one, 'ResourceType') ?? '']),
    ),
    ...parametersOf(document),
  };
}

function changeOf(change: Json): Change {
  const action = textAt(change, 'Action');
  if (action === 'Add' || textAt(change, 'Replacement') === 'True') return 'create';
  if (action === 'Import') return 'keep';
  const scope = listAt(change, 'Scope');
  return scope.length > 0 && scope.every((part) => part === 'Tags') ? 'keep' : 'change';
}

/** Values that the stack will have, and the names of those that CloudFormation hides. */
function parametersOf(document: Json): Pick<ChangeSet, 'parameters' | 'hidden'> {
  const pairs = listAt(document, 'Parameters').flatMap((one) => {
    const [name, value] = [textAt(one, 'ParameterKey'), textAt(one, 'ParameterValue')];
    return name === null ? [] : [[name, value ?? '****'] as const];
  });
  const isHidden = (value: string): boolean => /^\*+$/.test(value);
  return {
    parameters: Object.fromEntries(pairs.filter(([, value]) => !isHidden(value))),
    hidden: new Set(pairs.filter(([, value]) => isHidden(value)).map(([name]) => name)),
  };
}

/** The change set of a template: the one whose resources are all in it, but those that go away. */
export function changeSetOf(sets: readonly ChangeSet[], template: Json): ChangeSet | null {
  const resources = at(template, 'Resources');
  const isThere = (id: string): boolean => isObject(resources) && Object.hasOwn(resources, id);
  return (
    sets.find(
      ({ changes, removed }) =>
        changes.size + removed.size > 0 && [...changes.keys()].every(isThere),
    ) ?? null
  );
}
