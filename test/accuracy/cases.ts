/** Failures that people had, re-enacted, and what was found out about each. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Stage } from '../../src/evidence/stage.ts';
import type { ExampleFile } from '../causes/example.ts';

const CASES = join(import.meta.dirname, 'cases');
const PASTES = join(import.meta.dirname, 'pastes.json');

/** What `truth.json` of a case says. */
interface Truth {
  readonly title: string;
  /** Public address of the failure that it re-enacts; null for one that was captured. */
  readonly after: string | null;
  /** Where the machine stands; null where nothing is wrong. */
  readonly stage: Stage | null;
  /** Causes that are right, the best first; `undetermined` where naming none is right too. */
  readonly accept: readonly string[];
  /** Causes that look alike and are not true. */
  readonly reject: readonly string[];
  /** Whether the evidence decides the cause. */
  readonly decidable: 'yes' | 'partly' | 'no';
  /** True where nothing is wrong with the machine. */
  readonly healthy: boolean;
}

export interface AccuracyCase extends Truth {
  /** Three digits, for good. */
  readonly id: string;
  /** The name of its folder, which begins with the id. */
  readonly name: string;
  /** The folder with the evidence. */
  readonly evidence: string;
  readonly files: readonly ExampleFile[];
}

/** One line as somebody pastes it. */
export interface Paste extends Pick<Truth, 'after' | 'accept'> {
  readonly id: string;
  readonly line: string;
}

function filesIn(folder: string): readonly ExampleFile[] {
  return readdirSync(folder)
    .toSorted()
    .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
}

function readCase(name: string): AccuracyCase {
  const truth = JSON.parse(readFileSync(join(CASES, name, 'truth.json'), 'utf8')) as Truth;
  const evidence = join(CASES, name, 'evidence');
  return { ...truth, id: name.slice(0, 3), name, evidence, files: filesIn(evidence) };
}

/** All cases, by id. */
export function loadCases(): readonly AccuracyCase[] {
  return readdirSync(CASES).toSorted().map(readCase);
}

/** All pasted lines, by id. */
export function loadPastes(): readonly Paste[] {
  return JSON.parse(readFileSync(PASTES, 'utf8')) as readonly Paste[];
}
