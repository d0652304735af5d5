/** The call sites of Go source that warn, fail or report an event or a condition. */
import { dirname } from 'node:path';
import { type GoToken, goTokens } from './go-tokens.ts';
import { callAt, type Constants, expressionAt, type Scope, textOf } from './go-texts.ts';

export type Level = 'error' | 'warning' | 'returned' | 'event' | 'condition' | 'reason';

export interface GoMessage {
  readonly level: Level;
  /** With the verbs of Go's `fmt`. */
  readonly text: string;
  /** From the folder of the module. */
  readonly file: string;
  readonly line: number;
}

export interface GoFile {
  readonly path: string;
  readonly tokens: readonly GoToken[];
}

const LOG_ERROR = /^(?:Error|Errorf|Errorln|ErrorS|ErrorSDepth|ErrorDepth|ErrorContext)$/;
const LOG_FATAL = /^(?:Fatal|Fatalf|Fatalln|FatalContext|Exit|Exitf|Panic|Panicf|panic)$/;
const LOG_WARNING = /^(?:Warn|Warnf|Warning|Warningf|Warningln|WarningDepth|WarnContext|Warnln)$/;
const HANDLED = /^HandleError(?:With(?:Context|Logger))?$/;
const RETURNED =
  /^(?:New|Wrap|Wrapf|WithMessagef?|Invalid|Forbidden|Required|NewForbidden|New\w*Error\w*|NewBadRequest|NewUnauthorized)$/;
const ERROR_PACKAGES = /^(?:fmt|errors|status|field|xerrors|serrors|pkgerrors|kerrors)$/;
const EVENT =
  /^(?:Event|Eventf|AnnotatedEventf|recordNodeStatusEvent|recordEventFunc|WithMessage)$/;
const CONDITION = /^(?:SetFalse|SetUnknownWithReason|SetTrueWithReason)$/;
const FIELD = /^(?:Reason|Message|Note)$/;
const SAID = /^(?:msg|message|reason|note|errMsg|errorMessage)$/i;
const REASON_FILE = /(?:^|\/)events?(?:\/event)?s?\.go$|reasons?\.go$/;
const REASON_NAME = /Reason|^Failed|Failed$|^Err[A-Z]/;

/** The tokens of a file of the module. */
export function goFile(path: string, source: string): GoFile {
  return { path, tokens: goTokens(source) };
}

/** Reads the constants of all files, so that a reason is known where it is used. */
export function constantsOf(files: readonly GoFile[]): Constants {
  const near = new Map<string, string>();
  const anywhere = new Map<string, string | null>();
  for (const { path, tokens } of files) {
    for (const { name, value } of assigned(tokens)) {
      near.set(`${dirname(path)} ${name}`, value);
      const other = anywhere.get(name);
      anywhere.set(name, other === undefined || other === value ? value : null);
    }
  }
  return (name, folder) => near.get(`${folder} ${name}`) ?? anywhere.get(name) ?? null;
}

interface Assigned {
  readonly name: string;
  readonly value: string;
  readonly line: number;
}

/** `Name = "text"` and `Name Type = "text"`, on one line. */
function assigned(tokens: readonly GoToken[]): readonly Assigned[] {
  return tokens.flatMap((token, at) => {
    if (token.kind !== 'string' || tokens[at - 1]?.text !== '=') return [];
    if (isOneOf(tokens[at + 1], ['+', '.']) || isOneOf(tokens[at - 2], [':'])) return [];
    const typed = tokens[at - 3];
    const isTyped = typed?.kind === 'name' && typed.line === token.line && isWord(typed);
    const name = isTyped ? typed : tokens[at - 2];
    return name?.kind === 'name' ? [{ name: name.text, value: token.text, line: token.line }] : [];
  });
}

function isWord({ text }: GoToken): boolean {
  return text !== 'const' && text !== 'var';
}

function isOneOf(token: GoToken | undefined, texts: readonly string[]): boolean {
  return token !== undefined && token.kind === 'mark' && texts.includes(token.text);
}

/** Every message of one file, in its order. */
export function messagesOf({ path, tokens }: GoFile, constants: Constants): readonly GoMessage[] {
  const scope = { constants, folder: dirname(path) };
  const found = tokens.flatMap((token, at) => {
    if (token.kind !== 'name') return [];
    return saidAt(tokens, at, scope).map((said) => ({ ...said, file: path, line: token.line }));
  });
  return [...found, ...reasonsOf(path, tokens)];
}

interface Said {
  readonly level: Level;
  readonly text: string;
}

function saidAt(tokens: readonly GoToken[], at: number, scope: Scope): readonly Said[] {
  const name = tokens[at]?.text ?? '';
  const next = tokens[at + 1];
  if (isOneOf(next, ['(']) && tokens[at - 1]?.text !== 'func') return inCall(tokens, at, scope);
  if (name.endsWith('Error') && isOneOf(next, ['{']))
    return single('returned', expressionAt(tokens, at + 2), scope);
  const isField = FIELD.test(name) && isOneOf(next, [':']) && !isOneOf(tokens[at + 2], ['=']);
  if (isField) return single('condition', expressionAt(tokens, at + 2), scope);
  const isSaid = SAID.test(name) && isOneOf(next, ['=', ':']);
  const value = isOneOf(tokens[at + 2], ['=']) ? at + 3 : at + 2;
  return isSaid ? single('condition', expressionAt(tokens, value), scope) : [];
}

function single(level: Level, expression: readonly GoToken[], scope: Scope): readonly Said[] {
  const text = textOf(expression, scope);
  return text === null ? [] : [{ level, text }];
}

function inCall(tokens: readonly GoToken[], at: number, scope: Scope): readonly Said[] {
  const level = levelOf(tokens, at);
  if (level === null) return [];
  const { arguments: given } = callAt(tokens, at + 1);
  const texts = given.map((one) => textOf(one, scope));
  if (level === 'event' || level === 'condition') return reported(level, texts);
  // The value that `field.Invalid` refuses stands before what is wrong with it.
  const isOfField = tokens[at - 2]?.text === 'field';
  const text = (isOfField ? texts.toReversed() : texts).find((one) => one !== null);
  return text === undefined ? [] : [{ level, text }];
}

/** An event or condition says its reason and its message: the last two texts before the values. */
function reported(level: Level, texts: readonly (string | null)[]): readonly Said[] {
  const said = texts.filter((one) => one !== null);
  const words = said.filter((one) => one !== 'Warning' && one !== 'Normal');
  return words.slice(0, 3).map((text) => ({ level, text }));
}

function levelOf(tokens: readonly GoToken[], at: number): Level | null {
  const name = tokens[at]?.text ?? '';
  const owner = isOneOf(tokens[at - 1], ['.']) ? (tokens[at - 2]?.text ?? null) : null;
  if (owner !== null && ERROR_PACKAGES.test(owner))
    return LOG_ERROR.test(name) || RETURNED.test(name) ? 'returned' : null;
  if (LOG_WARNING.test(name)) return 'warning';
  if (LOG_ERROR.test(name) || LOG_FATAL.test(name) || HANDLED.test(name)) return 'error';
  if (EVENT.test(name)) return 'event';
  if (CONDITION.test(name)) return 'condition';
  return /^New\w*(?:Error|Forbidden|BadRequest|Unauthorized)\w*$|^(?:Wrap|Wrapf)$/.test(name)
    ? 'returned'
    : null;
}

/** Constants that name what an event or a condition reports. */
function reasonsOf(path: string, tokens: readonly GoToken[]): readonly GoMessage[] {
  const isAll = REASON_FILE.test(path);
  return assigned(tokens)
    .filter(({ name, value }) => value !== '' && (isAll || REASON_NAME.test(name)))
    .map(({ value, line }) => ({ level: 'reason', text: value, file: path, line }));
}
