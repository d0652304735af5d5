import { factValues } from '../evidence/fact-values.ts';
import { assembleSubjects } from './subjects.ts';
import { isTerminated } from '../domain/nodes/fleet.ts';
import { instanceIdIn } from '../evidence/names.ts';
import type { Observations } from '../evidence/observations.ts';
import { excerptOf } from '../evidence/redact.ts';
import { nearest } from '../evidence/nearest.ts';
import { isAsked } from './asked.ts';

/** Names of machines differ by digits, so one with more edits is another machine. */
const EDITS_MAX = 2;
/** No name of Kubernetes or EC2 is longer. */
const NAME_MAX = 253;
/** Lists without which a machine may be there and not be seen. */
const NEEDED = /^(?:list nodes|ec2:DescribeInstances|kubernetes|aws)$/;

/** A name that was asked for and that no machine goes by. */
export interface UnknownName {
  readonly name: string;
  readonly sentence: string;
}

/** The names asked for by which no machine of any of the looks goes. */
export function unknownNames(
  names: readonly string[],
  looks: readonly Observations[],
): readonly UnknownName[] {
  if (names.length === 0) return [];
  const machines = looks.flatMap((one) =>
    assembleSubjects(one).filter(({ kind }) => kind === 'Machine'),
  );
  const unknown = names.filter((name) => {
    const isIt = isAsked([name]);
    return !machines.some((machine) => isIt?.(machine) === true);
  });
  if (unknown.length === 0) return [];
  const known = machines.flatMap(({ names: own }) => own.map(({ value }) => value));
  return unknown.map((name) => ({ name, sentence: sentenceOf(name, looks, known) }));
}

function sentenceOf(
  name: string,
  looks: readonly Observations[],
  known: readonly string[],
): string {
  const gone = terminatedIn(looks, name);
  if (gone !== null) return gone;
  const clusters = [...new Set(looks.flatMap(({ collection }) => collection?.cluster ?? []))];
  const where =
    clusters.length === 0 ? 'this evidence' : clusters.map((one) => excerptOf(one)).join(', ');
  const close = nearest(name.slice(0, NAME_MAX).toLowerCase(), [...new Set(known)], EDITS_MAX);
  const said = `No machine in ${where} is named ${excerptOf(name, NAME_MAX)}`;
  return close === null
    ? `${said}; see all: rollcall status`
    : `${said}; did you mean ${excerptOf(close)}? See all: rollcall status`;
}

/** What EC2 says of an instance that was ended on purpose, null for any other name. */
function terminatedIn(looks: readonly Observations[], name: string): string | null {
  const id = instanceIdIn(name);
  if (id === null) return null;
  const ended = looks
    .flatMap((look) => factValues(look, 'aws/instance'))
    .find((instance) => instance.InstanceId === id && isTerminated(instance));
  if (ended === undefined) return null;
  const reason = ended.StateTransitionReason ?? '';
  const why = reason === '' ? '' : ` (${excerptOf(reason)})`;
  return `${id} is ${ended.State?.Name ?? ''}${why}; list the others: rollcall status`;
}

/** Why a machine may be there although it was not seen, one sentence for each reason. */
export function reasonsUnseen(looks: readonly Observations[]): readonly string[] {
  const refusals = looks.flatMap(({ collection }) => collection?.refusals ?? []);
  const needed = refusals.filter(({ call }) => NEEDED.test(call));
  return [...new Set(needed.map(({ message }) => message))];
}
