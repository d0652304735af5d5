import { REDACTED } from './mark.ts';
import { ANY_NAME, type Strength } from './names.ts';
import { isSecretValue, type ValuePlace, valueAt } from './values.ts';

/** Quotes around a name, as they are, escaped, or doubled by CSV. */
const QUOTES = `(?:\\\\{0,15}["'\`\ue000]){0,2}`;
const SEPARATOR = `${QUOTES}[ \\t]{0,40}(?:=>|[:=])[ \\t]{0,40}`;
const SCHEME =
  '(?:(?:bearer|basic|token|digest|negotiate|ntlm|hawk|splunk|sso-key|[a-z]{0,12}key)[ \\t]{1,4}(?:token=)?)?';
/** `<password>`, whose value ends with the next tag. */
const TAG_END = '[\\w-]{0,20}>(?:\\s{0,20}<value>)?';
/** A flag, whose value may stand behind a blank. */
const FLAG = `(?<=(?:^|[\\s"'\`])--?[A-Za-z0-9-]{0,60})`;

interface Form {
  /** `password`, `secret` or `perhaps` names the strength of the name that matched. */
  readonly pattern: RegExp;
  /** What each of its matches holds: a text without it is not searched for all the names. */
  readonly mark: RegExp;
  /** For forms whose words stand in prose too: what a value must look like. */
  readonly isLikely?: (value: string) => boolean;
}

function form(mark: RegExp, source: string, isLikely?: Form['isLikely']): Form {
  const pattern = new RegExp(source, 'gi');
  return isLikely === undefined ? { pattern, mark } : { pattern, mark, isLikely };
}

/** `Tr0ub4dor&3`: a word of prose has no digit together with a capital letter or a sign. */
function looksLikePassword(value: string): boolean {
  const word = value.replace(/[:.,;]$/, '');
  return (
    word.length >= 8 &&
    /\d/.test(word) &&
    /[A-Za-z]/.test(word) &&
    /[A-Z!#$%^*&?+~]/.test(word) &&
    !/[/:]/.test(word)
  );
}

const ENTRY_VALUE = `${QUOTES}[\\s,\ufffd]{0,40}(?:-\\s{1,20})?${QUOTES}(?:parameter|option)?value`;

const FORMS: readonly Form[] = [
  form(/[:=]/, `${ANY_NAME}${SEPARATOR}${SCHEME}`),
  form(/(?:^|[\s"'`])-/, `${FLAG}${ANY_NAME}(?:=|[ \\t]{1,8})(?!--?[a-z]|[|<>&;])`),
  // A list of arguments, as JSON and YAML have it.
  form(/["'`]-/, `(?<=["'\`]--?[A-Za-z0-9-]{0,60})${ANY_NAME}["'\`],\\s{0,20}(?=["'\`])`),
  form(/</, `<[\\w:-]{0,40}?${ANY_NAME}${TAG_END}`),
  // A list of names and values: `name: DB_PASSWORD` above `value: …`.
  form(
    /value/i,
    `(?:name|key)${QUOTES}[ \\t]{0,8}[:=][ \\t]{0,8}${QUOTES}[\\w.-]{0,60}?${ANY_NAME}${ENTRY_VALUE}${SEPARATOR}`,
  ),
  form(/[ \t]/, `${ANY_NAME}[ \\t]{1,4}(?=\\S{8})`, looksLikePassword),
];

function strengthOf({ groups = {} }: RegExpMatchArray): Strength {
  if (groups['password'] !== undefined) return 'password';
  return groups['secret'] === undefined ? 'perhaps' : 'secret';
}

const SENTENCE_NAME = /token|cred|key|authori|licen|cookie/i;

/** Words with which sentences go on behind the name of an object or a field. */
const GOING_ON =
  /^(?:secrets?|tokens?|not|failed|cannot|could|unable|no|the|an?|unknown|invalid|error|expected|unexpected|missing|is|are|was|has|does|requires?|required|must|should|will|can)$/i;

/** Logs end a sentence on the name of a field, and give the reason behind it: those are words. */
function isReason(text: string, { from, to }: ValuePlace, name: string): boolean {
  const value = text.slice(from, to);
  if (/^[A-Za-z]{3,60}:$/.test(value)) return true;
  if (GOING_ON.test(value) && /^ ["'a-zA-Z]/.test(text.slice(to, to + 2))) return true;
  if (!SENTENCE_NAME.test(name) || !/^[a-z]{1,24}[,.;]?$/.test(value)) return false;
  return /^ (?:[a-z]|[A-Z]{2,6} [a-z])/.test(text.slice(to, to + 9));
}

/** `kubectl describe secret` shows how long a value is. */
function isSize(text: string, { from, to }: ValuePlace): boolean {
  return /^\d{1,7}$/.test(text.slice(from, to)) && text.startsWith(' bytes', to);
}

/** A Go program that ended at its own prompt: `Password: panic: provided file is not a console`. */
function isPanic(text: string, { from }: ValuePlace): boolean {
  return /^panic: [a-z]{2,20} /.test(text.slice(from, from + 40));
}

/** The name of a secret in AWS Secrets Manager is none itself. */
function isInArn(text: string, index: number): boolean {
  return /arn:aws[\w-]{0,12}:secretsmanager:[\w-]{0,30}:\d{0,12}:$/.test(
    text.slice(Math.max(0, index - 90), index),
  );
}

function redactForm(text: string, { pattern, isLikely }: Form): string {
  let clean = '';
  let done = 0;
  for (const match of text.matchAll(pattern)) {
    const start = match.index + match[0].length;
    // What an earlier value enclosed is gone with it.
    if (match.index < done) continue;
    const place = valueAt(text, start);
    const value = text.slice(place.from, place.to);
    const strength = strengthOf(match);
    if (isLikely?.(value) === false || !isSecretValue(value, strength)) continue;
    if (isSize(text, place) || isPanic(text, place) || isInArn(text, match.index)) continue;
    if (strength !== 'password' && isReason(text, place, match[0])) continue;
    clean += `${text.slice(done, place.from)}${REDACTED}`;
    done = place.to;
  }
  return clean === '' ? text : clean + text.slice(done);
}

/** The text without the values that stand behind names of secrets. */
export function redactNamedValues(text: string): string {
  let clean = text;
  for (const one of FORMS) if (one.mark.test(clean)) clean = redactForm(clean, one);
  return clean;
}
