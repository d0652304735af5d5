import { isEqual } from '../../evidence/equal.ts';
import type { JsonObject } from '../../evidence/json.ts';
import type { AwsAuthEntry } from '../../evidence/kinds.ts';
import {
  type AuthenticatorMap,
  entryOf,
  isSingleSignOn,
  type MapFault,
  readMapText,
} from './aws-auth-yaml.ts';

/** A mapping that is added; the ARN is that of a role, without its path. */
export interface AddedMapping {
  readonly arn: string;
  readonly username: string;
  readonly groups: readonly string[];
}

/** `mapRoles` as the authenticator reads it, or why nothing of it may be changed. */
export type ReadMap =
  | {
      readonly ok: true;
      readonly entries: readonly AwsAuthEntry[];
      /** True for a text without any element, comments or not. */
      readonly isEmpty: boolean;
    }
  | MapFault;

export type MapEdit =
  | {
      readonly ok: true;
      readonly text: string;
      /** Where the change begins: an offset into the text before and after. */
      readonly at: number;
      /** What was put in there; all else is as it was. */
      readonly inserted: string;
    }
  | MapFault;

/** Reads `mapRoles` for a change: one element that the authenticator would pass over is a fault. */
export function readRoles(text: string): ReadMap {
  const read = readMapText(text);
  if (!read.ok) return read;
  const list = (read.list ?? []).filter((element) => !isSingleSignOn(element));
  const broken = (read.list ?? []).findIndex(
    (element) => !isSingleSignOn(element) && entryOf(element, 'rolearn') === null,
  );
  if (broken >= 0)
    return { ok: false, line: read.lines[broken] ?? 1, why: 'an entry has no rolearn' };
  const entries = list.map((element) => entryOf(element, 'rolearn')).filter((one) => one !== null);
  return { ok: true, entries, isEmpty: list.length === 0 };
}

/**
 * Adds a mapping of a role behind all others. Everything that was there stays as it is, byte for
 * byte, and is read as before: an edit of which that cannot be shown is a fault.
 */
export function withRole(text: string, mapping: AddedMapping): MapEdit {
  const roles = readRoles(text);
  if (!roles.ok) return roles;
  const before = readMapText(text);
  if (!before.ok) return before;
  const wanted = [...(before.list ?? []), elementOf(mapping)];
  for (const { at, inserted, until = at } of candidates(text, before, mapping)) {
    const edited = `${text.slice(0, at)}${inserted}${text.slice(until)}`;
    const after = readMapText(edited);
    if (after.ok && isEqual(after.list ?? [], wanted))
      return { ok: true, text: edited, at, inserted };
  }
  const line = before.lines.at(-1) ?? 1;
  return { ok: false, line, why: 'no entry can be added behind this one without changing others' };
}

/**
 * Takes out what an edit put in, where it still is there once and all else is read as before.
 *
 * @returns null where that is not so
 */
export function withoutInserted(text: string, inserted: string): string | null {
  const at = text.lastIndexOf(inserted);
  const before = readMapText(text);
  if (inserted === '' || at < 0 || !before.ok || before.list === null) return null;
  const left = `${text.slice(0, at)}${text.slice(at + inserted.length)}`;
  const after = readMapText(left);
  if (!after.ok) return null;
  const list = after.list ?? [];
  const isOneLess = before.list.some(
    (_, index) => before.list !== null && isEqual(before.list.toSpliced(index, 1), list),
  );
  return list.length === before.list.length - 1 && isOneLess ? left : null;
}

function elementOf({ arn, username, groups }: AddedMapping): JsonObject {
  return { rolearn: arn, username, groups: [...groups] };
}

interface Candidate {
  readonly at: number;
  readonly inserted: string;
  /** The end of what is replaced; nothing when not given. */
  readonly until?: number;
}

/** Texts that hold nothing and cannot be added to. */
const NOTHING = /^\s*(?:``|""|''|null|Null|NULL|~)\s*$/;

function candidates(
  text: string,
  { list, isFlow, end }: AuthenticatorMap,
  mapping: AddedMapping,
): readonly Candidate[] {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  if (NOTHING.test(text))
    return [{ at: 0, until: text.length, inserted: blockEntry(mapping, '', newline) }];
  if (isFlow && list !== null) return flowCandidates(text, list.length > 0, mapping);
  const entry = blockEntry(mapping, indentOf(text.slice(0, end)), newline);
  return [end, contentEnd(text, end)].map((at) => ({
    at,
    inserted: at === 0 || text[at - 1] === '\n' ? entry : `${newline}${entry}`,
  }));
}

/** What stands before the first dash of a list. */
function indentOf(text: string): string {
  return /^( *)-(?:\s|$)/m.exec(text)?.[1] ?? '';
}

/** Behind the last line that is neither blank nor a comment. */
function contentEnd(text: string, end: number): number {
  const comments = /(?:^[ \t]*(?:#[^\n]*)?\r?(?:\n|$))+$/m.exec(text.slice(0, end));
  return comments?.index ?? end;
}

/** How many closing brackets are tried, from the last on: a comment behind the list may have some. */
const BRACKETS_MAX = 20;

function flowCandidates(
  text: string,
  hasEntries: boolean,
  mapping: AddedMapping,
): readonly Candidate[] {
  const entry = flowEntry(mapping);
  const places: number[] = [];
  for (let at = text.lastIndexOf(']'); at >= 0; at = text.lastIndexOf(']', at - 1)) {
    places.push(at);
    if (places.length >= BRACKETS_MAX || at === 0) break;
  }
  const joints = hasEntries ? [', ', ' '] : [''];
  return places.flatMap((at) => joints.map((joint) => ({ at, inserted: `${joint}${entry}` })));
}

/** With a blank behind each colon: without one, YAML 1.1 takes it for a part of the name. */
function flowEntry({ arn, username, groups }: AddedMapping): string {
  const listed = groups.map((group) => JSON.stringify(group)).join(', ');
  return `{"rolearn": ${JSON.stringify(arn)}, "username": ${JSON.stringify(username)}, "groups": [${listed}]}`;
}

function blockEntry(
  { arn, username, groups }: AddedMapping,
  indent: string,
  newline: string,
): string {
  const rows = [
    `- rolearn: ${scalar(arn)}`,
    `  username: ${scalar(username)}`,
    ...(groups.length === 0 ? ['  groups: []'] : ['  groups:']),
    ...groups.map((group) => `    - ${scalar(group)}`),
  ];
  return rows.map((row) => `${indent}${row}${newline}`).join('');
}

/** Plain where nobody can take it for anything but a text. */
function scalar(text: string): string {
  return /^[a-z]+:[\w:/.{}+=,@-]+$/i.test(text) ? text : JSON.stringify(text);
}
