import { commandBehindPrompt } from '../line/prompt.ts';
import type { PassageReading } from '../passage.ts';

/** The name of one machine for which a person searched the output of a program. */
const SEARCHED =
  /\|\s{0,4}(?:e?grep|rg)\s(?:-[\w-]{1,20}\s{1,3}){0,4}["']?(?<name>ip-\d{1,3}(?:-\d{1,3}){3}[\w.-]{0,80}|i-[0-9a-f]{8,17})["']?\s{0,4}(?:$|\|)/;

/** Says for which machines a person searched, since that is what the question is about. */
export function readLookups(passage: PassageReading, lines: readonly string[]): void {
  const nobody = { when: null, host: null, about: null } as const;
  for (const [index, line] of lines.entries()) {
    const command = commandBehindPrompt(line.slice(0, 2000)) ?? '';
    const name = SEARCHED.exec(command)?.groups?.['name'];
    if (name === undefined) continue;
    const text = `asked about ${name}`;
    passage.say({ ...nobody, text, source: 'client-output', line: index + 1, isState: true });
  }
}
