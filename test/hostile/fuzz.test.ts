import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { load } from 'js-yaml';
import { diagnoseObservations } from '../../src/engine/diagnose.ts';
import { type PileDocument, readPile } from '../../src/engine/pile.ts';
import type { DiagnosisDocument } from '../../src/diagnosis/document.ts';
import { renderMarkdown } from '../../src/diagnosis/report/markdown.ts';
import { renderText } from '../../src/diagnosis/report/text.ts';
import { AWS_KINDS } from '../../src/evidence/aws/shapes.ts';
import { KUBE_KINDS } from '../../src/evidence/kube/shapes.ts';
import { QUOTES_MAX } from '../../src/evidence/sighting.ts';
import { createCollector, LOSSES_MAX } from '../../src/readers/collector.ts';
import { HITS_MAX } from '../../src/readers/sightings.ts';
import { loadExamples } from '../causes/example.ts';
import { CONTAINERS, ENCODINGS } from './containers.ts';
import { broken, misshapen, mutated } from './mutations.ts';
import { check, printedFor } from './run.ts';
import { ENVELOPES, STRUCTURED } from './shapes.ts';

const SCHEMA = join(import.meta.dirname, '../../docs/schemas/diagnosis.schema.json');
const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(
  JSON.parse(readFileSync(SCHEMA, 'utf8')) as object,
);

const FILE = 'test/hostile/fuzz.test.ts';
const GOOD_CAUSE = 'broken-exec-credential-plugin';
const GOOD =
  'Jun 06 19:42:03 ip-10-9-8-7 kubelet[9]: getting credentials: exec plugin is configured to use API version client.authentication.k8s.io/v1beta1, plugin returned version client.authentication.k8s.io/v1alpha1\n';
const UNPRINTABLE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u202a-\u202e\u2066-\u2069]/;
const EXCERPT_MAX = 400;

function document(locator: string, bytes: Uint8Array): PileDocument {
  return { locator, container: null, chunks: [bytes] };
}

function texts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(texts);
}

/** What must hold of every document, whatever was read. */
function assertSound(diagnosis: DiagnosisDocument, isGoodKept = true): void {
  assert.ok(validate(diagnosis), JSON.stringify(validate.errors));
  const printed = [
    ...texts(diagnosis),
    renderText(diagnosis, { columns: 100, colour: false, paths: [] }),
    renderMarkdown(diagnosis),
  ];
  for (const text of printed) assert.doesNotMatch(text, UNPRINTABLE);
  const findings = diagnosis.subjects.flatMap((subject) => subject.findings);
  const good = findings.filter(({ cause }) => cause === GOOD_CAUSE);
  if (isGoodKept) assert.ok(good.length > 0, 'the evidence beside it still has its verdict');
}

async function readBeside(bytes: Uint8Array, isGoodKept = true): Promise<void> {
  const good = document('kubelet.log', new TextEncoder().encode(GOOD));
  const observations = await readPile([document('broken', bytes), good]);
  for (const { quotes, first, last } of observations.hits) {
    assert.ok(quotes.length <= QUOTES_MAX);
    for (const quote of [first, last, ...quotes]) assert.ok(quote.excerpt.length <= EXCERPT_MAX);
  }
  assertSound(await diagnoseObservations(observations), isGoodKept);
}

/** Texts that are larger than readers hold at once take too long to be changed many times. */
const LARGE = /^(?:text\/items|document)\.ts$/;
const forms = Object.entries({ ...ENVELOPES, ...STRUCTURED });
const small = forms.filter(([name]) => !LARGE.test(name)).map(([, write]) => write('now'));

/** Forms that list all Nodes and instances of a live cluster: another machine is none of its. */
const WHOLE_CLUSTER: ReadonlySet<string> = new Set(['aws/kubelet-labels.ts']);

describe('any bytes, mutated texts and wrong fields end in a sound document', () => {
  for (const [name, write] of forms) {
    test(name, async () => {
      await check(
        fc.asyncProperty(mutated(write('now'), small), (bytes) =>
          readBeside(bytes, !WHOLE_CLUSTER.has(name)),
        ),
        LARGE.test(name) ? 4 : 40,
        FILE,
      );
    });
  }
});

/** The objects and answers in the causes' examples, one for each kind of fact. */
async function valuesByKind(): Promise<ReadonlyMap<string, unknown>> {
  const found = new Map<string, unknown>([
    [
      'kube/JoinConfiguration',
      {
        apiVersion: 'kubeadm.k8s.io/v1beta3',
        kind: 'JoinConfiguration',
        nodeRegistration: { name: 'a', kubeletExtraArgs: { 'cloud-provider': 'external' } },
        discovery: { bootstrapToken: { apiServerEndpoint: '10.0.0.1:6443', token: 'a.b' } },
      },
    ],
    [
      'kube/MutatingWebhookConfiguration',
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'MutatingWebhookConfiguration',
        metadata: { name: 'pod-identity-webhook' },
        webhooks: [
          { name: 'a', failurePolicy: 'Ignore', clientConfig: { service: { name: 'b' } } },
        ],
      },
    ],
    ['aws/addon', { addon: { addonName: 'vpc-cni', status: 'ACTIVE', health: { issues: [] } } }],
    [
      'aws/caller',
      { UserId: 'AROAEXAMPLE', Account: '111122223333', Arn: 'arn:aws:iam::1:role/a' },
    ],
    ['kube/CSINode', { apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata: { name: 'a' } }],
  ]);
  for (const { text } of loadExamples().flatMap(({ files }) => files)) {
    if (text.length > 20_000 || !/^\{|^apiVersion:/.test(text)) continue;
    const { facts } = await readPile([document('x', new TextEncoder().encode(text))]);
    const fresh = facts.filter(({ kind }) => !found.has(kind));
    const value = fresh.length === 0 ? null : parsed(text);
    if (value !== null) for (const { kind } of fresh) found.set(kind, value);
  }
  return found;
}

function parsed(text: string): unknown {
  try {
    return load(text);
  } catch {
    return null;
  }
}

const values = await valuesByKind();

describe('an object or answer with a wrong field', () => {
  for (const kind of ['kube/Node', ...KUBE_KINDS.map((name) => `kube/${name}`), ...AWS_KINDS]) {
    test(kind, async () => {
      const value = values.get(kind);
      assert.ok(value !== undefined, `give ${kind} an example or a value here`);
      const property = fc.asyncProperty(misshapen(value), (json) =>
        readBeside(new TextEncoder().encode(json)),
      );
      await check(property, 25, FILE);
    });
  }
});

describe('an encoding or a container that is broken', () => {
  for (const [name, encode] of Object.entries(ENCODINGS)) {
    test(name, async () => {
      const text = ENVELOPES['klog']?.('now') ?? '';
      const property = fc.asyncProperty(mutated(text, small), (bytes) =>
        readBeside(encode(Buffer.from(bytes).toString('latin1'))),
      );
      await check(property, 20, FILE);
    });
  }

  for (const [name, pack] of Object.entries(CONTAINERS)) {
    test(name, async (t) => {
      const folder = mkdtempSync(join(tmpdir(), 'rollcall-fuzz-'));
      t.after(() => rmSync(folder, { recursive: true, force: true }));
      const good = join(folder, 'kubelet.log');
      writeFileSync(good, GOOD);
      const whole = await pack('logs/a.log', small.join('\n'));
      const property = fc.asyncProperty(broken(whole), async (bytes) => {
        const printed = await printedFor(bytes, 'json', ['-', good]);
        assertSound(JSON.parse(printed) as DiagnosisDocument);
      });
      await check(property, 15, FILE);
    });
  }
});

describe('output is bounded', () => {
  test('hits and losses', () => {
    const collector = createCollector();
    const opened = collector.openDocument('many.log', null);
    const row = {
      owner: 'cause',
      name: 'sign',
      in: ['kubelet' as const],
      anchors: ['pod'],
      pattern: /pod (?<pod>\S+)/,
      strict: false,
      per: ['pod'],
    };
    for (let index = 0; index < HITS_MAX + 10; index++) {
      const rest = { line: index, lineEnd: index, when: null, host: null, about: null };
      const text = `pod web-${index}`;
      collector.tryRows(opened, { ...rest, text, source: 'kubelet', isState: false }, [row]);
    }
    for (let index = 0; index < LOSSES_MAX + 10; index++)
      collector.loss({ locator: 'x', what: 'x' });
    const { hits, losses } = collector.finish();
    assert.equal(hits.length, HITS_MAX);
    // One more counts the rest.
    assert.equal(losses.length, LOSSES_MAX + 1);
    assert.equal(
      losses.at(-1)?.what,
      'Left out for safety: 10 kinds of lines beyond the first 30,000, 10 remarks beyond the first 200.',
    );
  });
});
