import { PROTOBUF_TABLE } from './table.generated.ts';

/** How one value is written. */
export type Coding =
  | { readonly is: 'scalar'; readonly code: string }
  | { readonly is: 'message'; readonly name: string }
  | { readonly is: 'list'; readonly element: Coding }
  | { readonly is: 'map'; readonly element: Coding };

export interface Field {
  /** Empty where its fields stand among those of its owner. */
  readonly name: string;
  readonly coding: Coding;
  /** Said even when it is zero. */
  readonly isKept: boolean;
}

export type Message = ReadonlyMap<number, Field>;

const LINES: ReadonlyMap<string, string> = new Map(
  PROTOBUF_TABLE.trim()
    .split('\n')
    .map((line) => {
      const [name = ''] = line.split(' ', 1);
      return [name, line.slice(name.length + 1)] as const;
    }),
);
const READ = new Map<string, Message>();

function codingOf(code: string): Coding {
  const inner = code.slice(1, -1);
  if (code.startsWith('[')) return { is: 'list', element: codingOf(inner) };
  if (code.startsWith('<')) return { is: 'map', element: codingOf(inner) };
  if (code.startsWith('@')) return { is: 'message', name: code.slice(1) };
  return { is: 'scalar', code };
}

function fieldOf(text: string): readonly [number, Field] {
  const [name = '', number = '', code = ''] = text.split(':');
  const isKept = code.endsWith('?');
  const coding = codingOf(isKept ? code.slice(0, -1) : code);
  return [Number(number), { name, coding, isKept }];
}

/** The fields of a line of the table. */
export function fieldsOf(line: string): Message {
  return new Map(
    line
      .split(' ')
      .filter((part) => part !== '')
      .map(fieldOf),
  );
}

/** The message of a name such as `core/v1.Pod`; null for one that is not known. */
export function messageOf(name: string): Message | null {
  const known = READ.get(name);
  if (known !== undefined) return known;
  const line = LINES.get(name);
  if (line === undefined) return null;
  const message = fieldsOf(line);
  READ.set(name, message);
  return message;
}

/** Groups that Go keeps under a name without the rest of their domain. */
export function messageName(apiVersion: string, kind: string): string {
  if (kind === 'DeleteOptions' || kind === 'Status') return `meta/v1.${kind}`;
  const slash = apiVersion.indexOf('/');
  if (slash < 0) return `core/${apiVersion}.${kind}`;
  const [group = ''] = apiVersion.split('.', 1)[0]?.split('/') ?? [];
  return `${group}/${apiVersion.slice(slash + 1)}.${kind}`;
}
