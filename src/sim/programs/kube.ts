import type { JsonObject } from '../../evidence/json.ts';
import type { KubeApi, KubeName, KubeResource, KubeWatchEvent } from '../../ports/kube-api.ts';
import type { KubeWrites } from '../../ports/kube-writes.ts';
import { PortError, type PortFailure } from '../../ports/port-error.ts';
import { createWire, type Wire } from '../faults/wire.ts';
import type { ApiUser } from '../kube/contract.ts';
import { tableName } from '../kube/kinds.ts';
import { kubePort } from '../kube/port.ts';
import { kubeWritesPort } from '../kube/port-writes.ts';
import type { KubeApiServer } from '../kube/server.ts';
import { keyOf } from '../kube/store.ts';
import { type Calls, type Deed, STANDS_MS } from './call.ts';
import { type LedgerEntry, noting, type WayOfWrite } from './ledger.ts';
import type { ReadHow } from './rules.ts';
import type { SimulatedProgram } from './program.ts';

/** How far behind an old answer is, ms. */
const STALE_MS = 20_000;
/** How long an event that is late stays away, ms. */
const LATE_MS = 6_000;
/** After so long a client gives up on an answer, ms. */
const UNANSWERED_MS = 3_000;

export interface KubeLine {
  readonly api: KubeApi;
  readonly writes: KubeWrites;
  /** Of its watches and lists. */
  readonly wire: Wire;
  /** Lets every request and every event of it get lost; @returns what ends that */
  partition(): () => void;
  /** Lets each request take so much longer, ms; @returns what ends that */
  slow(byMs: number): () => void;
}

export interface KubeLineOptions {
  readonly server: KubeApiServer;
  readonly user: ApiUser;
  readonly program: SimulatedProgram;
  readonly calls: Calls;
  /** How long a request or an event is on its way, ms. */
  readonly delayMs: () => number;
  readonly onWrite: (entry: LedgerEntry) => void;
  /** It has asked for a kind, or heard of it. */
  readonly onRead: (plural: string, how: ReadHow) => void;
}

/** What stands between one program of Rollcall and the API server. */
export function kubeLine(options: KubeLineOptions): KubeLine {
  return new ProgramLine(options);
}

function failed(failure: PortFailure, what: string): PortError {
  return new PortError({
    failure,
    message: `${what} had no answer; try it: kubectl get --raw /readyz`,
  });
}

type Write = (signal: AbortSignal | undefined) => Promise<JsonObject>;

class ProgramLine implements KubeLine {
  readonly wire = createWire();
  readonly api: KubeApi;
  readonly writes: KubeWrites;
  readonly #options: KubeLineOptions;
  #cuts = 0;
  #slowMs = 0;
  #way: WayOfWrite = { calledMs: 0, isCopy: false, isUnanswered: false };

  constructor(options: KubeLineOptions) {
    this.#options = options;
    const { server, user } = options;
    const port = kubePort({
      server,
      user,
      // What is on its way comes on while the program stands still.
      clock: server.core.kernel.clock(),
      delayMs: ({ resource }) => this.#delayMs() + this.wire.lagMs(resource.split('/')[0] ?? ''),
    });
    this.api = this.#reads(this.wire.through(port));
    this.writes = this.#writes();
  }

  partition(): () => void {
    this.#cuts++;
    for (const plural of this.wire.followed()) this.wire.strike(plural, 'dead');
    return () => {
      this.#cuts--;
    };
  }

  slow(byMs: number): () => void {
    this.#slowMs += byMs;
    return () => {
      this.#slowMs -= byMs;
    };
  }

  #delayMs(): number {
    return this.#options.delayMs() + this.#slowMs;
  }

  #reads(inner: KubeApi): KubeApi {
    const { program, onRead, calls } = this.#options;
    return {
      ...inner,
      skewMs: () => 0,
      list: (resource, options) => this.#list(inner, resource, options),
      watch: (resource, options) => this.#watch(inner, resource, options),
      get: async (resource, name, signal) =>
        this.#asked(resource, async () => {
          onRead(resource.plural, 'get');
          const deed = calls.next(program.name, 'read', `get ${resource.plural} ${name.name}`);
          await this.#unlessCut(`get ${resource.plural}`, signal);
          if (deed === 'stale') return this.#before(resource, name);
          const answer = await inner.get(resource, name, signal);
          if (deed === 'crash-after') program.kill();
          return answer;
        }),
    };
  }

  async #asked<R>({ plural }: KubeResource, ask: () => Promise<R>): Promise<R> {
    const { program, onRead } = this.#options;
    try {
      return await program.waiting(ask);
    } catch (error) {
      if (error instanceof PortError && error.failure === 'denied') onRead(plural, 'refused');
      throw error;
    }
  }

  /** @throws PortError where requests get lost */
  async #unlessCut(what: string, signal: AbortSignal | undefined): Promise<void> {
    if (this.#cuts === 0) return;
    await this.#options.program.clock.sleep(UNANSWERED_MS, signal);
    throw failed('unreachable', what);
  }

  /** The object as an API server has it that lags behind. @throws PortError */
  #before(resource: KubeResource, { namespace = null, name }: KubeName): JsonObject {
    const { server } = this.#options;
    const { store, kernel, kinds } = server.core;
    const kind = kinds.all().find((one) => one.plural === resource.plural);
    const table = kind === undefined ? null : store.table(tableName(kind));
    const state = table?.stateAt(table.revisionAt(kernel.nowMs() - STALE_MS));
    const object = state?.get(keyOf(namespace, name)) ?? null;
    if (object !== null) return object;
    throw new PortError({ failure: 'not-found', message: `${resource.kind} ${name} is not there` });
  }

  async *#list(
    inner: KubeApi,
    resource: KubeResource,
    options: Parameters<KubeApi['list']>[1] = {},
  ): ReturnType<KubeApi['list']> {
    const { program, onRead, calls } = this.#options;
    onRead(resource.plural, 'list');
    const deed = calls.next(program.name, 'read', `list ${resource.plural}`);
    await program.waiting(async () => this.#unlessCut(`list ${resource.plural}`, options.signal));
    const old = deed === 'stale' ? { resourceVersion: this.#oldVersion(resource) } : {};
    const pages = inner.list(resource, { ...options, ...old })[Symbol.asyncIterator]();
    for (let count = 0; ; count++) {
      const page = await this.#asked(resource, async () => pages.next());
      if (count === 0) onRead(resource.plural, 'listed');
      if (deed === 'crash-after') program.kill();
      if (page.done === true) return;
      yield page.value;
    }
  }

  #oldVersion({ plural }: KubeResource): string {
    const { store, kernel, kinds } = this.#options.server.core;
    const kind = kinds.all().find((one) => one.plural === plural);
    if (kind === undefined) return '0';
    return store
      .table(tableName(kind))
      .revisionAt(kernel.nowMs() - STALE_MS)
      .toFixed(0);
  }

  async *#watch(
    inner: KubeApi,
    resource: KubeResource,
    options: Parameters<KubeApi['watch']>[1],
  ): ReturnType<KubeApi['watch']> {
    const { program, onRead } = this.#options;
    onRead(resource.plural, 'watch');
    await program.waiting(async () => this.#unlessCut(`watch ${resource.plural}`, options.signal));
    const { signal, release } = eitherOf(program.gone, options.signal);
    const events = inner.watch(resource, { ...options, signal })[Symbol.asyncIterator]();
    let isInitial = options.sendInitialEvents === true;
    try {
      for (;;) {
        const next = await this.#asked(resource, async () => events.next());
        if (next.done === true) return;
        const { value } = next;
        onRead(resource.plural, 'event');
        if (isInitial || value.type === 'BOOKMARK') yield value;
        else yield* this.#arriving(resource, value);
        isInitial &&= !value.endsInitialEvents;
      }
    } finally {
      release();
      await events.return?.(undefined);
    }
  }

  async *#arriving(
    { plural }: KubeResource,
    event: KubeWatchEvent,
  ): AsyncGenerator<KubeWatchEvent, void> {
    const { program, calls } = this.#options;
    const { name } = event.object['metadata'] as { readonly name?: string };
    const deed = calls.next(program.name, 'event', `${event.type} ${plural} ${name ?? ''}`);
    if (deed === 'skipped') return;
    if (deed === 'late') await program.clock.sleep(LATE_MS);
    yield event;
    if (deed === 'repeated') yield event;
  }

  #writes(): KubeWrites {
    const { user, program, server, onWrite } = this.#options;
    const noted = noting(
      server,
      () => this.#way,
      (entry) => onWrite({ ...entry, program: program.name }),
    );
    const inner = kubeWritesPort({ server: noted, user, clock: program.clock });
    return {
      create: async (resource, object, more) =>
        this.#write(`create ${resource.plural}`, more?.signal, async (signal) =>
          inner.create(resource, object, { ...more, ...given(signal) }),
        ),
      update: async (resource, object, more) =>
        this.#write(`update ${resource.plural}`, more?.signal, async (signal) =>
          inner.update(resource, object, { ...more, ...given(signal) }),
        ),
      patch: async (resource, name, patch, more) =>
        this.#write(`patch ${resource.plural} ${name.name}`, more?.signal, async (signal) =>
          inner.patch(resource, name, patch, { ...more, ...given(signal) }),
        ),
      delete: async (resource, name, more) =>
        this.#write(`delete ${resource.plural} ${name.name}`, more.signal, async (signal) =>
          inner.delete(resource, name, { ...more, ...given(signal) }),
        ),
      evict: async (pod, more) =>
        this.#write(`evict ${pod.name}`, more.signal, async (signal) =>
          inner.evict(pod, { ...more, ...given(signal) }),
        ),
    };
  }

  async #write(what: string, signal: AbortSignal | undefined, send: Write): Promise<JsonObject> {
    const { program, calls } = this.#options;
    const calledMs = this.#options.server.core.kernel.nowMs();
    return program.waiting(async () => {
      const deed = calls.next(program.name, 'write', what);
      if (deed === 'crash-before') program.kill();
      if (deed === 'stands') program.stand(STANDS_MS);
      await program.clock.sleep(this.#delayMs(), signal);
      if (this.#cuts > 0 || deed === 'lost-request') return this.#unanswered(what, signal);
      this.#way = { calledMs, isCopy: false, isUnanswered: isUnanswered(deed) };
      let sent = await settled(send, signal);
      if (deed === 'twice') {
        // A proxy sends it again, and the client has the answer to the second one.
        this.#way = { ...this.#way, isCopy: true };
        sent = await settled(send, signal);
      }
      return this.#answered(what, deed, sent, signal);
    });
  }

  /** The request may have arrived or not: the client cannot tell. */
  async #unanswered(what: string, signal: AbortSignal | undefined): Promise<never> {
    await this.#options.program.clock.sleep(UNANSWERED_MS, signal);
    throw failed('unclear', what);
  }

  async #answered(
    what: string,
    deed: Deed | null,
    sent: PromiseSettledResult<JsonObject>,
    signal: AbortSignal | undefined,
  ): Promise<JsonObject> {
    const { program } = this.#options;
    if (deed === 'crash-after') program.kill();
    if (deed === 'lost-answer') return this.#unanswered(what, signal);
    await program.clock.sleep(this.#delayMs(), signal);
    if (sent.status === 'rejected') throw sent.reason;
    return sent.value;
  }
}

function given(signal: AbortSignal | undefined): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

async function settled(
  send: Write,
  signal: AbortSignal | undefined,
): Promise<PromiseSettledResult<JsonObject>> {
  const [outcome] = await Promise.allSettled([send(signal)]);
  return outcome;
}

interface Either {
  readonly signal: AbortSignal;
  /** Lets go of both; a signal that lives long keeps whatever follows it. */
  readonly release: () => void;
}

function eitherOf(one: AbortSignal, other: AbortSignal | undefined): Either {
  const controller = new AbortController();
  const signals = other === undefined ? [one] : [one, other];
  const abort = (): void => controller.abort(signals.find(({ aborted }) => aborted)?.reason);
  for (const signal of signals) signal.addEventListener('abort', abort, { once: true });
  if (signals.some(({ aborted }) => aborted)) abort();
  return {
    signal: controller.signal,
    release: () => signals.forEach((signal) => signal.removeEventListener('abort', abort)),
  };
}

function isUnanswered(deed: Deed | null): boolean {
  return deed === 'lost-answer' || deed === 'crash-after';
}
