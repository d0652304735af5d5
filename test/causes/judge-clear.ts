import { CAUSES } from '../../src/causes/index.generated.ts';
import { causeOf } from '../../src/causes/catalogue.ts';
import type { Cause } from '../../src/diagnosis/cause.ts';
import { openSymptoms } from '../../src/diagnosis/open-symptoms.ts';
import type { DiagnosisDocument, Finding } from '../../src/diagnosis/document.ts';
import { evaluate } from '../../src/diagnosis/evaluate.ts';
import type { Subject } from '../../src/diagnosis/subject.ts';
import { assembleSubjects } from '../../src/diagnosis/subjects.ts';
import type { Observations } from '../../src/evidence/observations.ts';
import { stageIndex } from '../../src/evidence/stage.ts';
import type { Example } from './example.ts';
import { areFamily } from './family.ts';

interface Case {
  readonly example: Example;
  readonly cause: Cause;
  readonly observations: Observations;
  readonly document: DiagnosisDocument;
}

/**
 * A clear example looks alike and is not. Nothing is found in it but what its header names by
 * `instead: <cause-id>`, and the consequences of that; the cause is no candidate; and it is clear
 * for one of three reasons:
 *
 * 1. the cause itself says so, of every subject that it is asked about in trouble;
 * 2. what stands `instead` is found on every such subject of which it does not;
 * 3. nothing is wrong at all, and a machine got as far as the stage of the cause.
 */
export async function faultsOfClear(given: Case): Promise<readonly string[]> {
  return [
    ...(await faultsOfFindings(given)),
    ...(isCandidate(given) ? ['the cause stays a candidate; give what rules it out'] : []),
    ...faultsOfReason(given),
  ];
}

function findingsOf({ document }: Case): readonly Finding[] {
  return document.subjects.flatMap((subject) => subject.findings);
}

function isCandidate(given: Case): boolean {
  return findingsOf(given).some(({ cause }) => cause === given.cause.id);
}

async function faultsOfFindings(given: Case): Promise<readonly string[]> {
  const { instead } = given.example;
  const certain = findingsOf(given).filter(({ confidence }) => confidence !== 'possible');
  const others = certain.filter(({ cause, role }) => cause !== instead && role !== 'consequence');
  const found = [...new Set(others.map(({ cause }) => cause))];
  return [
    ...found.map((id) => `${id} is found in it; if that is the truth, say \`instead: ${id}\``),
    ...(instead === null ? [] : await faultsOfInstead(given, instead)),
  ];
}

async function faultsOfInstead(given: Case, instead: string): Promise<readonly string[]> {
  const entry = CAUSES.find(({ id }) => id === instead);
  if (entry === undefined) return [`instead: ${instead} is no cause`];
  const other = causeOf(await entry.load());
  const headline = given.document.headline?.cause ?? 'null';
  return [
    ...(headline === instead ? [] : [`its headline is ${headline}, not ${instead}`]),
    ...(areFamily(given.cause, other, given.observations)
      ? []
      : [`${instead} is no look-alike of ${given.cause.id}; if it is, name it in page.notThis`]),
  ];
}

function faultsOfReason(given: Case): readonly string[] {
  const subjects = assembleSubjects(given.observations);
  const cluster = subjects.find(({ kind }) => kind === 'Cluster');
  const isClear = (subject: Subject): boolean =>
    evaluate(given.cause, subject, given.observations, subjects).match.verdict === 'clear';
  // What the cluster is clear of, no machine suffers from.
  const isClusterClear =
    given.cause.scope === 'cluster' && cluster !== undefined && isClear(cluster);
  const isSettled = (subject: Subject): boolean =>
    isClusterClear || isClear(subject) || standsInstead(given, subject);
  const inQuestion = subjects.filter((subject) => isInQuestion(given.cause, subject));
  const open = inQuestion.filter((subject) => !isSettled(subject));
  if (isHealthy(given, inQuestion) || (open.length === 0 && subjects.some(isSettled))) return [];
  return open.length > 0
    ? open.map(({ name }) => `the cause itself cannot say that ${name} is clear of it`)
    : ['nothing in it rules the cause out; add what does, or the later success'];
}

function hasSign(cause: Cause, { hits }: Subject): boolean {
  return hits.some(({ owner }) => owner === cause.id);
}

function readsFacts(cause: Cause, { kind, facts }: Subject): boolean {
  if (cause.scope === 'machine' && kind === 'Cluster') return false;
  return cause.needs.some((need) => facts.has(need));
}

/** Something of this subject looks like the cause: its words, its symptom, its facts in trouble. */
function isInQuestion(cause: Cause, subject: Subject): boolean {
  const symptoms = openSymptoms(subject).map(({ symptom }): string => symptom.id);
  return (
    hasSign(cause, subject) ||
    cause.symptoms.some((id) => symptoms.includes(id)) ||
    (symptoms.length > 0 && readsFacts(cause, subject))
  );
}

/** What is found of a group stands for the cluster, which holds all that names no machine. */
function standsInstead({ example, document }: Case, { kind, name }: Subject): boolean {
  const reports = document.subjects.filter((report) =>
    kind === 'Machine' ? report.kind === kind && report.name === name : report.kind !== 'Machine',
  );
  return reports
    .flatMap(({ findings }) => findings)
    .some(({ cause, explainedBy }) => [cause, explainedBy].includes(example.instead ?? ''));
}

/**
 * No line, state or finding speaks of trouble, and the stage of the cause was passed: by every
 * machine that is in question, or by some machine where none is.
 */
function isHealthy({ cause, document }: Case, inQuestion: readonly Subject[]): boolean {
  const reach = stageIndex(cause.stage);
  const machines = inQuestion.filter(({ kind }) => kind === 'Machine').map(({ name }) => name);
  const passed = document.subjects
    .filter(({ ladder }) =>
      ladder.some(({ stage, state }) => state === 'passed' && stageIndex(stage) >= reach),
    )
    .map(({ name }) => name);
  return (
    document.subjects.every(({ verdict }) => verdict !== 'not-usable') &&
    passed.length > 0 &&
    machines.every((name) => passed.includes(name))
  );
}
