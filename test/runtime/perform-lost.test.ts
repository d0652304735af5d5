/** Every write with every fate that a lost answer can hide, against what the server truly has. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, textAt } from '../../src/evidence/json.ts';
import type { Action, ActionWrite } from '../../src/ports/action.ts';
import type { KubeWrites } from '../../src/ports/kube-writes.ts';
import { PortError } from '../../src/ports/port-error.ts';
import { type Performed, perform } from '../../src/runtime/perform.ts';
import { createKernel } from '../../src/sim/kernel/kernel.ts';
import { createClient } from '../../src/sim/kube/client.ts';
import type { KubeClient } from '../../src/sim/kube/contract.ts';
import { kubePort } from '../../src/sim/kube/port.ts';
import { kubeWritesPort } from '../../src/sim/kube/port-writes.ts';
import { createApiServer } from '../../src/sim/kube/server.ts';
import { virtualClock } from '../ports/fake/clock.ts';
import { createFakeRecorder } from '../ports/fake/recorder.ts';
import { CONFIG_MAPS } from '../ports/kube-api.contract.ts';

const ADMIN = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };
const NAME = { namespace: 'default', name: 'a' };
const OBJECT = { apiVersion: 'v1', kind: 'ConfigMap', metadata: NAME, data: { k: 'v' } };
const WANTED = { data: { k: 'w' } };

type Made = (seen: JsonObject) => ActionWrite;

function patching(requires: 'same-version' | 'same-object'): Readonly<Record<string, Made>> {
  const operations = [{ op: 'replace', path: '/data/k', value: 'w' }];
  return {
    [`merge, ${requires}`]: () => ({
      verb: 'patch',
      requires,
      patch: { type: 'merge', change: WANTED },
    }),
    [`strategic, ${requires}`]: () => ({
      verb: 'patch',
      requires,
      patch: { type: 'strategic', change: WANTED },
    }),
    [`json, ${requires}`]: () => ({ verb: 'patch', requires, patch: { type: 'json', operations } }),
    [`apply, ${requires}`]: () => ({
      verb: 'patch',
      requires,
      patch: { type: 'apply', object: { ...OBJECT, ...WANTED }, isForced: true },
    }),
    [`delete, ${requires}`]: () => ({ verb: 'delete', requires }),
  };
}

const APPLY_NEW = 'apply of what is absent';

const WRITES: Readonly<Record<string, Made>> = {
  ...patching('same-version'),
  ...patching('same-object'),
  update: (seen) => ({ verb: 'update', object: { ...seen, ...WANTED } }),
  create: () => ({ verb: 'create', object: OBJECT }),
  [APPLY_NEW]: () => ({
    verb: 'patch',
    requires: 'same-version',
    patch: { type: 'apply', object: OBJECT, isForced: false },
  }),
};

/** What becomes of a write, and what others do before the object is read. */
interface Fate {
  readonly arrives: 'at once' | 'late' | 'never';
  readonly others: 'nothing' | 'change it' | 'delete it' | 'make it again';
}

const FATES: readonly Fate[] = (['at once', 'late', 'never'] as const).flatMap((arrives) =>
  (['nothing', 'change it', 'delete it', 'make it again'] as const).map((others) => ({
    arrives,
    others,
  })),
);

function interfere(client: KubeClient, others: Fate['others']): void {
  const metadata = { labels: { other: 'x' } };
  if (others === 'change it') client.patch('ConfigMap', 'default/a', 'merge', { metadata });
  if (others === 'delete it' || others === 'make it again') client.delete('ConfigMap', 'default/a');
  if (others === 'make it again') client.create({ ...OBJECT, data: { k: 'theirs' } });
}

const LOST = new PortError({ failure: 'unclear', message: 'No answer came; look' });

interface Ending {
  readonly performed: Performed;
  /** True when the server did what was sent, by its own answer. */
  readonly isApplied: boolean;
  readonly sent: number;
}

async function ending(made: Made, isNew: boolean, fate: Fate): Promise<Ending> {
  const kernel = createKernel({ seed: 1, startMs: 1_750_000_000_000 });
  const server = createApiServer({ kernel });
  const client = createClient(server, ADMIN);
  if (!isNew) assert.ok(client.create(OBJECT).ok);
  const seen = client.get('ConfigMap', 'default/a') ?? {};
  const shared = { server, user: ADMIN, clock: kernel.clock() };
  const real = kubeWritesPort(shared);
  const clock = virtualClock();
  let isApplied = false;
  let sent = 0;
  const lossy = async (arrive: () => Promise<JsonObject>): Promise<never> => {
    sent += 1;
    const land = async (): Promise<void> => {
      try {
        await arrive();
        isApplied = true;
      } catch (error) {
        assert.ok(error instanceof PortError);
      }
    };
    if (fate.arrives === 'at once') await land();
    interfere(client, fate.others);
    if (fate.arrives === 'late') void clock.sleep(1500).then(land);
    throw LOST;
  };
  const writes: KubeWrites = {
    create: (...given) => lossy(() => real.create(...given)),
    update: (...given) => lossy(() => real.update(...given)),
    patch: (...given) => lossy(() => real.patch(...given)),
    delete: (...given) => lossy(() => real.delete(...given)),
    evict: (...given) => lossy(() => real.evict(...given)),
  };
  const tools = {
    api: kubePort(shared),
    writes,
    recorder: createFakeRecorder(),
    clock,
    cluster: 'one',
  };
  const performing = perform(actionOf(made(seen), isNew ? null : seen), tools, {
    isDryRun: false,
  });
  await clock.advance(60_000);
  return { performed: await performing, isApplied, sent };
}

function actionOf(write: ActionWrite, object: JsonObject | null): Action {
  const of = (path: string): string => textAt(object ?? undefined, path) ?? '';
  const seen = {
    uid: of('metadata.uid'),
    resourceVersion: of('metadata.resourceVersion'),
  };
  return {
    id: 'a1',
    object: { resource: CONFIG_MAPS, ...NAME, seen: object === null ? null : seen },
    write,
    why: { kind: 'rule', name: 'test', text: 'The test wants it.' },
    askedBy: 'test',
    undo: null,
  };
}

for (const [name, made] of Object.entries(WRITES))
  test(`${name}: no fate of a lost answer is misread, and nothing is sent twice`, async () => {
    for (const fate of FATES) {
      const isNew = name === 'create' || name === APPLY_NEW;
      const { performed, isApplied, sent } = await ending(made, isNew, fate);
      const { outcome, why } = performed;
      const said = `arrives ${fate.arrives}, others ${fate.others}: ${outcome}: ${why}`;
      assert.equal(sent, 1, said);
      // That somebody else deleted it is what a deletion wanted, and looks the same.
      const isGoneAnyway = name.startsWith('delete') && /delete|again/.test(fate.others);
      if (!isApplied && !isGoneAnyway) assert.notEqual(outcome, 'done', said);
      if (isApplied && fate.others === 'nothing') assert.equal(outcome, 'done', said);
      assert.ok(['done', 'conflict', 'unclear'].includes(outcome), said);
    }
  });
