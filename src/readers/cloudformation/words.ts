import { attributeName, type Field, type Fields } from './fields.ts';
import type { Dialect } from '../written/dialect.ts';
import { PARTS, TABLES } from './tables.ts';

const ADDRESS =
  /\b(?:data\.)?aws_[a-z0-9_]+\.([A-Za-z0-9]{1,255})((?:\.[A-Z][A-Za-z]*(?:\[\d+\])?)?)(?:\.([a-z_]+))?/g;
const ATTACHMENT = /\ban aws_iam_role_policy_attachment with policy_arn = /g;
const TYPE = /\baws_[a-z0-9_]+\b/g;
const ATTRIBUTE = /\b[a-z]+(?:_[a-z0-9]+)+\b/g;

function typesOf(): ReadonlyMap<string, string> {
  const own = Object.entries(TABLES).map(([name, { type }]) => [type, name] as const);
  return new Map([
    ...own,
    ['aws_iam_role_policy_attachment', 'AWS::IAM::ManagedPolicy'],
    ['aws_security_group_rule', 'AWS::EC2::SecurityGroupIngress'],
  ]);
}

function namesIn(fields: Fields): readonly (readonly [string, string])[] {
  return Object.entries(fields).flatMap(([property, field]) => [
    [attributeName(field), property] as const,
    ...(isBlock(field) ? namesIn(field.block) : []),
  ]);
}

function isBlock(field: Field): field is { readonly as: string; readonly block: Fields } {
  return typeof field !== 'string' && 'block' in field;
}

const OF_TABLES = [...Object.values(TABLES), ...Object.values(PARTS)];
const TYPES = typesOf();
const ATTRIBUTES: ReadonlyMap<string, string> = new Map([
  ...OF_TABLES.flatMap(({ fields }) => namesIn(fields)).toReversed(),
  ['cluster_security_group_id', 'ClusterSecurityGroupId'],
]);

function propertyOf(attribute: string): string {
  const name = ATTRIBUTES.get(attribute);
  return (
    name ?? attribute.replaceAll(/(?:^|_)([a-z])/g, (_all, letter: string) => letter.toUpperCase())
  );
}

/** What is said of a plan of Terraform, in the words of the template that it was made from. */
function inTemplateWords(text: string): string {
  return text
    .replaceAll(ATTACHMENT, 'ManagedPolicyArns with ')
    .replaceAll(ADDRESS, (_all, id: string, part: string, attribute: string | undefined) =>
      attribute === undefined ? `${id}${part}` : `${id}${part}.${propertyOf(attribute)}`,
    )
    .replaceAll(TYPE, (type) => TYPES.get(type) ?? type)
    .replaceAll(ATTRIBUTE, (name) => ATTRIBUTES.get(name) ?? name)
    .replaceAll(/\b(this|the|a) plan\b/g, '$1 template')
    .replaceAll(/\b[Tt]his plan\b/g, 'This template')
    .replaceAll('known after apply', 'known once the stack exists')
    .replaceAll(/until the template is applied/g, 'until the stack exists');
}

const TELL_PARAMETERS = 'rollcall preflight <template> --parameter <name>=<value>';

/** Answers in the words of a template, whose addresses say themselves where they are. */
export const TEMPLATE_DIALECT: Dialect = {
  source: 'cloudformation',
  say: inTemplateWords,
  place: (address) => address,
  // What the stack decides, parameters tell before.
  collect: (command) => (command === 'terraform plan' ? TELL_PARAMETERS : command),
};
