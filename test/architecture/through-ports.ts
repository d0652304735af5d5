/** Clock, timers, chance and end of the machine, which the product has through its ports alone. */
import {
  type Ban,
  CHANCE,
  CLOCK,
  dateAt,
  isKey,
  isMember,
  memberIs,
  own,
  TIMER,
} from './purity.ts';
import {
  at,
  type Check,
  codeTokens,
  isTest,
  productFiles,
  type SourceFile,
  type Violation,
} from './sources.ts';
import type { Token } from './tokens.ts';

/** Where the machine itself is meant, with the reason; a folder ends in a slash. */
export const REAL: Readonly<Record<string, string>> = {
  'src/adapters/system/': 'what the ports are made of',
  'src/apps/cli/live/diagnose-cluster.ts':
    'an interrupt ends it at once, and a second one for sure',
  'src/apps/lab/doors.ts': 'a token that a stranger on this machine could not guess',
  'src/doors/aws/answer.ts': 'names of requests by programs outside the simulated world',
  'src/doors/kubernetes/certificates.ts': 'keys and lifetimes that real TLS clients check',
  'src/doors/kubernetes/log-stream.ts': 'a connection to a real client, polled while it is open',
  'src/doors/kubernetes/reply.ts': 'names of requests by programs outside the simulated world',
};

const END: Ban = {
  does: 'may hang while threads compile',
  instead: 'set process.exitCode, and let go of what was started',
};

const GLOBALS: Readonly<Record<string, Ban>> = {
  performance: CLOCK,
  queueMicrotask: TIMER,
  setImmediate: TIMER,
  setInterval: TIMER,
  setTimeout: TIMER,
};

/** Of objects that are used for other things too. */
const MEMBERS: Readonly<Record<string, Readonly<Record<string, Ban>>>> = {
  AbortSignal: { timeout: TIMER },
  Math: { random: CHANCE },
  crypto: { getRandomValues: CHANCE, randomUUID: CHANCE },
  process: { exit: END, hrtime: CLOCK, nextTick: TIMER, uptime: CLOCK },
};

/** What may not be imported, or at all from a module that holds nothing else. */
const IMPORTED: Readonly<Record<string, Readonly<Record<string, Ban>> | Ban>> = {
  'node:timers': TIMER,
  'node:timers/promises': TIMER,
  'node:perf_hooks': CLOCK,
  'node:crypto': Object.fromEntries(
    [
      'generateKey generateKeyPair generateKeyPairSync generateKeySync getRandomValues',
      'randomBytes randomFill randomFillSync randomInt randomUUID webcrypto',
    ].flatMap((names) => names.split(' ').map((name) => [name, CHANCE])),
  ),
};

function found(file: SourceFile): readonly Violation[] {
  const tokens = codeTokens(file);
  return tokens.flatMap((token, index) => {
    const ban = token.kind === 'string' ? null : banAt(tokens, index);
    const hit = ban === null ? importAt(tokens, index) : { ban, name: token.text };
    if (hit === null) return [];
    const { does, instead } = hit.ban;
    return [at(file, token.line, `${hit.name} ${does}; ${instead}`)];
  });
}

function banAt(tokens: readonly Token[], index: number): Ban | null {
  const token = tokens[index];
  if (token?.kind !== 'name' || isMember(tokens, index) || isKey(tokens, index)) return null;
  if (token.text === 'Date') return dateAt(tokens, index);
  const members = Object.hasOwn(MEMBERS, token.text) ? (MEMBERS[token.text] ?? {}) : {};
  const member = Object.keys(members).find((name) => memberIs(tokens, index, name));
  return member === undefined ? own(GLOBALS, token.text) : own(members, member);
}

interface Hit {
  readonly ban: Ban;
  readonly name: string;
}

/** At the module's name: what stands before it between braces, or all that the module has. */
function importAt(tokens: readonly Token[], index: number): Hit | null {
  const token = tokens[index];
  if (token?.kind !== 'string' || !Object.hasOwn(IMPORTED, token.text)) return null;
  const before = tokens[index - 1]?.text;
  if (before !== 'from' && before !== '(') return null;
  const bans = IMPORTED[token.text] as Readonly<Record<string, Ban>> | Ban;
  if (isBan(bans)) return { ban: bans, name: token.text };
  const name = namesBefore(tokens, index).find((one) => Object.hasOwn(bans, one));
  return name === undefined ? null : { ban: bans[name] ?? CHANCE, name };
}

function isBan(bans: Readonly<Record<string, Ban>> | Ban): bans is Ban {
  return typeof bans['does'] === 'string';
}

function namesBefore(tokens: readonly Token[], index: number): readonly string[] {
  const open = tokens.findLastIndex(({ text }, place) => place < index && text === 'import');
  return tokens.slice(open, index).map(({ text }) => text);
}

function isReal(path: string, place: string): boolean {
  return place.endsWith('/') ? path.startsWith(place) : path === place;
}

export const throughPorts: Check = {
  title: 'the product has clock, timers and chance through its ports alone',
  run(files) {
    const product = productFiles(files).filter(({ path }) => !isTest(path));
    const places = Object.keys(REAL);
    const elsewhere = product.filter(({ path }) => !places.some((one) => isReal(path, one)));
    return [...elsewhere.flatMap(found), ...idle(product, places)];
  },
};

/** A place that needs the machine no more loses its leave. */
function idle(product: readonly SourceFile[], places: readonly string[]): readonly Violation[] {
  if (!product.some(({ path }) => path.startsWith('src/adapters/system/'))) return [];
  return places
    .filter((place) => !product.some((file) => isReal(file.path, place) && found(file).length > 0))
    .map((where) => ({ where, what: 'touches the machine no more; take it off the list' }));
}
