import type { PassageReading } from '../passage.ts';
import type { Command } from './command.ts';
import type { Asked } from './kubectl.ts';

/** A row of `kubectl get pods`, as far as its cells tell themselves apart. */
interface PodRow {
  readonly name: string;
  readonly hasEnded: boolean;
  readonly address: string | null;
  readonly line: number;
}

const ROWS_MAX = 5000;
const STATE =
  /\s(?<state>Completed|ContainerCreating|Init:\S{1,40}|ImagePullBackOff|ErrImagePull|CreateContainerConfigError|Terminating|Unknown|OOMKilled|Succeeded|Error|Failed|Evicted|Running|CrashLoopBackOff|Pending)\s/;
const ADDRESS = /\s(?<address>(?:\d{1,3}\.){3}\d{1,3})(?=\s)/;

function rowOf(text: string, line: number, isEverywhere: boolean): PodRow | null {
  const [first = '', second = ''] = text.trim().split(/\s+/, 2);
  const state = STATE.exec(`${text} `)?.groups?.['state'];
  if (state === undefined || first === 'NAME' || first === 'NAMESPACE') return null;
  const address = ADDRESS.exec(`${text} `)?.groups?.['address'] ?? null;
  const isOfMachine = address !== null && text.includes(`ip-${address.replaceAll('.', '-')}`);
  return {
    name: isEverywhere ? `${first}/${second}` : first,
    hasEnded: /^(?:Completed|Succeeded|Error|Failed|Evicted)$/.test(state),
    address: isOfMachine ? null : address,
    line,
  };
}

const NARROWING = ['l', 'selector', 'field-selector'];
/** Leaves all rows, and some of their columns. */
const COLUMNS_ALONE = /^awk\s+'\{\s*print\s[^{}]{1,200}\}'$|^cut\s+-[a-z][^|]{0,60}$/;

/** Says that the pods of a place are listed without a gap, so that what is not there does not run. */
export function readWholeList(
  passage: PassageReading,
  { kind, name, namespace }: Asked,
  { options, filter }: Command,
  { line, output }: { readonly line: number; readonly output: readonly string[] },
): void {
  const isSome = name !== null || NARROWING.some((one) => options.has(one));
  const isEverywhere = options.has('A') || options.has('all-namespaces');
  const isWhole = filter === '' || COLUMNS_ALONE.test(filter);
  if (kind !== 'Pod' || isSome || !isWhole || !(isEverywhere || namespace !== null)) return;
  const rows = output.filter((text) => !/^\s*NAME(?:SPACE)?\b/.test(text));
  // A row that somebody cut, or dots in the place of rows.
  if (rows.length === 0 || !rows.every((text) => STATE.test(`${text} `))) return;
  const where = isEverywhere ? 'of the cluster' : `of the namespace ${namespace ?? ''}`;
  sayOf(passage, line, `All ${rows.length} pods ${where} are listed`);
}

function sayOf(passage: PassageReading, line: number, text: string): void {
  const nobody = { when: null, host: null, about: null } as const;
  passage.say({ ...nobody, text, source: 'client-output', line, isState: true });
}

/** Says which pods have an address that a pod had which has ended, as rows show both. */
export function readPodRows(
  passage: PassageReading,
  asked: Asked,
  { line, output }: { readonly line: number; readonly output: readonly string[] },
  isEverywhere: boolean,
): void {
  if (asked.kind !== 'Pod') return;
  const rows = output
    .slice(0, ROWS_MAX)
    .map((text, index) => rowOf(text, line + index, isEverywhere))
    .filter((row) => row !== null && row.address !== null) as readonly PodRow[];
  const running = Map.groupBy(
    rows.filter(({ hasEnded }) => !hasEnded),
    ({ address }) => address,
  );
  const ended = new Map(rows.filter(({ hasEnded }) => hasEnded).map((row) => [row.address, row]));
  for (const [address, [row, ...others]] of running) {
    const before = ended.get(address);
    // The address of a machine is that of all pods on its network.
    if (row === undefined || before === undefined || others.length > 0) continue;
    sayOf(
      passage,
      row.line,
      `Pod ${row.name} has the address ${address ?? ''}, which Pod ${before.name} had that has ended`,
    );
  }
}
