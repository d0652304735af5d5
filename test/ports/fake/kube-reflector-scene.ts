/** A reflector over a server in memory, with a clock that the test moves. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { Reflector } from '../../../src/runtime/reflector/reflector.ts';
import type { ReflectorOptions } from '../../../src/runtime/reflector/reflector-options.ts';
import type { ReflectorChange } from '../../../src/runtime/reflector/reflector-store.ts';
import { type JsonObject, textAt } from '../../../src/evidence/json.ts';
import type { KubeResource } from '../../../src/ports/kube-api.ts';
import { type VirtualClock, virtualClock } from './clock.ts';
import { FakeKubeApi, type FakeKubeOptions } from './kube-api.ts';

export const NODES: KubeResource = {
  group: '',
  version: 'v1',
  plural: 'nodes',
  kind: 'Node',
  isNamespaced: false,
};

export interface Row {
  readonly name: string;
  readonly zone: string;
}

export function node(name: string, zone = 'a'): JsonObject {
  return { metadata: { name, labels: { zone } }, status: { images: ['long', 'list'] } };
}

export function project(object: JsonObject): Row {
  return {
    name: textAt(object, 'metadata.name') ?? '',
    zone: textAt(object, 'metadata.labels.zone') ?? '',
  };
}

export interface Scene {
  readonly api: FakeKubeApi;
  readonly clock: VirtualClock;
  readonly reflector: Reflector<Row>;
  /** `added n1`, in the order told. */
  readonly told: string[];
}

export interface SceneOptions extends Omit<FakeKubeOptions, 'clock'> {
  readonly clock?: VirtualClock;
  readonly nodes?: readonly string[];
  readonly reflector?: Partial<ReflectorOptions<Row>>;
}

/** A reflector that runs until the test is over, over a server with some Nodes. */
export async function scene(context: TestContext, options: SceneOptions = {}): Promise<Scene> {
  const { clock = virtualClock() } = options;
  const api = new FakeKubeApi({ ...options, clock });
  api.serve(NODES);
  for (const name of options.nodes ?? ['n1', 'n2']) api.put(NODES, node(name));
  const told: string[] = [];
  const reflector = new Reflector<Row>({
    api,
    clock,
    random: { next: () => 0.5 },
    resource: NODES,
    project,
    onChange: ({ type, key }: ReflectorChange<Row>) => told.push(`${type} ${key}`),
    ...options.reflector,
  });
  const stop = new AbortController();
  const running = reflector.run(stop.signal);
  context.after(async () => {
    stop.abort();
    await running;
    assert.equal(reflector.state().phase, 'stopped');
    assert.equal(clock.sleeping(), 0, 'a timer outlived the reflector');
  });
  await clock.advance(0);
  return { api, clock, reflector, told };
}

export function names(reflector: Reflector<Row>): readonly string[] {
  return [...reflector.values()].map(({ name }) => name).toSorted();
}
