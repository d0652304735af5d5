import type { ServerResponse } from 'node:http';

/** One list that watches follow. */
interface Followed {
  readonly kind: string;
  readonly objects: readonly object[];
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

export function watchDouble(apiVersionOf: (plural: string) => string): WatchDouble {
  const open = new Map<string, Set<ServerResponse>>();
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
    follow(plural, { kind, objects }, response, parameters) {
      kinds.set(plural, kind);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.flushHeaders();
      if (parameters.get('sendInitialEvents') === 'true') {
        for (const object of objects)
          response.write(event('ADDED', versioned(object, plural, kind)));
        response.write(bookmark(plural, kind, { 'k8s.io/initial-events-end': 'true' }));
      }
      const lifeMs = Number(parameters.get('timeoutSeconds') ?? '600') * 1000;
      setTimeout(() => response.end(), lifeMs).unref();
      const all = open.get(plural) ?? new Set();
      open.set(plural, all.add(response));
      response.on('close', () => all.delete(response));
    },
    change(plural, object) {
      version += 1;
      const line = event('MODIFIED', versioned(object, plural, kinds.get(plural) ?? ''));
      for (const response of open.get(plural) ?? []) response.write(line);
    },
    version: () => version,
    end() {
      clearInterval(timer);
      for (const responses of open.values()) for (const response of responses) response.end();
    },
  };
}
