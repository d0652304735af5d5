import { columns, commandRows, marked, paragraph } from './layout.ts';
import { shown } from '../../../domain/words.ts';
import type { Acceptance, Outcome } from '../../../domain/naming/acceptance.ts';
import type { NodeName } from '../../../domain/naming/answer.ts';
import type { RenameEffects } from '../../../domain/naming/breaks.ts';
import type { Reason } from '../../../domain/naming/input.ts';
import type { NameRow } from '../../../domain/naming/names-table.ts';

function reasonLines(because: readonly Reason[]): readonly string[] {
  return because.flatMap(({ text, source }) => paragraph(`${text} [${source}]`, '  '));
}

function providedLines(provided: readonly string[]): readonly string[] {
  return provided.flatMap((text) => marked('provided that', `${text}.`, '  '));
}

/** The name, or why there is none or nobody can tell. */
export function nodeNameLines(name: NodeName): readonly string[] {
  if (name.state === 'none') return ['No Node will register.', ...reasonLines(name.because)];
  if (name.state === 'known')
    return [
      ...paragraph(`Node name: ${shown(name.name)}`),
      ...reasonLines(name.because),
      ...providedLines(name.provided),
    ];
  const candidates = name.candidates.map(shown).join(', ');
  return [
    'The Node name is unknown.',
    ...reasonLines(name.because),
    ...(candidates === '' ? [] : paragraph(`It may be: ${candidates}`, '  ')),
    ...providedLines(name.provided ?? []),
    ...paragraph(`Collect ${name.collect.text}:`, '  '),
    ...commandRows(name.collect.command),
  ];
}

const STATES: Readonly<Record<Acceptance['state'], string>> = {
  accepted: 'The cloud controller will accept it.',
  refused: 'The cloud controller will not find the machine.',
  'another-instance': 'The cloud controller will match another machine.',
  'nobody-asks': 'No cloud controller will look it up.',
  unknown: 'Unknown whether the cloud controller accepts it.',
};

const OUTCOMES: Readonly<Record<Outcome, string | null>> = {
  initialised: null,
  'nobody-asks': null,
  unknown: null,
  'deleted-while-not-ready': 'Whenever the Node is not Ready, it is deleted within seconds.',
  'kept-uninitialised':
    'The Node stays with the taint node.cloudprovider.kubernetes.io/uninitialized, which keeps pods away.',
};

/** What the cloud controller will do. */
export function acceptanceLines(acceptance: Acceptance): readonly string[] {
  const outcome = OUTCOMES[acceptance.outcome];
  return [
    ...paragraph([STATES[acceptance.state], outcome ?? ''].join(' ').trim()),
    ...reasonLines(acceptance.because),
    ...providedLines(acceptance.provided),
  ];
}

const VERDICTS: Readonly<Record<NameRow['verdict'], string>> = {
  agrees: 'agrees',
  disagrees: 'DIFFERS',
  unknown: '?',
};

function markOf({ verdict, matters }: NameRow): string {
  return verdict === 'disagrees' && !matters ? 'differs' : VERDICTS[verdict];
}

/** Every name in one table, and why those that differ do. */
export function namesLines(rows: readonly NameRow[]): readonly string[] {
  if (rows.length === 0) return [];
  const cells = rows.map((row) => [markOf(row), row.title, row.value ?? `(${row.because})`]);
  const differing = rows.filter(({ verdict }) => verdict === 'disagrees');
  return [
    ...columns([['', 'NAME', 'VALUE'], ...cells]),
    ...differing.flatMap(({ title, because, expected }) =>
      marked('-', `${title}: expected ${shown(expected ?? '')}; ${because}.`, '  '),
    ),
  ];
}

/** What a new name breaks, each with its commands, and the label to pin by. */
export function effectLines({ breaks, pin }: RenameEffects): readonly string[] {
  return [
    ...breaks.flatMap(({ what, sentence, source, commands }) => [
      ...marked('-', `${what}: ${sentence} [${source}]`),
      ...commands.flatMap((command) => commandRows(command)),
    ]),
    ...paragraph('Pin pods by a label instead of a name:'),
    ...pin.commands.flatMap((command) => commandRows(command)),
    ...paragraph(`In the pod, instead of nodeName or the hostname: ${pin.podSpec}`, '  '),
    ...paragraph(`For the kubelet, to keep it across joins: ${pin.kubeletFlag}`, '  '),
  ];
}
