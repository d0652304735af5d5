/** `rollcall gate convert`: what NodeGates of other programs' configuration ask for. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  type Conversion,
  convert,
  type ConvertDocument,
} from '../../../src/controllers/gate/convert/convert.ts';
import { nodeGateOf } from '../../../src/controllers/gate/convert/node-gate-of.ts';
import { readNidhogg } from '../../../src/controllers/gate/policies/nidhogg.ts';
import { readNodeGate } from '../../../src/controllers/gate/policies/node-gate.ts';
import { readNodeReadinessRule } from '../../../src/controllers/gate/policies/node-readiness-rule.ts';
import type { GatePolicy } from '../../../src/controllers/gate/policy.ts';
import { at, type Json, type JsonObject, textAt } from '../../../src/evidence/json.ts';
import { parseLinedYaml } from '../../../src/readers/text/yaml-lines.ts';

function documentOf(text: string, path = 'a.yaml'): ConvertDocument {
  const parsed = parseLinedYaml(text);
  return parsed.ok ? { ...parsed, path } : assert.fail(parsed.why);
}

function parse(text: string): ConvertDocument | null {
  const parsed = parseLinedYaml(text);
  return parsed.ok ? { ...parsed, path: '' } : null;
}

function converted(...texts: readonly string[]): Conversion {
  return convert(
    texts.map((text) => documentOf(text)),
    parse,
  );
}

/** What a gate cannot say as the other program does: who it is, since when, and what comes later. */
function comparable(policy: GatePolicy): Partial<GatePolicy> {
  const unlike = ['source', 'createdMs', 'regressTaint', 'expiryMs'];
  return Object.fromEntries(Object.entries(policy).filter(([key]) => !unlike.includes(key)));
}

function readBack(gate: JsonObject): GatePolicy {
  const { policies, refusals } = readNodeGate(gate);
  assert.deepEqual(refusals, []);
  return policies[0] ?? assert.fail('no policy');
}

function sorted(policy: GatePolicy): GatePolicy {
  const requirements = policy.selects.requirements.toSorted((a, b) =>
    JSON.stringify(a).localeCompare(JSON.stringify(b)),
  );
  return { ...policy, selects: { ...policy.selects, requirements } };
}

function mustSurvive(policy: GatePolicy): void {
  const back = readBack(nodeGateOf(policy, 'a'));
  assert.deepEqual(comparable(sorted(back)), comparable(sorted(policy)));
}

const WORD = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
const SELECTOR = fc.oneof(
  fc.tuple(WORD, WORD).map(([key, value]) => `${key}=${value}`),
  fc.tuple(WORD, WORD).map(([key, value]) => `${key}!=${value}`),
  fc
    .tuple(WORD, fc.array(WORD, { minLength: 1, maxLength: 3 }))
    .map(([key, all]) => `${key} in (${all.join(',')})`),
  WORD,
  WORD.map((key) => `!${key}`),
);
const NIDHOGG = fc.record(
  {
    daemonsets: fc.array(fc.record({ name: WORD, namespace: WORD }), {
      minLength: 1,
      maxLength: 4,
    }),
    nodeSelector: fc.uniqueArray(SELECTOR, {
      maxLength: 4,
      selector: (text) => text.replace(/^!/, '').replace(/[^a-z0-9].*$/, ''),
    }),
    taintEffect: fc.constantFrom('NoSchedule', 'PreferNoSchedule', 'NoExecute'),
    taintRemovalDelayInSeconds: fc.nat({ max: 600 }),
    taintNamePrefix: WORD.map((word) => `${word}.example.com`),
  },
  { requiredKeys: ['daemonsets'] },
);

describe('a NodeGate', () => {
  test('asks for what the nidhogg file asked for, whatever it is', () => {
    fc.assert(
      fc.property(NIDHOGG, (config) => {
        const value = config as unknown as Json;
        const { policies } = readNidhogg({ value, lineOf: () => 1 });
        for (const policy of policies) mustSurvive(policy);
      }),
    );
  });

  test('asks for what the NodeReadinessRule asked for, whatever it is', () => {
    const condition = fc.record(
      {
        type: WORD.map((word) => `example.com/${word}`),
        requiredStatus: fc.constantFrom('True', 'False', 'Unknown'),
        defaultStatus: fc.constantFrom('True', 'False', 'Unknown'),
      },
      { requiredKeys: ['type', 'requiredStatus'] },
    );
    const spec = fc.record({
      conditions: fc.array(condition, { minLength: 1, maxLength: 3 }),
      enforcementMode: fc.constantFrom('bootstrap-only', 'continuous'),
      taint: fc.record({
        key: WORD.map((word) => `readiness.k8s.io/${word}`),
        value: WORD,
        effect: fc.constantFrom('NoSchedule', 'PreferNoSchedule', 'NoExecute'),
      }),
      nodeSelector: fc.record({ matchLabels: fc.dictionary(WORD, WORD, { maxKeys: 3 }) }),
      conditionPolicy: fc.constantFrom('allOf', 'anyOf'),
      dryRun: fc.boolean(),
    });
    fc.assert(
      fc.property(spec, (given) => {
        const rule = { metadata: { name: 'r', uid: 'u' }, spec: given } as unknown as JsonObject;
        for (const policy of readNodeReadinessRule(rule).policies) mustSurvive(policy);
      }),
    );
  });
});

const DAEMON_SET =
  'kind: DaemonSet\nmetadata: {name: NAME, namespace: kube-system, labels: {team: TEAM}}\n';

function daemonSet(name: string, team = 'a'): string {
  return DAEMON_SET.replace('NAME', name).replace('TEAM', team);
}

describe('convert', () => {
  test('makes a gate of each DaemonSet of a nidhogg file', () => {
    const { gates, refusals } = converted(
      'daemonsets: [{name: cni, namespace: kube-system}, {name: kiam, namespace: kube-system}]\n',
    );
    assert.deepEqual(refusals, []);
    assert.deepEqual(
      gates.map(({ gate, from }) => [textAt(gate, 'metadata.name'), from]),
      [
        ['nidhogg.kube-system.cni', 'nidhogg kube-system/cni of a.yaml'],
        ['nidhogg.kube-system.kiam', 'nidhogg kube-system/kiam of a.yaml'],
      ],
    );
    assert.match(
      gates[0]?.notes.join('\n') ?? '',
      /opens a node while the DaemonSet does not exist/,
    );
  });

  test('reads the file out of its ConfigMap', () => {
    const { gates } = converted(
      'kind: ConfigMap\nmetadata: {name: nidhogg}\ndata:\n  config.json: \'{"daemonsets": [{"name": "cni", "namespace": "kube-system"}]}\'\n',
    );
    assert.equal(gates.length, 1);
  });

  test('makes gates of a list of rules, and says where a UID is missing', () => {
    const rule = (name: string, more: string): string =>
      `- kind: NodeReadinessRule\n  metadata: {name: ${name}${more}}\n  spec:\n` +
      '    conditions: [{type: a/b, requiredStatus: "True"}]\n    enforcementMode: bootstrap-only\n' +
      '    taint: {key: readiness.k8s.io/a, effect: NoSchedule}\n    nodeSelector: {}\n';
    const { gates, refusals } = converted(
      `kind: NodeReadinessRuleList\nitems:\n${rule('one', ', uid: u-1')}${rule('two', '')}`,
    );
    assert.deepEqual(refusals, []);
    assert.deepEqual(
      gates.map(({ gate }) => at(gate, 'spec.completedBy')),
      [
        ['readiness.k8s.io/bootstrap-completed-u-1', 'readiness.k8s.io/bootstrap-completed-one'],
        ['readiness.k8s.io/bootstrap-completed-two'],
      ],
    );
    assert.match(gates[1]?.notes.join('\n') ?? '', /The file has no UID of the rule/);
    assert.doesNotMatch(gates[0]?.notes.join('\n') ?? '', /The file has no UID of the rule/);
  });

  test('makes a gate of every DaemonSet that vigil waits for', () => {
    const config =
      'taintKey: node.nextdoor.com/initializing\ntimeoutSeconds: 60\n' +
      'excludeDaemonSets: {byName: [logs], byLabel: {matchLabels: {team: other}}}\n';
    const { gates, refusals } = converted(
      config,
      daemonSet('cni'),
      daemonSet('logs'),
      daemonSet('extra', 'other'),
    );
    assert.deepEqual(refusals, []);
    assert.deepEqual(
      gates.map(({ gate }) => textAt(gate, 'metadata.name')),
      ['vigil.kube-system.cni'],
    );
    const policy = readBack(gates[0]?.gate ?? {});
    assert.equal(policy.taint.key, 'node.nextdoor.com/initializing');
    assert.equal(policy.expiryMs, 60_000);
    assert.deepEqual(policy.selects.placedBy, { namespace: 'kube-system', name: 'cni' });
    assert.match(gates[0]?.notes.join('\n') ?? '', /vigil opens a node after timeoutSeconds/);
  });
});

describe('convert where something is missing', () => {
  test('asks for the DaemonSets where vigil has none', () => {
    const { gates, refusals } = converted('taintKey: node.nextdoor.com/initializing\n');
    assert.deepEqual(gates, []);
    assert.match(refusals[0] ?? '', /give them too: kubectl get daemonsets -A -o yaml \| rollcall/);
  });

  test('gives two gates of one name two names', () => {
    const file = 'daemonsets: [{name: cni, namespace: kube-system}]\n';
    const { gates } = converted(file, file);
    assert.deepEqual(
      gates.map(({ gate }) => textAt(gate, 'metadata.name')),
      ['nidhogg.kube-system.cni', 'nidhogg.kube-system.cni-2'],
    );
  });

  test('refuses what it does not know, and converts the rest', () => {
    const { gates, refusals } = converted(
      'foo: 1\n',
      'kind: Pod\nmetadata: {name: web}\n',
      'kind: ConfigMap\nmetadata: {name: x}\ndata: {a: b}\n',
      'daemonsets: [{name: cni}, {name: kiam, namespace: kube-system}]\n',
    );
    assert.equal(gates.length, 1);
    assert.deepEqual(refusals, [
      'a.yaml: not recognized; give configuration of nidhogg or vigil, or NodeReadinessRules',
      'a.yaml: Pod web is no gate',
      'a.yaml: the ConfigMap holds no configuration of a gate',
      'a.yaml: Line 1: daemonsets[0].namespace is missing.',
    ]);
  });

  test('refuses a vigil file that cannot be read', () => {
    const { refusals } = converted(
      'taintKey: node.kubernetes.io/not-ready\n',
      'taintKey: a/b\nsurprise: 1\n',
    );
    assert.match(refusals[0] ?? '', /taint\.key belongs to another program/);
    assert.match(refusals[1] ?? '', /surprise is unknown/);
  });
});
