/** What a change of one Node has a resident make again: counted, as time depends on the machine. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  createResidentStore,
  gatherRound,
  readListed,
} from '../../src/collection/resident/store.ts';
import { KUBE_LISTS, type PlannedList } from '../../src/collection/resources.ts';
import { causeOf } from '../../src/causes/catalogue.ts';
import { CAUSES } from '../../src/causes/index.generated.ts';
import type { Cause } from '../../src/diagnosis/cause.ts';
import type { DiagnosisDocument } from '../../src/diagnosis/document.ts';
import { examine } from '../../src/diagnosis/examine.ts';
import { createMemory } from '../../src/diagnosis/memory.ts';
import { rollCallOf } from '../../src/diagnosis/roll-call/roll-call.ts';
import type { RollCallDocument } from '../../src/diagnosis/roll-call/document.ts';
import { createAssembler } from '../../src/diagnosis/subjects.ts';
import { createJudge } from '../../src/engine/diagnose.ts';
import { factsByKind, partsOf } from '../../src/evidence/fact-values.ts';
import type { JsonObject } from '../../src/evidence/json.ts';
import type { FactKind } from '../../src/evidence/kinds.ts';
import type { Observations } from '../../src/evidence/observations.ts';

const MACHINES = 40;
const PODS = 3;
/** Machines that run and have no Node: what is not explained is judged in two rounds. */
const LONELY = 4;
const NOW_MS = 1_780_000_000_000;
const BORN = '2026-05-01T00:00:00Z';

function planned(kind: string): PlannedList {
  const found = KUBE_LISTS.find(({ resource }) => resource.kind === kind);
  assert.ok(found);
  return found;
}

const [NODES, PODS_LIST, LEASES] = [planned('Node'), planned('Pod'), planned('Lease')];

function idOf(index: number): string {
  return `i-0${String(index).padStart(16, '0')}`;
}

const READY = ['True', 'KubeletReady', 'kubelet is posting ready status'] as const;
const DOWN = [
  'False',
  'KubeletNotReady',
  'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady ' +
    'message:Network plugin returns error: cni plugin not initialized',
] as const;

function node(
  index: number,
  [status, reason, message]: readonly [string, string, string],
): JsonObject {
  const condition = (type: string, about: JsonObject): JsonObject => ({
    type,
    lastTransitionTime: BORN,
    ...about,
  });
  return {
    metadata: { name: `web-${index}`, uid: `n${index}`, creationTimestamp: BORN },
    spec: { providerID: `aws:///us-west-2a/${idOf(index)}` },
    status: {
      addresses: [{ type: 'InternalIP', address: `10.0.0.${index}` }],
      conditions: [
        condition('DiskPressure', { status: 'False', reason: 'KubeletHasNoDiskPressure' }),
        condition('Ready', { status, reason, message }),
      ],
    },
  };
}

function lease(index: number, second: number): JsonObject {
  const renewTime = `2026-05-28T20:26:${String(second).padStart(2, '0')}.000000Z`;
  return {
    metadata: { name: `web-${index}`, namespace: 'kube-node-lease', uid: `l${index}` },
    spec: { holderIdentity: `web-${index}`, leaseDurationSeconds: 40, renewTime },
  };
}

function pod(index: number, number: number): JsonObject {
  return {
    metadata: { name: `shop-${index}-${number}`, namespace: 'shop', uid: `p${index}-${number}` },
    spec: { nodeName: `web-${index}`, containers: [{ name: 'app', image: 'shop:1' }] },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

function instance(index: number): JsonObject {
  return {
    InstanceId: idOf(index),
    InstanceType: 'm6i.large',
    LaunchTime: BORN,
    State: { Name: 'running' },
    PrivateIpAddress: `10.0.0.${index}`,
    PrivateDnsName: `ip-10-0-0-${index}.us-west-2.compute.internal`,
    Tags: [{ Key: 'kubernetes.io/cluster/lab', Value: 'owned' }],
  };
}

function namesBelow(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

function createCluster() {
  const store = createResidentStore();
  const turn = (index: number, condition: typeof READY | typeof DOWN): void =>
    void store.put(NODES, `web-${index}`, readListed(NODES, node(index, condition)));
  const renew = (index: number, second: number): void =>
    void store.put(
      LEASES,
      `kube-node-lease/web-${index}`,
      readListed(LEASES, lease(index, second)),
    );
  for (const index of namesBelow(MACHINES)) {
    turn(index, READY);
    renew(index, 0);
    for (const number of namesBelow(PODS))
      store.put(
        PODS_LIST,
        `shop/shop-${index}-${number}`,
        readListed(PODS_LIST, pod(index, number)),
      );
  }
  for (const one of KUBE_LISTS) store.setState(one, 'whole');
  const round = gatherRound();
  const instances = namesBelow(MACHINES + LONELY).map(instance);
  round.add({
    name: 'instances',
    locator: 'aws ec2 describe-instances',
    content: { Reservations: [{ Instances: instances }] },
  });
  store.setAws(round.round());
  const known = (nowMs: number): Observations =>
    store.observations({ nowMs, cluster: 'lab', skewMs: null, refusals: [] });
  return { turn, renew, known };
}

interface Look {
  readonly observations: Observations;
  readonly document: DiagnosisDocument;
  readonly rollCall: RollCallDocument;
}

/** Looks one after the other with one judge, at which time alone changes nothing. */
function createLooks(known: (nowMs: number) => Observations): () => Promise<Look> {
  const judge = createJudge();
  let nowMs = NOW_MS;
  return async () => {
    nowMs += 200;
    const observations = known(nowMs);
    const document = await judge.judge(observations, { holdsMs: Number.POSITIVE_INFINITY });
    return {
      observations,
      document,
      rollCall: rollCallOf({ document, observations, nowMs, expected: [] }),
    };
  };
}

/** What is not the very same in both. */
function apart<T extends { readonly name: string }>(
  before: readonly T[],
  now: readonly T[],
): readonly string[] {
  const known = new Set(before);
  return now.filter((one) => !known.has(one)).map(({ name }) => name);
}

/** Every cause; each notes of which machines it is asked. */
async function notedCauses(asked: (machine: string, cause: string) => void) {
  const causes = await Promise.all(CAUSES.map(async (entry) => causeOf(await entry.load())));
  return causes.map(
    (cause): Cause => ({
      ...cause,
      match(view) {
        asked(view.node ?? view.instanceId ?? 'the cluster', cause.id);
        return cause.match?.(view) ?? null;
      },
    }),
  );
}

describe('a change of one Node', () => {
  test('asks no cause about another machine', async () => {
    const { turn, known } = createCluster();
    const asked = new Set<string>();
    const causes = await notedCauses((machine) => void asked.add(machine));
    const [assemble, memory] = [createAssembler(), createMemory()];
    const look = (observations: Observations): void => {
      const subjects = assemble(observations);
      memory.look({ observations, subjects }, Number.POSITIVE_INFINITY);
      examine({ observations, subjects, causes, memory, catalogueVersion: '' });
    };
    turn(5, DOWN);
    look(known(NOW_MS));
    assert.equal(asked.size, MACHINES + LONELY + 1);
    asked.clear();
    turn(7, DOWN);
    look(known(NOW_MS + 200));
    assert.deepEqual([...asked].toSorted(), ['the cluster', 'web-7']);
  });

  test('makes the report and the row of its machine again, and those of no other', async () => {
    const { turn, renew, known } = createCluster();
    const look = createLooks(known);
    turn(5, DOWN);
    await look();
    const before = await look();
    turn(7, DOWN);
    renew(9, 10);
    const now = await look();
    assert.deepEqual(apart(before.document.subjects, now.document.subjects), ['web-7']);
    // A machine without a Node may have a Lease, which its row mentions.
    const rows = apart(before.rollCall.rows, now.rollCall.rows);
    assert.deepEqual(
      rows.filter((name) => name.startsWith('web-')),
      ['web-7'],
    );
    assert.equal(now.document.subjects.find(({ name }) => name === 'web-7')?.verdict, 'not-usable');
  });

  test('leaves each list of facts the same that is of another kind', () => {
    const { turn, known } = createCluster();
    const before = known(NOW_MS).facts;
    turn(7, DOWN);
    const now = known(NOW_MS).facts;
    const kinds = [...factsByKind(now)].filter(
      ([kind, list]) => factsByKind(before).get(kind) !== list,
    );
    assert.deepEqual(
      kinds.map(([kind]): FactKind => kind),
      ['kube/Node'],
    );
    assert.equal(partsOf(now).filter((part) => !partsOf(before).includes(part)).length, 1);
  });

  test('puts only its machine and the cluster together again', () => {
    const { turn, known } = createCluster();
    const assemble = createAssembler();
    const before = assemble(known(NOW_MS));
    turn(7, DOWN);
    const now = assemble(known(NOW_MS));
    assert.deepEqual(apart(before, now), ['web-7', 'lab']);
    assert.equal(now.length, MACHINES + LONELY + 1);
  });
});
