import { at, isObject, type Json, type JsonObject, textAt } from '../../evidence/json.ts';
import type { Change, Doubt } from '../../evidence/planned.ts';
import { contentsOf } from '../terraform/contents.ts';
import { NO_MODULE, RESOURCES_MAX } from '../terraform/module.ts';
import type { PlanRead } from '../terraform/plan.ts';
import type { Resource } from '../terraform/resource.ts';
import type { ChangeSet } from './change-set.ts';
import { attributesOf } from './fields.ts';
import { type Given, scalarText } from './given.ts';
import { evaluate, isMet, parameterAddress, type Scope } from './intrinsics.ts';
import { type Part, partsOf } from './parts.ts';
import { PARTS, TABLES, type TypeTable } from './tables.ts';

const BY = 'CloudFormation template';

/** What AWS gives every resource, which nobody knows before. */
const CHOSEN_ALWAYS = ['arn', 'id', 'name', 'node_group_name'];

/** True for a document that CloudFormation would take as a template. */
export function isTemplate(document: Json): boolean {
  const resources = at(document, 'Resources');
  return (
    isObject(resources) &&
    Object.values(resources).some((one) =>
      /^(?:AWS|Custom|Alexa)::/.test(textAt(one, 'Type') ?? ''),
    )
  );
}

/**
 * Reads a template as a plan that makes all of its resources. Values that only the stack will know
 * are unknown, as those that Terraform knows after apply.
 *
 * @param locator what the document is called in evidence
 * @param given values of parameters, before their defaults
 * @param changeSet what becomes of the resources of a stack that exists
 */
export function readTemplate(
  document: Json,
  locator: string,
  given: Readonly<Record<string, string>> = {},
  changeSet: ChangeSet | null = null,
): PlanRead {
  const written = at(document, 'Resources');
  if (!isObject(document) || !isObject(written)) return { ok: false, why: 'it has no Resources' };
  if (Object.keys(written).some((name) => name.startsWith('Fn::')))
    return {
      ok: false,
      why: 'it makes resources by a macro; print the template with them: aws cloudformation get-template --template-stage Processed',
    };
  const entries = Object.entries(written);
  if (entries.length > RESOURCES_MAX)
    return { ok: false, why: `it has more than ${RESOURCES_MAX} resources` };
  const shown = withoutHidden(document, changeSet);
  const scope = scopeOf(shown, written, { ...changeSet?.parameters, ...given });
  const present = entries.filter(([, one]) => isPresent(scope, one));
  const resources = [
    ...parametersOf(scope),
    ...present.flatMap(([id, one]) =>
      resourcesOf(scope, id, one).map((made) => ({ ...made, change: changeIn(changeSet, id) })),
    ),
  ];
  const doubts = [
    ...present.flatMap(([id, one]) => doubtsOf(id, one)),
    ...removedDoubts(changeSet),
  ];
  return {
    ok: true,
    contents: contentsOf(resources, {
      locator,
      by: BY,
      doubts,
      isRemoving: isRemoving(changeSet),
      canWriteMaps: false,
    }),
  };
}

/** Without a change set all of a template is made; with one, what it does not name stays. */
function changeIn(changeSet: ChangeSet | null, id: string): Change {
  return changeSet === null ? 'create' : (changeSet.changes.get(id) ?? 'keep');
}

function isRemoving(changeSet: ChangeSet | null): boolean {
  return [...(changeSet?.removed.values() ?? [])].some((type) => Object.hasOwn(TABLES, type));
}

/** Whom an entry let in that goes away is known to nobody who sees what is left. */
function removedDoubts(changeSet: ChangeSet | null): readonly Doubt[] {
  return [...(changeSet?.removed ?? [])]
    .filter(([, type]) => type === 'AWS::EKS::AccessEntry')
    .map(([id]) => ({
      kind: 'aws/access-entry',
      address: id,
      what: `what lets the node role in once ${id} is removed`,
    }));
}

/** Parameters whose values CloudFormation hides have no defaults that would say anything. */
function withoutHidden(document: JsonObject, changeSet: ChangeSet | null): JsonObject {
  const declared = at(document, 'Parameters');
  if (changeSet === null || changeSet.hidden.size === 0 || !isObject(declared)) return document;
  const parameters = Object.entries(declared).map(([name, one]) =>
    changeSet.hidden.has(name) ? [name, { Type: textAt(one, 'Type') ?? 'String' }] : [name, one],
  );
  return { ...document, Parameters: Object.fromEntries(parameters) as JsonObject };
}

function scopeOf(
  document: JsonObject,
  resources: JsonObject,
  given: Readonly<Record<string, string>>,
): Scope {
  const parameters = at(document, 'Parameters');
  return {
    parameters: isObject(parameters) ? parameters : {},
    mappings: at(document, 'Mappings') ?? null,
    conditions: at(document, 'Conditions') ?? null,
    given,
    addressOf: (id) => {
      const type = Object.hasOwn(resources, id) ? textAt(resources[id], 'Type') : null;
      if (type === null) return null;
      return Object.hasOwn(TABLES, type) ? addressOf(TABLES[type]?.type ?? '', id) : null;
    },
  };
}

function addressOf(type: string, id: string): string {
  return `${type}.${id}`;
}

/** What only a known condition leaves out. */
function isPresent(scope: Scope, resource: Json): boolean {
  const condition = textAt(resource, 'Condition');
  return condition === null || isMet(scope, condition) !== false;
}

function resourcesOf(scope: Scope, id: string, written: Json): readonly Resource[] {
  const type = textAt(written, 'Type') ?? '';
  const properties = propertiesOf(written, type);
  const table = Object.hasOwn(TABLES, type) ? TABLES[type] : undefined;
  const own: readonly Part[] =
    table === undefined
      ? []
      : [{ table, suffix: '', properties: withClusterKeys(scope, properties) }];
  return [...own, ...partsOf(type, id, properties)].map((part) => resourceOf(scope, id, part));
}

/** The data of a launch template lie one level further inside. */
function propertiesOf(written: Json, type: string): JsonObject {
  const properties = at(written, 'Properties');
  if (!isObject(properties)) return {};
  const inner = type === 'AWS::EC2::LaunchTemplate' ? properties['LaunchTemplateData'] : undefined;
  return isObject(inner) ? { ...properties, ...inner } : properties;
}

const CLUSTER_KEY = /^kubernetes\.io\/cluster\/\$\{(\w{1,255})\}$/;

/** The tag that makes a group one of a cluster, whose name only the stack may know. */
function withClusterKey(scope: Scope, tag: Json): Json {
  const [, name] = CLUSTER_KEY.exec(textAt(at(tag, 'Key'), 'Fn::Sub') ?? '') ?? [];
  if (name === undefined || !isObject(tag)) return tag;
  const { value, unknown } = evaluate(scope, { Ref: name });
  const cluster = unknown === false ? value : (scope.addressOf(name) ?? name);
  return { ...tag, Key: `kubernetes.io/cluster/${scalarText(cluster)}` };
}

function withClusterKeys(scope: Scope, properties: JsonObject): JsonObject {
  if (!Array.isArray(properties['Tags'])) return properties;
  const tags = properties['Tags'] as readonly Json[];
  return { ...properties, Tags: tags.map((tag) => withClusterKey(scope, tag)) };
}

function resourceOf(scope: Scope, id: string, { table, suffix, properties }: Part): Resource {
  const given = Object.entries(properties).map(([name, one]): readonly [string, Given] => [
    name,
    evaluate(scope, one),
  ]);
  const { values, unknown, expressions } = attributesOf(table.fields, given);
  const chosen = [...CHOSEN_ALWAYS, ...(table.chosen ?? [])].filter(
    (name) => !Object.hasOwn(values, name),
  );
  return {
    address: `${addressOf(table.type, id)}${suffix}`,
    type: table.type,
    isLookedUp: false,
    index: '',
    module: NO_MODULE,
    values: { ...table.defaults, ...values },
    unknown: { ...unknown, ...Object.fromEntries(chosen.map((name) => [name, true])) },
    change: 'create',
    configuration: { expressions },
  };
}

/** Parameters whose values SSM has, as what a plan looks up. */
function parametersOf(scope: Scope): readonly Resource[] {
  return Object.entries(scope.parameters).flatMap(([name, declared]) => {
    const type = textAt(declared, 'Type') ?? '';
    const path = scope.given[name] ?? textAt(declared, 'Default');
    const table: TypeTable | undefined = PARTS['Parameter'];
    if (!type.startsWith('AWS::SSM::') || path === null || table === undefined) return [];
    const made = resourceOf(scope, name, { table, suffix: '', properties: { Name: path } });
    return [{ ...made, address: parameterAddress(name), isLookedUp: true }];
  });
}

/** Programs of somebody's own and other stacks may let roles in too. */
const OTHERS =
  /^(?:Custom::|AWS::CloudFormation::(?:CustomResource|Stack|Macro)$|AWSQS::|AWS::Serverless::Application$)/;

function doubtsOf(id: string, resource: Json): readonly Doubt[] {
  const type = textAt(resource, 'Type') ?? '';
  if (!OTHERS.test(type)) return [];
  const what = `whom ${id} (${type}) lets into the cluster`;
  return [
    { kind: 'kube/aws-auth', address: id, what },
    { kind: 'aws/access-entry', address: id, what },
    { kind: 'aws/attached-policies', address: id, what: `what ${id} (${type}) attaches` },
  ];
}
