import { LIVE_OPTIONS, PAGE_OUTPUT } from '../../cli/declared/shared.ts';
import type { Arguments } from '../tool.ts';

/** A pasted log; longer ones are files. */
export const TEXT_CHARS_MAX = 4 * 1024 * 1024;

export const MACHINES = {
  kind: 'text',
  value: 'MACHINE',
  multiple: true,
  help: 'Instance ids, Node names, addresses or NodeClaims of the live cluster; all of it when omitted',
} as const;

export const PATHS = {
  kind: 'text',
  value: 'PATH',
  multiple: true,
  help: 'Files, folders or archives to read instead of the live cluster: journals, kubectl and aws output, archives of log collectors. Only below the folders that the person allows',
} as const;

type Shared = keyof typeof LIVE_OPTIONS | keyof typeof PAGE_OUTPUT;

/** The options of a command that are a question; which cluster is asked is the person's choice. */
export function questionsOf<Options extends Arguments>(options: Options): Omit<Options, Shared> {
  const shared = new Set(Object.keys({ ...LIVE_OPTIONS, ...PAGE_OUTPUT }));
  const own = Object.entries(options).filter(([name]) => !shared.has(name));
  return Object.fromEntries(own) as unknown as Omit<Options, Shared>;
}
