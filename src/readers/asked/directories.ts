import { commandBehindPrompt } from '../line/prompt.ts';
import type { PassageReading } from '../passage.ts';

/** Directories of which it tells something that they are empty. */
const LISTED =
  /^(?:sudo\s{1,3})?ls(?:\s{1,3}-[A-Za-z1]{1,8}){0,3}\s{1,3}(?<path>\/etc\/cni\/net\.d)\/?(?:\s{1,3}-[A-Za-z1]{1,8})?$/;
/** A prompt behind which nothing was typed yet. */
const WAITING =
  /^\s*(?:[$#]|[\w.-]{1,60}@[\w.-]{1,60}:[^$#]{0,80}[$#]|\[[\w.-]{1,60}@[^\]]{1,120}\][$#])\s*$/;

/** Says which directories were listed and have nothing in them: the next prompt follows at once. */
export function readDirectories(passage: PassageReading, lines: readonly string[]): void {
  const nobody = { when: null, host: null, about: null } as const;
  for (const [index, line] of lines.entries()) {
    const command = commandBehindPrompt(line.slice(0, 400)) ?? '';
    const path = LISTED.exec(command)?.groups?.['path'];
    const next = lines[index + 1]?.slice(0, 400);
    const isEnd = next !== undefined && (WAITING.test(next) || commandBehindPrompt(next) !== null);
    if (path === undefined || !isEnd) continue;
    const text = `The directory ${path} is empty`;
    passage.say({ ...nobody, text, source: 'client-output', line: index + 1, isState: true });
  }
}
