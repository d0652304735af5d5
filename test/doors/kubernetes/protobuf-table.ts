/**
 * Writes src/doors/kubernetes/protobuf/table.generated.ts from the Go types of k8s.io/api:
 * node test/doors/kubernetes/protobuf-table.ts FOLDER_OF_API FOLDER_OF_APIMACHINERY
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

interface GoField {
  readonly json: string;
  readonly number: number;
  readonly code: string;
  readonly isKept: boolean;
}

interface GoPackage {
  /** `core/v1` */
  readonly name: string;
  readonly structs: ReadonlyMap<string, string>;
  readonly named: ReadonlyMap<string, string>;
  readonly imports: ReadonlyMap<string, string>;
}

const PACKAGES = new Map<string, GoPackage>();
const GROUPS = [
  'admissionregistration/v1',
  'apps/v1',
  'authentication/v1',
  'authorization/v1',
  'autoscaling/v1',
  'autoscaling/v2',
  'batch/v1',
  'certificates/v1',
  'coordination/v1',
  'core/v1',
  'discovery/v1',
  'events/v1',
  'networking/v1',
  'node/v1',
  'policy/v1',
  'rbac/v1',
  'scheduling/v1',
  'storage/v1',
];

const SCALARS: Readonly<Record<string, string>> = {
  string: 's',
  bool: 'b',
  int: 'i',
  int32: 'i',
  int64: 'i',
  uint32: 'i',
  uint64: 'i',
  float64: 'n',
  byte: 's',
  'resource.Quantity': 'q',
  'metav1.Time': 't',
  'metav1.MicroTime': 'u',
  'metav1.FieldsV1': 'f',
  'intstr.IntOrString': 'x',
  'runtime.RawExtension': 'r',
  'types.UID': 's',
  'types.NodeName': 's',
  'types.NamespacedName': 's',
};

const BASES: Readonly<Record<string, string>> = {
  'k8s.io/apimachinery/pkg/api/resource': 'resource',
  'k8s.io/apimachinery/pkg/util/intstr': 'intstr',
  'k8s.io/apimachinery/pkg/runtime': 'runtime',
  'k8s.io/apimachinery/pkg/types': 'types',
};

function readPackage(name: string, folder: string): void {
  const files = readdirSync(folder).filter(
    (file) => file.endsWith('.go') && !/^(generated|zz_|.*_test|register)/.test(file),
  );
  const text = files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
  const structs = new Map(
    [...text.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)].map(
      ([, type = '', body = '']) => [type, body] as const,
    ),
  );
  const named = new Map(
    [...text.matchAll(/^type (\w+) =? ?((?!struct|interface|func)\S+)/gm)].map(
      ([, type = '', target = '']) => [type, target] as const,
    ),
  );
  const imports = new Map(
    [...text.matchAll(/^\s+(?:(\w+) )?"(k8s\.io\/[^"]+)"/gm)].map(
      ([, alias, path = '']) => [alias ?? path.split('/').at(-1) ?? '', path] as const,
    ),
  );
  PACKAGES.set(name, { name, structs, named, imports });
}

function packageOf(path: string): string | null {
  if (path === 'k8s.io/apimachinery/pkg/apis/meta/v1') return 'meta/v1';
  const api = /^k8s\.io\/api\/(.+)$/.exec(path)?.[1];
  return api !== undefined && PACKAGES.has(api) ? api : null;
}

const WANTED = new Map<string, readonly GoField[]>();

function codeOf(goType: string, own: GoPackage): string {
  const type = goType.replace(/^\*/, '');
  if (type === '[]byte') return 'y';
  if (type.startsWith('[]')) return `[${codeOf(type.slice(2), own)}]`;
  const map = /^map\[[\w.]+\](.+)$/.exec(type);
  if (map !== null) return `<${codeOf(map[1] ?? '', own)}>`;
  const dot = type.indexOf('.');
  if (dot < 0) return localCode(type, own);
  const path = own.imports.get(type.slice(0, dot)) ?? '';
  const base = BASES[path];
  if (base !== undefined) return SCALARS[`${base}${type.slice(dot)}`] ?? 's';
  const other = packageOf(path);
  if (other === null) throw new Error(`${own.name}: ${goType} is of an unknown package`);
  return localCode(type.slice(dot + 1), PACKAGES.get(other) as GoPackage);
}

function localCode(type: string, own: GoPackage): string {
  if (own.name === 'meta/v1') {
    const known = SCALARS[`metav1.${type}`];
    if (known !== undefined) return known;
  }
  const scalar = SCALARS[type];
  if (scalar !== undefined) return scalar;
  // A list with a name of its own is a message around that list.
  if (type === 'ExtraValue') return 'e';
  const target = own.named.get(type);
  if (target !== undefined) return codeOf(target, own);
  const key = `${own.name}.${type}`;
  want(key, type, own);
  return `@${key}`;
}

const FIELD = /^\s*(?:(\w+)\s+)?(\S+)\s+`([^`]*)`/;

function want(key: string, type: string, own: GoPackage): void {
  if (WANTED.has(key)) return;
  const body = own.structs.get(type);
  if (body === undefined) throw new Error(`${key} is not a struct`);
  WANTED.set(key, []);
  const fields = body.split('\n').flatMap((line) => fieldOf(line, own));
  WANTED.set(key, fields);
}

function fieldOf(line: string, own: GoPackage): readonly GoField[] {
  const [, , goType = '', tags = ''] = FIELD.exec(line) ?? [];
  const number = /protobuf:"\w+,(\d+),/.exec(tags)?.[1];
  const [json = '', ...options] = (/json:"([^"]*)"/.exec(tags)?.[1] ?? '').split(',');
  if (number === undefined || json === '-') return [];
  const code = codeOf(goType, own);
  const isKept = goType.startsWith('*') || !options.includes('omitempty');
  return [{ json: options.includes('inline') ? '' : json, number: Number(number), code, isKept }];
}

const [api = '', machinery = ''] = process.argv.slice(2).map((path) => resolve(path));
for (const group of GROUPS) if (existsSync(join(api, group))) readPackage(group, join(api, group));
readPackage('meta/v1', join(machinery, 'pkg/apis/meta/v1'));

for (const group of GROUPS) {
  const own = PACKAGES.get(group) as GoPackage;
  for (const [type, body] of own.structs)
    if (/metav1\.TypeMeta/.test(body) && !/List$|Options$/.test(type))
      want(`${group}.${type}`, type, own);
}
for (const type of ['DeleteOptions', 'Status'])
  want(`meta/v1.${type}`, type, PACKAGES.get('meta/v1') as GoPackage);

const lines = [...WANTED].map(([key, fields]) => {
  const told = fields.map(
    ({ json, number, code, isKept }) => `${json}:${number}:${code}${isKept ? '?' : ''}`,
  );
  return [key, ...told].join(' ');
});
const head = `/**
 * How messages of Kubernetes are written in protocol buffers: one a line, each field with its name
 * in JSON (none where its fields stand among those of its owner), its number and the code of its
 * type; made by test/doors/kubernetes/protobuf-table.ts from the Go types of k8s.io/api 0.36.3.
 * s i n b y text, whole and broken number, boolean, bytes; q quantity; t u times; x whole number or
 * text; f r JSON in bytes; e a list in a message; @ another message; […] list; <…> map by text;
 * ? is said even when it is zero.
 */
export const PROTOBUF_TABLE = \`
${lines.toSorted().join('\n')}
\`;
`;
writeFileSync(
  join(import.meta.dirname, '../../../src/doors/kubernetes/protobuf/table.generated.ts'),
  head,
);
