/** Runs one program against one server and writes down what it answered. */
import { isObject, type Json, type JsonObject, textAt } from '../../src/evidence/json.ts';
import { type Answered, type Asked, Normaliser, type Target } from './differential.ts';
import type { From, Step } from './differential-programs.ts';

export interface Run {
  /** The answers, normalised, one for each step. */
  readonly answers: readonly Answered[];
  /** What watches of these resources tell of the whole program. */
  readonly histories: Json;
}

const WATCHED = ['configmaps', 'pods'];

export async function runProgram(
  target: Target,
  program: readonly Step[],
  prefix: string,
): Promise<Run> {
  const normaliser = new Normaliser(prefix);
  const known = new Known(prefix);
  const answers: Answered[] = [];
  await prepare(target, prefix);
  const start = await target.ask({ verb: 'list', resource: 'configmaps' }, prefix);
  const version = textAt(start.object, 'metadata.resourceVersion') ?? '';
  for (const step of program) {
    const answer = await target.ask(known.filled(step), prefix);
    known.learn(step, answer);
    answers.push(normaliser.answer(answer));
  }
  const told = await Promise.all(
    WATCHED.map((resource) => target.history(resource, version, prefix)),
  );
  return { answers, histories: normaliser.answer({ code: 0, object: told }).object };
}

/** A namespace with its account; a server without controllers makes none. */
async function prepare(target: Target, prefix: string): Promise<void> {
  const body = (name: string): JsonObject => ({ metadata: { name } });
  await target.ask({ verb: 'create', resource: 'namespaces', body: body('~ns') }, prefix);
  await target.ask({ verb: 'create', resource: 'serviceaccounts', body: body('default') }, prefix);
}

const WRONG_UID = '11111111-1111-4111-a111-111111111111';

/** What a client remembers between its requests. */
class Known {
  readonly #prefix: string;
  readonly #versions = new Map<string, string>();
  readonly #uids = new Map<string, string>();
  readonly #tokens = new Map<string, string>();

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  learn(step: Step, { code, object }: Answered): void {
    if (code >= 300 || !isObject(object)) return;
    const name = textAt(object, 'metadata.name');
    if (name !== null) {
      const key = `${step.resource}/${name.replaceAll(this.#prefix, '~')}`;
      this.#versions.set(key, textAt(object, 'metadata.resourceVersion') ?? '');
      this.#uids.set(key, textAt(object, 'metadata.uid') ?? '');
    }
    if (step.query?.['limit'] !== undefined)
      this.#tokens.set(step.resource, textAt(object, 'metadata.continue') ?? '');
  }

  filled({ version = null, uid = null, isContinued = false, ...asked }: Step): Asked {
    const token = this.#tokens.get(asked.resource) ?? '';
    if (isContinued && token !== '')
      return { ...asked, query: { ...asked.query, continue: token } };
    const key = `${asked.resource}/${asked.name ?? ''}`;
    const given = {
      ...own('resourceVersion', version, this.#versions.get(key), '1'),
      ...own('uid', uid, this.#uids.get(key), WRONG_UID),
    };
    if (Object.keys(given).length === 0) return asked;
    return { ...asked, body: withGiven(asked, given) };
  }
}

function own(key: string, from: From, known: string | undefined, wrong: string): JsonObject {
  if (from === null || (from === 'own' && known === undefined)) return {};
  return { [key]: from === 'own' ? (known ?? '') : wrong };
}

/** Preconditions of a deletion, metadata of all else. */
function withGiven(asked: Asked, given: JsonObject): Json {
  const body = isObject(asked.body) ? asked.body : {};
  if (asked.verb === 'delete') return { ...body, preconditions: given };
  const { metadata = {} } = body;
  return { ...body, metadata: { ...(isObject(metadata) ? metadata : {}), ...given } };
}
