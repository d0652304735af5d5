/** What every server makes of the preconditions that performed actions carry. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { JsonObject } from '../../src/evidence/json.ts';
import type { Action, ActionOutcome, ActionWrite } from '../../src/ports/action.ts';
import { perform } from '../../src/runtime/perform.ts';
import { virtualClock } from '../ports/fake/clock.ts';
import { createFakeRecorder } from '../ports/fake/recorder.ts';
import { CONFIG_MAPS } from '../ports/kube-api.contract.ts';
import { type KubeWritesHarness, uidOf, versionOf } from '../ports/kube-writes.harness.ts';

type Requires = 'same-version' | 'same-object';

function changes(object: JsonObject, requires: Requires): readonly ActionWrite[] {
  const wanted = { data: { k: 'w' } };
  const { metadata, apiVersion, kind } = object as Record<string, JsonObject>;
  const { namespace, name } = metadata ?? {};
  const bare = {
    apiVersion,
    kind,
    metadata: { namespace, name },
    ...wanted,
  } as unknown as JsonObject;
  const operations = [{ op: 'replace', path: '/data/k', value: 'w' }];
  return [
    { verb: 'patch', requires, patch: { type: 'merge', change: wanted } },
    { verb: 'patch', requires, patch: { type: 'strategic', change: wanted } },
    { verb: 'patch', requires, patch: { type: 'json', operations } },
    { verb: 'patch', requires, patch: { type: 'apply', object: bare, isForced: true } },
    { verb: 'update', object: { ...object, ...wanted } },
    { verb: 'delete', requires },
  ];
}

function called(write: ActionWrite): string {
  return write.verb === 'patch' ? `a ${write.patch.type} patch` : `a ${write.verb}`;
}

/** @param skip the sentence to skip with, or false */
export function performContract(
  name: string,
  open: (context: TestContext) => Promise<KubeWritesHarness>,
  skip: string | false = false,
): void {
  test(`${name}: an action on the version that was seen is done`, { skip }, async (context) => {
    for (const requires of ['same-version', 'same-object'] as const)
      await outcomes(await open(context), requires, 'done', () => Promise.resolve());
  });

  test(`${name}: an action on a version that is over is a conflict`, { skip }, async (context) => {
    await outcomes(await open(context), 'same-version', 'conflict', relabel);
  });

  test(`${name}: an action on an object that was made again is a conflict`, {
    skip,
  }, async (context) => {
    for (const requires of ['same-version', 'same-object'] as const)
      await outcomes(await open(context), requires, 'conflict', remake);
  });
}

type Interfere = (harness: KubeWritesHarness, object: JsonObject) => Promise<void>;

const relabel: Interfere = async ({ writes }, object) => {
  const metadata = { ...(object['metadata'] as JsonObject), labels: { team: 'x' } };
  await writes.update(CONFIG_MAPS, { ...object, metadata });
};

const remake: Interfere = async ({ writes, namespace }, object) => {
  const { name } = object['metadata'] as { name: string };
  await writes.delete(CONFIG_MAPS, { namespace, name }, { preconditions: {} });
  await writes.create(CONFIG_MAPS, bareObject(namespace, name));
};

function bareObject(namespace: string, name: string): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name }, data: { k: 'v' } };
}

async function outcomes(
  harness: KubeWritesHarness,
  requires: Requires,
  expected: ActionOutcome,
  interfere: Interfere,
): Promise<void> {
  const { namespace, writes, api } = harness;
  const count = changes({}, requires).length;
  for (let index = 0; index < count; index++) {
    const name = `${requires}-${index}`;
    const object = await writes.create(CONFIG_MAPS, bareObject(namespace, name));
    const write = changes(object, requires)[index] ?? assert.fail();
    await interfere(harness, object);
    const one = actionOn(namespace, name, object, write);
    const tools = {
      api,
      writes,
      recorder: createFakeRecorder(),
      clock: virtualClock(),
      cluster: 'one',
    };
    const { outcome, why } = await perform(one, tools, { isDryRun: false });
    assert.equal(outcome, expected, `${called(write)}: ${why}`);
  }
}

function actionOn(namespace: string, name: string, object: JsonObject, write: ActionWrite): Action {
  const seen = { uid: uidOf(object), resourceVersion: versionOf(object) };
  return {
    id: name,
    object: { resource: CONFIG_MAPS, namespace, name, seen },
    write,
    why: { kind: 'rule', name: 'test', text: 'The test wants it.' },
    askedBy: 'test',
    undo: null,
  };
}
