import { collectPrivateDnsName, privateDnsName } from './ec2-names.ts';
import type { Collect, NamingInput, Reason } from './input.ts';

interface Reasons {
  readonly because: readonly Reason[];
}

export interface KnownName extends Reasons {
  readonly state: 'known';
  readonly name: string;
  /** What was not looked at and would change the name, one phrase each. */
  readonly provided: readonly string[];
}

/** The kubelet registers no Node at all. */
export interface NoName extends Reasons {
  readonly state: 'none';
}

export interface UnknownName extends Reasons {
  readonly state: 'unknown';
  /** Names that it could be, which is no promise that it is one of them. */
  readonly candidates: readonly string[];
  /** What the candidates suppose of a machine that is not there yet, one phrase each. */
  readonly provided?: readonly string[];
  readonly collect: Collect;
}

export type NodeName = KnownName | NoName | UnknownName;

/** A name that is settled. */
export function known(
  name: string,
  text: string,
  source: string,
  provided: readonly string[] = [],
) {
  return {
    state: 'known',
    name: name.trim().toLowerCase(),
    because: [{ text, source }],
    provided,
  } as const satisfies KnownName;
}

/** No Node will register. */
export function none(text: string, source: string): NoName {
  return { state: 'none', because: [{ text, source }] };
}

/** The facts do not decide. */
export function unknown(
  text: string,
  source: string,
  collect: Collect,
  candidates: readonly (string | null | undefined)[] = [],
): UnknownName {
  const names = candidates.filter((name): name is string => (name ?? '') !== '');
  return { state: 'unknown', because: [{ text, source }], candidates: names, collect };
}

/** What to read on the machine itself. */
export function collectOnMachine(text: string, command: string): Collect {
  return { text, command };
}

export const COLLECT_HOSTNAME = collectOnMachine('the hostname of the machine', 'hostname');
export const COLLECT_FLAGS = collectOnMachine(
  'the flags and version of the kubelet',
  'ps -o args= -C kubelet; kubelet --version',
);

/** The id of the machine, from its own metadata. */
export function collectInstanceId(): Collect {
  const path = 'http://169.254.169.254/latest/meta-data/instance-id';
  const token = 'curl -sX PUT http://169.254.169.254/latest/api/token';
  const header = 'X-aws-ec2-metadata-token-ttl-seconds: 60';
  return {
    text: 'the instance id',
    command: `curl -s -H "X-aws-ec2-metadata-token: $(${token} -H '${header}')" ${path}`,
  };
}

/** The rule "EC2's private DNS name", with what happens when there is none. */
export function byPrivateDnsName(
  input: NamingInput,
  rule: string,
  source: string,
  empty: string,
  provided: readonly string[] = [],
): NodeName {
  const found = privateDnsName(input);
  if (found.state === 'none') return none(`${rule}. EC2 has none: ${empty}.`, source);
  if (found.state === 'unknown')
    return unknown(`${rule}, which was not seen.`, source, collectPrivateDnsName(input), [
      found.candidate,
    ]);
  const how = found.computed ? ', computed from address and region' : '';
  return known(found.name, `${rule}${how}.`, source, provided);
}

/** The rule "the instance id". */
export function byInstanceId(
  input: NamingInput,
  rule: string,
  source: string,
  provided: readonly string[] = [],
): NodeName {
  if (input.instanceId === undefined)
    return unknown(`${rule}, which is unknown.`, source, collectInstanceId());
  return known(input.instanceId, `${rule}.`, source, provided);
}
