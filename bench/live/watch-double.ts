import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/** One list that watches follow. */
interface Followed {
  readonly kind: string;
  readonly count: number;
  readonly at: (index: number) => object;
}

/** Watches as kube-apiserver serves them: what exists, a bookmark, and then what is changed. */
export interface WatchDouble {
  /** Takes over the answer of a watch; its parameters say with what it begins and when it ends. */
  readonly follow: (
    plural: string,
    listed: Followed,
    response: ServerResponse,
    parameters: URLSearchParams,
  ) => void;
  /** Sends a changed object to everybody who follows its list. */
  readonly change: (plural: string, object: object) => void;
  /** The newest version of anything. */
  readonly version: () => number;
  /** Ends all watches. */
  readonly end: () => void;
}

/** kube-apiserver sends them about once a minute. */
const BOOKMARK_MS = 60_000;

interface Versioned {
  readonly metadata?: { readonly resourceVersion?: string };
}

interface Follower {
  write: (line: string) => void;
}

/** As fast as they are read: of 100,000 pods nobody can hold all lines at once. */
async function sendList(
  response: ServerResponse,
  count: number,
  lineAt: (index: number) => string,
): Promise<void> {
  const ending = new AbortController();
  const { signal } = ending;
  response.once('close', () => ending.abort());
  try {
    for (let index = 0; index < count && !signal.aborted; index++)
      if (!response.write(lineAt(index))) await once(response, 'drain', { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

export function watchDouble(apiVersionOf: (plural: string) => string): WatchDouble {
  const open = new Map<string, Set<Follower>>();
  const ends = new Set<() => void>();
  let version = 1000;
  const event = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;
  const versioned = (object: object, plural: string, kind: string): object => ({
    apiVersion: apiVersionOf(plural),
    kind,
    ...object,
    metadata: { ...(object as Versioned).metadata, resourceVersion: String(version) },
  });
  const bookmark = (plural: string, kind: string, annotations = {}): string =>
    event('BOOKMARK', {
      apiVersion: apiVersionOf(plural),
      kind,
      metadata: { resourceVersion: String(version), annotations },
    });
  const kinds = new Map<string, string>();
  const timer = setInterval(() => {
    for (const [plural, responses] of open)
      for (const response of responses) response.write(bookmark(plural, kinds.get(plural) ?? ''));
  }, BOOKMARK_MS);
  return {
    follow(plural, listed, response, parameters) {
      const { kind } = listed;
      kinds.set(plural, kind);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.flushHeaders();
      const lifeMs = Number(parameters.get('timeoutSeconds') ?? '600') * 1000;
      setTimeout(() => response.end(), lifeMs).unref();
      // What changes while the list is sent comes behind it.
      const waiting: string[] = [];
      const follower: Follower = { write: (line) => void waiting.push(line) };
      const all = open.get(plural) ?? new Set();
      open.set(plural, all.add(follower));
      response.on('close', () => all.delete(follower));
      const isListed = parameters.get('sendInitialEvents') === 'true';
      const begin = async (): Promise<void> => {
        await sendList(response, isListed ? listed.count : 0, (index) =>
          event('ADDED', versioned(listed.at(index), plural, kind)),
        );
        const end = bookmark(plural, kind, { 'k8s.io/initial-events-end': 'true' });
        for (const line of [...(isListed ? [end] : []), ...waiting]) response.write(line);
        follower.write = (line) => void response.write(line);
      };
      begin().catch((error: unknown) => response.destroy(error as Error));
      ends.add(() => response.end());
    },
    change(plural, object) {
      version += 1;
      const line = event('MODIFIED', versioned(object, plural, kinds.get(plural) ?? ''));
      for (const response of open.get(plural) ?? []) response.write(line);
    },
    version: () => version,
    end() {
      clearInterval(timer);
      for (const end of ends) end();
    },
  };
}
