/** What Rollcall said of a captured text the first time it was shown it; never changed afterwards. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scenario, Truth } from './scenario.ts';
import { type Outcome, OUTCOMES, type Score } from './score.ts';

export interface FirstContact extends Truth {
  readonly id: string;
  readonly outcome: Outcome;
  /** Causes that were named, the headline first; `-` for none. */
  readonly said: string;
}

const PATH = join(import.meta.dirname, 'first-contact.tsv');
const COLUMNS = ['scenario', 'expect', 'cause', 'instead', 'outcome', 'said'];
const NOTHING = '-';

/** In the order of their ids. */
export function firstContacts(): readonly FirstContact[] {
  const [, ...lines] = readFileSync(PATH, 'utf8').trimEnd().split('\n');
  return lines.map(contactOf);
}

function contactOf(line: string): FirstContact {
  const [id = '', expect = '', cause = '', instead = '', outcome = '', said = ''] =
    line.split('\t');
  const known = OUTCOMES.find((one) => one === outcome);
  if (known === undefined) throw new Error(`${id} has the outcome "${outcome}"`);
  return {
    id,
    expect: expect as Truth['expect'],
    cause,
    ...(instead === NOTHING ? {} : { instead }),
    outcome: known,
    said,
  };
}

/** Adds a scenario that was never scored; what is there already stays. */
export function recordFirstContact(scenario: Scenario, { outcome, said }: Score): void {
  const known = firstContacts();
  const { id, cause, expect, instead } = scenario;
  if (known.some((contact) => contact.id === id)) return;
  const named = said.join(', ') || NOTHING;
  const contact = { id, expect, cause, outcome, said: named };
  const all = [...known, { ...contact, ...(instead === undefined ? {} : { instead }) }];
  const lines = all.toSorted((a, b) => a.id.localeCompare(b.id, 'en')).map(lineOf);
  writeFileSync(PATH, `${[COLUMNS.join('\t'), ...lines].join('\n')}\n`);
}

function lineOf({ id, expect, cause, instead = NOTHING, outcome, said }: FirstContact): string {
  return [id, expect, cause, instead, outcome, said].join('\t');
}
