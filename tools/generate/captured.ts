/** docs/captured.md: the examples that real programs printed, and how Rollcall first met them. */
import { loadExamples } from '../../test/causes/example.ts';
import { type FirstContact, firstContacts } from '../../test/real/capture/first-contact.ts';
import { captureCommand } from '../../test/real/capture/scenario.ts';
import { OUTCOMES } from '../../test/real/capture/score.ts';
import type { GeneratedFile } from './cause-pages.ts';

const HEAD = `# Captured examples

Real programs, broken on purpose, and what Rollcall makes of what they print. Each row is one
scenario: \`npm run capture -- SCENARIO\` runs the programs again and prints the example;
\`npm run capture -- --list\` shows all with what is broken in each.

The truth was written down before Rollcall saw the text. *First contact* is what Rollcall said of it
then, before anything was changed, and stays as it was. *Now* is checked by every test run: an example
is in the folder of its cause and must end as its name says; what is not right yet is left out of the
examples and says so.

- **found**: the cause is the headline and the only root. **clear**: it looks alike and is not.
  **unknown**: the trouble without what decides it; naming anything would be wrong.
- *right*: as it should be. *right and more*: the true cause, and another root beside it.
  *silent*: nothing named where something should be. *wrong*: another cause named.
`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function programOf({ id }: FirstContact): string {
  return id.split('/')[0] ?? id;
}

function summary(contacts: readonly FirstContact[], kept: ReadonlySet<string>): string {
  const programs = [...new Set(contacts.map(programOf))];
  const row = (name: string, of: readonly FirstContact[]): readonly string[] => [
    name,
    String(of.length),
    ...OUTCOMES.map((outcome) => String(of.filter((one) => one.outcome === outcome).length)),
    String(of.filter(({ id }) => kept.has(id)).length),
  ];
  const rows = programs.map((name) =>
    row(
      name,
      contacts.filter((contact) => programOf(contact) === name),
    ),
  );
  return table(
    ['program', 'scenarios', ...OUTCOMES.map((outcome) => `first ${outcome}`), 'right now'],
    [...rows, row('all', contacts)],
  );
}

function contactRow(contact: FirstContact, kept: ReadonlySet<string>): readonly string[] {
  const { id, expect, cause, instead, outcome, said } = contact;
  const truth = instead === undefined ? `${expect} ${cause}` : `${expect} ${cause}, is ${instead}`;
  const first = outcome === 'right' ? outcome : `${outcome}${said === '-' ? '' : `: ${said}`}`;
  return [`\`${id}\``, truth, first, kept.has(id) ? 'right' : 'not right yet'];
}

export function capturedPage(): GeneratedFile {
  const captured = new Set(loadExamples().flatMap((example) => example.captured ?? []));
  const contacts = firstContacts();
  const kept = new Set(
    contacts.map(({ id }) => id).filter((id) => captured.has(captureCommand(id))),
  );
  const rows = contacts.map((contact) => contactRow(contact, kept));
  const text = [
    HEAD,
    `${summary(contacts, kept)}\n`,
    `${table(['scenario', 'truth', 'first contact', 'now'], rows)}\n`,
  ].join('\n');
  return { path: 'docs/captured.md', text };
}
