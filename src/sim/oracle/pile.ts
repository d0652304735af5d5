import type { Json, JsonObject } from '../../evidence/json.ts';
import { isoTime } from '../../evidence/time.ts';
import type { RandomStream } from '../kernel/random.ts';
import type { FaultScene } from '../faults/contract.ts';
import type { SimulatedMachine } from '../machines/contract.ts';

/** A file as somebody who asks for help attaches it. */
export interface PileText {
  readonly name: string;
  /** The archive that it is in; null for a file of its own. */
  readonly container: string | null;
  readonly text: string;
}

export interface Pile {
  readonly texts: readonly PileText[];
  /** Names of what was left out. */
  readonly left: readonly string[];
}

/** What people dump with `kubectl get … -o json`. */
const DUMPS: readonly (readonly [string, string])[] = [
  ['Node', 'v1'],
  ['Pod', 'v1'],
  ['Event', 'v1'],
  ['DaemonSet', 'apps/v1'],
  ['CertificateSigningRequest', 'certificates.k8s.io/v1'],
];

const AWS_CALLS: readonly (readonly [string, string])[] = [
  ['describe-instances', 'DescribeInstances'],
  ['describe-subnets', 'DescribeSubnets'],
  ['describe-network-interfaces', 'DescribeNetworkInterfaces'],
];

/** Machines whose own logs are taken; nobody takes those of a whole fleet. */
const MACHINES_MAX = 3;

/**
 * What somebody collects by hand: dumps of the API server, answers of AWS, journals and consoles of
 * some machines, logs of the cloud controller; a share of it is left out by chance.
 *
 * @param wanted instance ids of machines that do not work
 */
export function collectPile(
  stage: FaultScene,
  wanted: readonly string[],
  { gapShare, random }: { readonly gapShare: number; readonly random: RandomStream },
): Pile {
  const all = [...clusterTexts(stage), ...machineTexts(stage, wanted)];
  const isLeft = all.map(() => random.chance(gapShare));
  return {
    texts: all.filter((_, index) => isLeft[index] === false),
    left: all.flatMap(({ name }, index) => (isLeft[index] === true ? [name] : [])),
  };
}

function clusterTexts(stage: FaultScene): readonly PileText[] {
  const dumps = DUMPS.map(([kind, version]) => ({
    name: `${kind.toLowerCase()}s.json`,
    container: null,
    text: printed(listOf(stage, kind, version)),
  }));
  const awsAuth = stage.people.get('ConfigMap', 'kube-system/aws-auth');
  const maps = awsAuth === null ? [] : [file('aws-auth.json', printed(awsAuth))];
  return [...dumps, ...maps, ...awsTexts(stage), ...programTexts(stage)];
}

/** As `kubectl get … -A -o json` prints it: a List whose items say what they are. */
function listOf({ people }: FaultScene, kind: string, apiVersion: string): JsonObject {
  const items = people.list(kind).map((one) => ({ apiVersion, kind, ...one }));
  return { apiVersion: 'v1', items, kind: 'List', metadata: { resourceVersion: '' } };
}

function printed(value: Json): string {
  return `${JSON.stringify(value, null, 4)}\n`;
}

function awsTexts({ simulated }: FaultScene): readonly PileText[] {
  return AWS_CALLS.flatMap(([name, operation]) => {
    const call = { service: 'ec2', operation, input: {} } as const;
    const answer = simulated.cloud.answer(simulated.admin.identity, call);
    return answer.ok ? [file(`${name}.json`, printed(answer.output))] : [];
  });
}

function programTexts({ simulated }: FaultScene): readonly PileText[] {
  const logs = [
    ['cloud-controller-manager.log', simulated.platform.cloudControllerLog()],
    ['aws-iam-authenticator.log', simulated.platform.authenticatorLog()],
  ] as const;
  return logs.flatMap(([name, lines]) =>
    lines.length === 0 ? [] : [file(name, lines.map(({ text }) => `${text}\n`).join(''))],
  );
}

/** What is taken from some of these machines: archives of the log collector, and journals. */
export function machineTexts(
  { simulated }: FaultScene,
  wanted: readonly string[],
): readonly PileText[] {
  return wanted.slice(0, MACHINES_MAX).flatMap((id) => {
    const machine = simulated.hypervisor.machine(id);
    return machine === null ? [] : textsOf(machine);
  });
}

/** An archive as the log collector of EKS names it, and a journal that somebody has printed. */
function textsOf(machine: SimulatedMachine): readonly PileText[] {
  const { instanceId } = machine;
  const stamp = stampOf(machine.nowMs());
  const container = `eks_${instanceId}_${stamp.slice(0, 10)}_${stamp.slice(11, 16).replace(':', '')}-UTC_0.7.8.tar.gz`;
  const files = machine
    .collect()
    .map(({ name, text }) => ({ name: `${container}!${name}`, container, text }));
  const journal = machine.journalText({ format: 'short-iso' });
  return [...files, file(`${instanceId}-journal.txt`, journal)].filter(({ text }) => text !== '');
}

function file(name: string, text: string): PileText {
  return { name, container: null, text };
}

/** `2026-03-02T09:12:30Z` of a moment of the world. */
function stampOf(ms: number): string {
  return isoTime({ ms, yearless: false, clock: 'utc' }) ?? '';
}
