import type { JsonObject } from '../../../evidence/json.ts';
import type { Kernel, Timer } from '../../kernel/kernel.ts';
import type { RandomStream } from '../../kernel/random.ts';
import type { ApiUser, FollowListener, KubeClient, Watch } from '../../kube/contract.ts';
import type { World } from '../../world.ts';
import type { Informers } from './informers.ts';

/** A controller at work; stopping it is what a crash of its program is. */
export interface Running {
  stop(): void;
}

/** One program of the platform: its identity, its chance, and all that it waits for. */
export interface Actor extends Running {
  readonly name: string;
  readonly kernel: Kernel;
  readonly client: KubeClient;
  readonly random: RandomStream;
  /** The program's cache of a kind: every change, a watch's delay after it happened. */
  follow(kind: string, listener: FollowListener): void;
  after(delayMs: number, task: () => void): Timer;
  every(periodMs: number, task: () => void, firstMs?: number): Timer;
  log(what: string): void;
}

export interface ActorOptions {
  /** How late this program hears of a change, ms; drawn for each change. */
  readonly watchDelayMs?: () => number;
  /** Those of the program that it is a part of; its own watches when not given. */
  readonly informers?: Informers;
}

/**
 * Watch events of a kube-apiserver on its own machine reach a client within single milliseconds
 * (measured: 1 to 8 ms between a write and the answer of a controller to it).
 */
const WATCH_DELAY_MEDIAN_MS = 2;
const WATCH_DELAY_SIGMA = 0.6;

/** Built-in controllers ask as service accounts of kube-system (`--use-service-account-credentials`). */
export function controllerUser(name: string): ApiUser {
  return {
    name: `system:serviceaccount:kube-system:${name}`,
    groups: [
      'system:masters',
      'system:serviceaccounts',
      'system:serviceaccounts:kube-system',
      'system:authenticated',
    ],
  };
}

/** A component with a client certificate of its own, such as `system:kube-scheduler`. */
export function componentUser(name: string): ApiUser {
  return { name, groups: ['system:masters', 'system:authenticated'] };
}

/** How late a program near the API server hears of each change. */
export function watchDelayOf(random: RandomStream): () => number {
  return () => random.lognormal(WATCH_DELAY_MEDIAN_MS, WATCH_DELAY_SIGMA);
}

export function createActor(
  world: World,
  name: string,
  user: ApiUser = controllerUser(name),
  options: ActorOptions = {},
): Actor {
  const { kernel } = world;
  const random = kernel.random(name);
  const delayMs = options.watchDelayMs ?? watchDelayOf(random);
  const watches: Watch[] = [];
  const timers: Timer[] = [];
  const client = world.client(user);
  let isStopped = false;
  const unlessStopped = (task: () => void) => (): void => {
    if (!isStopped) task();
  };
  return {
    name,
    kernel,
    random,
    client,
    follow: (kind, listener) => {
      const heard: FollowListener = (...change) => {
        if (!isStopped) listener(...change);
      };
      const { informers } = options;
      watches.push(informers?.follow(kind, heard) ?? client.follow(kind, heard, delayMs));
    },
    after: (waitMs, task) => kernel.after(waitMs, unlessStopped(task)),
    every: (periodMs, task, firstMs) => {
      const timer = kernel.every(periodMs, unlessStopped(task), firstMs);
      timers.push(timer);
      return timer;
    },
    log: (what) => kernel.log(name, what),
    stop: () => {
      isStopped = true;
      for (const watch of watches) watch.stop();
      for (const timer of timers) timer.cancel();
    },
  };
}

/** The objects of a kind as an actor has seen them so far, by `namespace/name` or name. */
export interface Cache {
  get(key: string): JsonObject | undefined;
  values(): Iterable<JsonObject>;
  readonly size: number;
}

/** @param onChange hears each change after the cache holds it */
export function cacheOf(
  actor: Actor,
  kind: string,
  keyOf: (object: JsonObject) => string,
  onChange: FollowListener = () => {},
): Cache {
  const objects = new Map<string, JsonObject>();
  actor.follow(kind, (type, object, before) => {
    const key = keyOf(object);
    if (type === 'DELETED') objects.delete(key);
    else objects.set(key, object);
    onChange(type, object, before);
  });
  return objects;
}

/** Stops several at once. */
export function together(parts: readonly Running[]): Running {
  return {
    stop: () => {
      for (const part of parts) part.stop();
    },
  };
}
