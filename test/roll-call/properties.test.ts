import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { rollCallPage } from '../../src/apps/cli/table/roll-call-table.ts';
import { widthOf } from '../../src/apps/cli/table/width.ts';
import { rollCallOf } from '../../src/diagnosis/roll-call/roll-call.ts';
import type { FactKind } from '../../src/evidence/kinds.ts';
import type { FactRecord, Observations } from '../../src/evidence/observations.ts';
import { projectNode } from '../../src/readers/kube/node.ts';
import {
  diagnosis,
  dnsName,
  instance,
  instanceId,
  machine,
  node,
  NOW_MS,
  rollCall,
} from './fixtures.ts';
import { awsOf, objectOf } from '../../src/evidence/testing.ts';
import type { JsonObject } from '../../src/evidence/json.ts';

const SCHEMA = join(import.meta.dirname, '../../docs/schemas/roll-call.schema.json');
const fits = new Ajv({ allowUnionTypes: true }).compile(
  JSON.parse(readFileSync(SCHEMA, 'utf8')) as object,
);

function factOf(kind: FactKind, value: unknown): FactRecord {
  return {
    kind,
    value: value as FactRecord['value'],
    by: 'test',
    extent: 'whole' as const,
    locator: 'test:1',
    moment: { when: null, at: { document: 0, line: 1 }, isState: true },
    about: [],
  };
}

function pileOf(facts: readonly FactRecord[]): Observations {
  return {
    documents: [],
    hits: [],
    facts,
    links: [],
    listings: [],
    losses: [],
    troubled: [],
    collection: null,
  };
}

const TEXT = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('i-0123456789abcdef0', 'terminated', 'workers', '2026-03-01T00:00:00Z', '3'),
);
const VALUE: fc.Arbitrary<unknown> = fc.oneof(
  TEXT,
  fc.jsonValue({ maxDepth: 2 }),
  fc.array(fc.record({ Key: TEXT, Value: TEXT })),
);

function withFields(names: readonly string[]): fc.Arbitrary<object> {
  return fc.record(Object.fromEntries(names.map((name) => [name, VALUE])), { requiredKeys: [] });
}

const INSTANCE = withFields([
  'InstanceId',
  'InstanceType',
  'LaunchTime',
  'State',
  'Tags',
  'Placement',
  'NetworkInterfaces',
  'PrivateDnsName',
]);
const GROUP = withFields(['AutoScalingGroupName', 'DesiredCapacity', 'Instances', 'Tags']);
const NODE = fc.record({
  metadata: withFields(['name', 'labels']),
  spec: withFields(['providerID']),
});
const CLAIM = fc.record({
  name: TEXT,
  labels: fc.dictionary(TEXT, TEXT),
  status: withFields(['conditions', 'providerID', 'nodeName']),
});

const FACTS = fc.array(
  fc.oneof(
    INSTANCE.map((value) => factOf('aws/instance', awsOf('aws/instance', value as JsonObject))),
    GROUP.map((value) =>
      factOf('aws/auto-scaling-group', awsOf('aws/auto-scaling-group', value as JsonObject)),
    ),
    NODE.map((value) => factOf('kube/Node', projectNode(value as JsonObject))),
    CLAIM.map(({ name, labels, status }) =>
      factOf(
        'kube/NodeClaim',
        objectOf('NodeClaim', name, { status: status as JsonObject }, { labels, namespace: null }),
      ),
    ),
  ),
  { maxLength: 12 },
);

test('whatever is answered, the roll call fits its schema and its table the terminal', () => {
  fc.assert(
    fc.property(FACTS, fc.integer({ min: 60, max: 200 }), (facts, columns) => {
      const document = rollCallOf({
        document: diagnosis([]),
        observations: pileOf(facts),
        nowMs: NOW_MS,
        expected: [],
      });
      assert.ok(fits(document), JSON.stringify(fits.errors));
      const look = { wide: false, headers: true, columns, colour: false, nowMs: NOW_MS };
      const lines = rollCallPage(document, document.rows, look).slice(0, document.rows.length + 1);
      for (const line of lines) {
        assert.ok(widthOf(line) <= columns, line);
        assert.doesNotMatch(line, /[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
      }
    }),
  );
});

const NUMBER = fc.integer({ min: 1, max: 6 });

test('every instance is one row, and every Node is in one', async () => {
  const nodes = fc.uniqueArray(
    fc.record({ n: NUMBER, provider: fc.option(NUMBER), ip: fc.option(NUMBER) }),
    { maxLength: 6, selector: ({ n }) => n },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(NUMBER),
      nodes,
      fc.uniqueArray(NUMBER),
      async (ids, named, subjects) => {
        const { rows } = await rollCall(
          {
            instances: ids.map((n) => instance(n)),
            nodes: named.map(({ n, provider, ip }) =>
              node(n, {
                name: `node-${n}.local`,
                providerID: provider === null ? null : `aws:///a/${instanceId(provider)}`,
                ip: ip === null ? null : `10.0.0.${ip + 1}`,
              }),
            ),
          },
          subjects.map((n) => machine(n, { name: dnsName(n), node: null, verdict: 'cannot-tell' })),
        );
        const seen = rows.flatMap((row) => (row.instanceId === null ? [] : [row.instanceId]));
        assert.equal(new Set(seen).size, seen.length);
        for (const n of ids) assert.ok(seen.includes(instanceId(n)));
        for (const { n } of named) {
          const name = `node-${n}.local`;
          const homes = rows.filter(
            (row) => row.node === name || row.note?.includes(name) === true,
          );
          assert.equal(homes.length, 1, name);
        }
      },
    ),
    { numRuns: 60 },
  );
});
