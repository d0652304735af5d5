import { at, isObject, type Json, type JsonObject, listAt } from '../../evidence/json.ts';
import { itemsOf } from './fields.ts';
import { PARTS, TABLES, type TypeTable } from './tables.ts';

/** A resource of its own in Terraform that CloudFormation writes inside of another. */
export interface Part {
  readonly table: TypeTable;
  /** What its address has behind the logical id. */
  readonly suffix: string;
  readonly properties: JsonObject;
}

type Split = (id: string, properties: JsonObject) => readonly Part[];

function part(name: keyof typeof PARTS, suffix: string, properties: JsonObject): readonly Part[] {
  const table = PARTS[name] ?? TABLES[name];
  return table === undefined ? [] : [{ table, suffix, properties }];
}

function merged(item: Json, more: JsonObject): JsonObject {
  return isObject(item) ? { ...item, ...more } : more;
}

const RULES = [
  ['SecurityGroupIngress', 'AWS::EC2::SecurityGroupIngress'],
  ['SecurityGroupEgress', 'AWS::EC2::SecurityGroupEgress'],
] as const;

/** A rule of which only the stack will know what it lets pass. */
const ANY_RULE = { IpProtocol: '-1', CidrIp: { Ref: 'unknown' } };
/** Of EC2: everything may leave a group that says nothing of it. */
const DEFAULT_EGRESS = { IpProtocol: '-1', CidrIp: '0.0.0.0/0' };

function rulesOf(id: string, properties: JsonObject): readonly Part[] {
  return RULES.flatMap(([name, type]) => {
    const written = properties[name];
    const isByDefault = name === 'SecurityGroupEgress' && written === undefined;
    const isOpen = written !== undefined && !Array.isArray(written);
    const rules = isByDefault ? [DEFAULT_EGRESS] : isOpen ? [ANY_RULE] : itemsOf(properties, name);
    return rules.flatMap((rule, index) =>
      part(type, `.${name}[${index}]`, merged(rule, { GroupId: { Ref: id } })),
    );
  });
}

function policiesOfRole(id: string, properties: JsonObject): readonly Part[] {
  const own = { Role: { Ref: id } };
  const arns = properties['ManagedPolicyArns'];
  const isOpen = arns !== undefined && !Array.isArray(arns);
  const attached = isOpen ? [arns] : itemsOf(properties, 'ManagedPolicyArns');
  return [
    ...attached.flatMap((PolicyArn, index) =>
      part('Attachment', `.ManagedPolicyArns[${index}]`, { PolicyArn, ...own }),
    ),
    ...itemsOf(properties, 'Policies').flatMap((policy, index) =>
      part('InlinePolicy', `.Policies[${index}]`, merged(policy, own)),
    ),
  ];
}

/** A policy names the roles that have it. */
function rolesOfPolicy(id: string, properties: JsonObject): readonly Part[] {
  const { PolicyName = null, PolicyDocument = null } = properties;
  return itemsOf(properties, 'Roles').flatMap((Role, index) =>
    part('InlinePolicy', `.Roles[${index}]`, {
      PolicyName: PolicyName ?? id,
      PolicyDocument,
      Role,
    }),
  );
}

const SPLITS: Readonly<Record<string, Split>> = {
  'AWS::EC2::SecurityGroup': rulesOf,
  'AWS::EKS::AccessEntry': (_id, properties) =>
    listAt(properties, 'AccessPolicies').flatMap((policy, index) =>
      part(
        'AccessPolicy',
        `.AccessPolicies[${index}]`,
        merged(policy, {
          ClusterName: at(properties, 'ClusterName') ?? null,
          PrincipalArn: at(properties, 'PrincipalArn') ?? null,
        }),
      ),
    ),
  'AWS::IAM::ManagedPolicy': (id, properties) =>
    itemsOf(properties, 'Roles').flatMap((Role, index) =>
      part('Attachment', `.Roles[${index}]`, { PolicyArn: { Ref: id }, Role }),
    ),
  'AWS::IAM::Policy': rolesOfPolicy,
  'AWS::IAM::Role': policiesOfRole,
  'AWS::IAM::RolePolicy': (_id, properties) => {
    const { PolicyName = null, PolicyDocument = null, RoleName: Role = null } = properties;
    return part('InlinePolicy', '.PolicyDocument', { PolicyName, PolicyDocument, Role });
  },
};

/** What a resource holds that Terraform has as resources of their own. */
export function partsOf(type: string, id: string, properties: JsonObject): readonly Part[] {
  return Object.hasOwn(SPLITS, type) ? (SPLITS[type]?.(id, properties) ?? []) : [];
}
