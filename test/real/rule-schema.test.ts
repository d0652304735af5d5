/** The schema of NodeReadinessRules on a real API server, as its controller's documentation has it. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { GateSite } from './gate-site.ts';
import { KubeRefusal } from './kube-client.ts';
import { RULE_DEFINITION } from './node-readiness-rule-definition.ts';
import { CONTROL_PLANE, missing } from './parts.ts';
import { RULES, RuleSite } from './rule-site.ts';

const skip = missing(...CONTROL_PLANE);
const WITH_PARTS = { skip, timeout: 180_000 };

let plane: ControlPlane;
let site: GateSite;
let rules: RuleSite;

before(async () => {
  if (skip !== false) return;
  plane = await startControlPlane();
  site = new GateSite(plane);
  rules = new RuleSite(site);
  await site.define(RULE_DEFINITION, RULES);
});
after(async () => {
  if (skip === false) await plane.stop();
});

describe('NodeReadinessRule: the schema', WITH_PARTS, () => {
  const KEYS: readonly (readonly [string, RegExp])[] = [
    ['example.com/a', /must start with 'readiness\.k8s\.io\/'/],
    ['readiness.k8s.io/a/b', /exactly one '\/' separator/],
    ['readiness.k8s.io/', /1-63 characters/],
    [`readiness.k8s.io/${'a'.repeat(64)}`, /1-63 characters/],
    ['readiness.k8s.io/-a', /must start and end with an alphanumeric character/],
    ['readiness.k8s.io/a-', /must start and end with an alphanumeric character/],
    ['readiness.k8s.io/a$b', /must consist of alphanumeric characters/],
  ];
  for (const [key, words] of KEYS)
    test(`refuses the taint key ${key.slice(0, 40)}`, async () => {
      const more = { taint: { key, effect: 'NoSchedule' } };
      await assert.rejects(
        rules.rule('bad-key', { more }),
        (error) => error instanceof KubeRefusal && words.test(error.message),
      );
    });

  test('keeps every field but dryRun as it is', async () => {
    await rules.rule('immutable');
    const change = { spec: { enforcementMode: 'bootstrap-only' } };
    await assert.rejects(site.patch(`${RULES}/immutable`, change), /enforcementMode is immutable/);
    await site.patch(`${RULES}/immutable`, { spec: { dryRun: true } });
  });

  test('selects rules by the fields that kubectl asks for', async () => {
    await rules.rule('turns');
    const selector = 'fieldSelector=spec.taint.key%3Dreadiness.k8s.io%2Fturns';
    const found = await plane.client.list(`${RULES}?${selector}`);
    assert.deepEqual(
      found.map(({ metadata }) => metadata.name),
      ['turns'],
    );
  });
});
