import type { Timer } from '../kernel/kernel.ts';
import type { KubeObject, Watch, Watcher, WatchEvent } from './contract.ts';
import { shownAs } from './events.ts';
import { apiVersionOf } from './kinds.ts';
import { assertListOptions, versionOf } from './list-options.ts';
import { selected, selectorOfScope } from './read.ts';
import { expired } from './refusal.ts';
import type { OpenWatch, Scope } from './scope.ts';
import type { Selector } from './selectors.ts';
import { type Change, metadataOf } from './store.ts';
import { wordOf } from './word.ts';

/** The cacher's bookmark period (apiserver storage/cacher, defaultBookmarkFrequency). */
const BOOKMARK_MS = 60_000;
/** `--min-request-timeout` 1800 s; a watch lives for one to two of it. */
const WATCH_MIN_MS = 1_800_000;
/** One more bookmark this long before the end. */
const LAST_BOOKMARK_MS = 2_000;

/** Opens a watch; events that are due already are given before it returns. @throws Refusal */
export function openWatch(scope: Scope, watcher: Watcher): Watch {
  assertListOptions(scope.query, true);
  const selector = selectorOfScope(scope);
  const asked = versionOf(scope.query['resourceVersion'] ?? '');
  if (asked > 0 && asked < scope.table.forgottenRevision) return tooOld(scope, watcher, asked);
  const watch = new ServedWatch(scope, selector, watcher);
  watch.begin(asked);
  return watch;
}

/** The refusal is an event, and the end follows it. */
function tooOld({ table }: Scope, watcher: Watcher, asked: number): Watch {
  const oldest = table.forgottenRevision + 1;
  const { status } = expired(`too old resource version: ${asked} (${oldest})`);
  watcher.onEvent({ type: 'ERROR', object: status });
  watcher.onEnd();
  return { stop: () => undefined };
}

class ServedWatch implements Watch, OpenWatch {
  readonly #scope: Scope;
  readonly #selector: Selector;
  readonly #watcher: Watcher;
  readonly #timers: Timer[] = [];
  #since = 0;

  constructor(scope: Scope, selector: Selector, watcher: Watcher) {
    this.#scope = scope;
    this.#selector = selector;
    this.#watcher = watcher;
  }

  get table(): Scope['table'] {
    return this.#scope.table;
  }

  begin(asked: number): void {
    const { core, query, table } = this.#scope;
    const isInitial = query['sendInitialEvents'] === 'true';
    const isFromNow = query['sendInitialEvents'] === 'false' && asked === 0;
    const { revision } = core.store;
    const isPresent = isInitial || (asked === 0 && !isFromNow);
    const past = isPresent ? [] : table.changesAfter(asked > 0 ? asked : revision);
    this.#since = Math.max(asked, revision);
    table.listeners.add(this.#onChange);
    core.watches.add(this);
    if (isPresent) this.#present();
    else for (const change of past) this.#tell(change);
    if (isInitial && this.#isBookmarking) this.#bookmark({ 'k8s.io/initial-events-end': 'true' });
    this.#planEnd();
  }

  stop(): void {
    const { core, table } = this.#scope;
    table.listeners.delete(this.#onChange);
    core.watches.delete(this);
    for (const timer of this.#timers) timer.cancel();
  }

  end(): void {
    this.stop();
    this.#watcher.onEnd();
  }

  readonly #onChange = (change: Change): void => {
    if (change.revision > this.#since) this.#tell(change);
  };

  get #isBookmarking(): boolean {
    return this.#scope.query['allowWatchBookmarks'] === 'true';
  }

  #present(): void {
    const { kind } = this.#scope;
    for (const object of selected(this.#scope, this.#selector))
      this.#watcher.onEvent({ type: 'ADDED', object: shownAs(kind, object) });
  }

  #tell(change: Change): void {
    const event = eventOf(this.#scope, this.#selector, change);
    if (event === null) return;
    const { kind } = this.#scope;
    const isShared = kind.group !== 'events.k8s.io';
    this.#watcher.onEvent(isShared ? event : { ...event, object: shownAs(kind, event.object) });
  }

  #planEnd(): void {
    const { core, query } = this.#scope;
    const seconds = Number(query['timeoutSeconds'] ?? 0);
    const lifeMs = seconds > 0 ? seconds * 1000 : WATCH_MIN_MS * (1 + core.random.next());
    this.#timers.push(core.kernel.after(lifeMs, () => this.end()));
    if (!this.#isBookmarking) return;
    this.#timers.push(core.kernel.every(BOOKMARK_MS, () => this.#bookmark()));
    if (lifeMs > LAST_BOOKMARK_MS)
      this.#timers.push(core.kernel.after(lifeMs - LAST_BOOKMARK_MS, () => this.#bookmark()));
  }

  #bookmark(annotations?: Readonly<Record<string, string>>): void {
    const { core, kind } = this.#scope;
    const metadata = {
      resourceVersion: wordOf(core.store.revision),
      creationTimestamp: null,
      ...(annotations === undefined ? {} : { annotations }),
    };
    const object = { kind: kind.kind, apiVersion: apiVersionOf(kind), metadata };
    this.#watcher.onEvent({ type: 'BOOKMARK', object });
  }
}

/** What a change is to a watcher that sees only what it selected. */
export function eventOf(scope: Scope, selector: Selector, change: Change): WatchEvent | null {
  const { namespace } = scope;
  if (namespace !== null && !change.key.startsWith(`${namespace}/`)) return null;
  const { before, after, shown } = change;
  const was = before !== null && (selector.isEverything || selector.matches(before));
  const is = after !== null && (selector.isEverything || selector.matches(after));
  if (!was && !is) return null;
  if (is) return { type: was ? 'MODIFIED' : 'ADDED', object: shown };
  return {
    type: 'DELETED',
    object: before === null || after === null ? shown : left(before, shown),
  };
}

/** What left a selection is shown as it was last selected, with the version of its leaving. */
function left(before: KubeObject, shown: KubeObject): KubeObject {
  const resourceVersion = metadataOf(shown)['resourceVersion'] ?? '';
  return { ...before, metadata: { ...metadataOf(before), resourceVersion } };
}
