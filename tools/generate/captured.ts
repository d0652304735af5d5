/** docs/captured.md: the examples that real programs printed, and how Rollcall first met them. */
import { loadExamples } from '../../test/causes/example.ts';
import { type FirstContact, firstContacts } from '../../test/real/capture/first-contact.ts';
import { captureCommand } from '../../test/real/capture/scenario.ts';
import { OUTCOMES } from '../../test/real/capture/score.ts';
import type { GeneratedFile } from './cause-pages.ts';

const HEAD = `# Captured examples

Run one: \`npm run capture -- SCENARIO\` breaks real programs on purpose and prints what they say as an
example; \`npm run capture -- --list\` lists the scenarios and what each breaks. Each row below is one.

The true cause was written down before Rollcall saw the text. *First contact* is what Rollcall
reported at that time; it never changes. *Now* is checked in every test run: an example in the folder
of its cause must end as its name says. Examples that are not right yet are marked and not in a folder.

- **found**: the cause is the headline and the only root. **clear**: it looks like the cause but is not.
  **unknown**: the trouble without the deciding evidence; naming any cause would be wrong.
- *right*: as expected. *right and more*: the true cause and another root.
  *silent*: no cause where one is expected. *wrong*: another cause.
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
