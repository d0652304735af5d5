/** Answers as XML, member by member as the model has them. */
import { isObject, type Json, type JsonObject } from '../../evidence/json.ts';
import type { Member, Operation, Shape } from './schema.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** What XML 1.0 cannot hold at all, as consoles write it, is left out. */
// oxlint-disable-next-line no-control-regex
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

export function escaped(text: string): string {
  return text
    .replaceAll(FORBIDDEN, '')
    .replaceAll(/[&<>"']/g, (one) => ESCAPES[one] ?? one)
    .replaceAll('\r', '&#xD;');
}

function element(name: string, content: string): string {
  return content === '' ? `<${name}/>` : `<${name}>${content}</${name}>`;
}

/** The members of a structure, in the order of the model. */
export function membersXml(shape: Shape, value: Json | undefined): string {
  if (shape.kind !== 'structure' || !isObject(value)) return '';
  return shape.members.map((member) => memberXml(member, value[member.name])).join('');
}

function memberXml(member: Member, value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  const name = member.traits.xmlName ?? member.name;
  const shape = member.shape();
  if (shape.kind === 'list' && member.traits.isFlattened)
    return itemsOf(value)
      .map((one) => element(name, valueXml(shape.item.shape(), one)))
      .join('');
  return element(name, valueXml(shape, value));
}

function itemsOf(value: Json): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

function valueXml(shape: Shape, value: Json): string {
  switch (shape.kind) {
    case 'structure':
      return membersXml(shape, value);
    case 'list': {
      const name = shape.item.traits.xmlName ?? 'member';
      return itemsOf(value)
        .map((one) => element(name, valueXml(shape.item.shape(), one)))
        .join('');
    }
    case 'map':
      return mapXml(shape, value);
    default:
      return scalarXml(value);
  }
}

/** Policies are sent as URL-encoded JSON (IAM API reference). */
function scalarXml(value: Json): string {
  if (typeof value === 'object')
    return isObject(value) ? escaped(encodeURIComponent(JSON.stringify(value))) : '';
  return escaped(String(value));
}

function mapXml(shape: Extract<Shape, { readonly kind: 'map' }>, value: Json): string {
  if (!isObject(value)) return '';
  const [keyName, valueName] = [
    shape.key.traits.xmlName ?? 'key',
    shape.value.traits.xmlName ?? 'value',
  ];
  return Object.entries(value)
    .map(([key, one]) => {
      const content =
        element(keyName, escaped(key)) + element(valueName, valueXml(shape.value.shape(), one));
      return element('entry', content);
    })
    .join('');
}

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n';

export function ec2Xml(
  { name, output }: Operation,
  namespace: string,
  value: JsonObject,
  requestId: string,
): string {
  const isEmpty = output.kind === 'structure' && output.members.length === 0;
  const content = isEmpty ? '<return>true</return>' : membersXml(output, value);
  return `${HEAD}<${name}Response xmlns="${namespace}"><requestId>${requestId}</requestId>${content}</${name}Response>`;
}

export function queryXml(
  { name, output }: Operation,
  namespace: string,
  value: JsonObject,
  requestId: string,
): string {
  const result = element(`${name}Result`, membersXml(output, value));
  const metadata = `<ResponseMetadata><RequestId>${requestId}</RequestId></ResponseMetadata>`;
  return `${HEAD}<${name}Response xmlns="${namespace}">${result}${metadata}</${name}Response>`;
}

export function restXml({ name, output }: Operation, namespace: string, value: JsonObject): string {
  return `${HEAD}<${name}Response xmlns="${namespace}">${membersXml(output, value)}</${name}Response>`;
}
