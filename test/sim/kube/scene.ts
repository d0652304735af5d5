import assert from 'node:assert/strict';
import { type Json, type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import { createKernel, type Kernel } from '../../../src/sim/kernel/kernel.ts';
import { createClient } from '../../../src/sim/kube/client.ts';
import type {
  ApiAnswer,
  ApiRequest,
  ApiUser,
  KubeClient,
  KubeObject,
  Outcome,
  Watch,
  WatchEvent,
} from '../../../src/sim/kube/contract.ts';
import {
  type ApiServerOptions,
  createApiServer,
  type KubeApiServer,
} from '../../../src/sim/kube/server.ts';

export const START_MS = Date.UTC(2026, 0, 1);
export const ADMIN: ApiUser = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };

export interface Scene {
  readonly kernel: Kernel;
  readonly server: KubeApiServer;
  readonly admin: KubeClient;
  readonly as: (name: string, ...groups: readonly string[]) => KubeClient;
  /** Lets this much time pass. */
  readonly pass: (ms: number) => void;
}

/** A server with an empty cluster, in a world where nothing else happens. */
export function scene(options: Partial<ApiServerOptions> = {}): Scene {
  const kernel = createKernel({ seed: 7, startMs: START_MS });
  const server = createApiServer({ kernel, ...options });
  return {
    kernel,
    server,
    admin: createClient(server, ADMIN),
    as: (name, ...groups) =>
      createClient(server, { name, groups: [...groups, 'system:authenticated'] }),
    pass: (ms) => {
      const untilMs = kernel.nowMs() + ms;
      while ((kernel.nextAtMs() ?? Number.POSITIVE_INFINITY) <= untilMs) kernel.step();
      kernel.passTo(untilMs);
    },
  };
}

export function configMap(name: string, more: JsonObject = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...more };
}

export function pod(name: string, spec: JsonObject = {}, metadata: JsonObject = {}): KubeObject {
  const containers = [{ name: 'c', image: 'i:1' }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...metadata },
    spec: { containers, ...spec },
  };
}

export function node(name: string, more: JsonObject = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name }, ...more };
}

/** The object of an outcome that was to succeed. */
export function done(outcome: Outcome): KubeObject {
  assert.ok(outcome.ok, JSON.stringify(outcome));
  return outcome.object;
}

/** `409 Conflict: …` of an outcome that was to fail. */
export function refusal(outcome: Outcome): string {
  assert.ok(!outcome.ok, JSON.stringify(outcome));
  const { code, reason, message } = outcome.failure;
  return `${code} ${reason}: ${message}`;
}

export interface Raw {
  readonly verb: ApiRequest['verb'];
  readonly plural: string;
  readonly group?: string;
  readonly namespace?: string | null;
  readonly name?: string;
  readonly subresource?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Json;
  readonly patchType?: ApiRequest['patchType'];
}

export function requestOf(raw: Raw, user: ApiUser = ADMIN): ApiRequest {
  const { group = '', plural, namespace = 'default', name = null, subresource = null } = raw;
  return {
    user,
    verb: raw.verb,
    path: { group, version: 'v1', plural, namespace, name, subresource },
    query: raw.query ?? {},
    body: raw.body ?? null,
    patchType: raw.patchType ?? null,
  };
}

export function ask({ server }: Scene, raw: Raw, user: ApiUser = ADMIN): ApiAnswer {
  return server.answer(requestOf(raw, user));
}

export interface Seen {
  readonly events: WatchEvent[];
  readonly told: () => readonly string[];
  readonly isEnded: () => boolean;
  readonly stop: () => void;
}

/** Watches, and keeps what is told. */
export function seen({ server }: Scene, raw: Omit<Raw, 'verb'>): Seen {
  const events: WatchEvent[] = [];
  let isEnded = false;
  const watcher = {
    onEvent: (event: WatchEvent): void => {
      events.push(event);
    },
    onEnd: (): void => {
      isEnded = true;
    },
  };
  const opened: Watch | ApiAnswer = server.watch(requestOf({ verb: 'watch', ...raw }), watcher);
  assert.ok('stop' in opened, JSON.stringify(opened));
  return {
    events,
    told: () =>
      events.map(({ type, object }) => `${type} ${textAt(object, 'metadata.name') ?? ''}`),
    isEnded: () => isEnded,
    stop: () => opened.stop(),
  };
}

export function names(answer: ApiAnswer): readonly string[] {
  return listAt(answer.object, 'items').map((item) => textAt(item, 'metadata.name') ?? '');
}

export function versionOf(object: KubeObject): string {
  return textAt(object, 'metadata.resourceVersion') ?? '';
}
