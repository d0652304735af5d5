/** What CloudWatch Logs is asked of an EKS control plane, and what is told where nothing comes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { collectControlPlaneLogs } from '../../src/collection/control-plane-logs.ts';
import type { CollectedDocument, CollectedEvidence } from '../../src/collection/document.ts';
import { diagnoseObservations } from '../../src/engine/diagnose.ts';
import { SIGN_TABLE } from '../../src/engine/signs.ts';
import { type JsonObject, textAt } from '../../src/evidence/json.ts';
import type { Refusal } from '../../src/evidence/observations.ts';
import { PortError } from '../../src/ports/port-error.ts';
import { createReading } from '../../src/readers/reading.ts';
import { fakeAws } from '../ports/fake/aws-api.ts';

/** As aws-iam-authenticator 0.6 prints it. */
const DENIED =
  'time="2026-11-24T14:43:30Z" level=warning msg="access denied" error="arn \'arn:aws:iam::111122223333:instance-profile/node\' is invalid: \'unrecognized resource instance-profile for service iam\'"';

interface Collected {
  readonly documents: readonly CollectedDocument[];
  readonly refusals: readonly Refusal[];
  readonly shortened: readonly string[];
  readonly inputs: readonly JsonObject[];
}

/** What is collected where each stream answers so. */
async function collected(answer: (stream: string) => readonly JsonObject[]): Promise<Collected> {
  const inputs: JsonObject[] = [];
  const aws = fakeAws({ clock: systemClock });
  aws.answer('logs:FilterLogEvents', (input) => {
    inputs.push(input);
    return answer(textAt(input, 'logStreamNamePrefix') ?? '');
  });
  const [documents, refusals]: [CollectedDocument[], Refusal[]] = [[], []];
  const shortened: string[] = [];
  const evidence: CollectedEvidence = {
    add: (document) => documents.push(document),
    refuse: (refusal) => refusals.push(refusal),
    shorten: (what) => shortened.push(what),
  };
  const { signal } = new AbortController();
  await collectControlPlaneLogs({ aws, clock: systemClock }, 'shop', evidence, signal);
  return { documents, refusals, shortened, inputs };
}

function page(...messages: readonly string[]): JsonObject {
  return { events: messages.map((message) => ({ logStreamName: 'x', timestamp: 1, message })) };
}

function refusing(failure: 'denied' | 'not-found' | 'timeout'): () => never {
  return () => {
    const permission = failure === 'denied' ? 'logs:FilterLogEvents' : null;
    throw new PortError({ failure, message: `AWS says ${failure}.`, permission });
  };
}

describe('logs of the control plane', () => {
  test('are asked for by cluster, stream and time, and the audit log by what matters', async () => {
    const { inputs } = await collected(() => [page()]);
    assert.deepEqual(
      inputs.map((input) => textAt(input, 'logStreamNamePrefix')),
      [
        'authenticator-',
        'cloud-controller-manager-',
        'kube-controller-manager-',
        'kube-apiserver-audit-',
      ],
    );
    for (const input of inputs) {
      assert.equal(input['logGroupName'], '/aws/eks/shop/cluster');
      const backMs = Date.now() - Number(input['startTime']);
      assert.ok(backMs >= 30 * 60_000 && backMs < 40 * 60_000);
    }
    assert.match(textAt(inputs.at(-1), 'filterPattern') ?? '', /"aws-auth".*"system:node:\*"/);
  });

  test('name the cause that the authenticator tells', async () => {
    const { documents, refusals } = await collected((stream) => [
      stream === 'authenticator-' ? page(DENIED) : page(),
    ]);
    assert.deepEqual(refusals, []);
    assert.deepEqual(
      documents.map(({ name }) => name),
      ['aws/logs/authenticator.log'],
    );
    const reading = createReading(SIGN_TABLE);
    for (const { locator, content } of documents) reading.take(locator, content);
    const { headline } = await diagnoseObservations(reading.finish());
    assert.equal(headline?.cause, 'instance-profile-arn-in-aws-auth');
  });

  test('are read up to a number of pages and characters', async () => {
    const line = 'x'.repeat(1000);
    const { documents, shortened } = await collected((stream) =>
      Array.from({ length: 9 }, () =>
        stream === 'authenticator-' ? page(...Array<string>(600).fill(line)) : page(),
      ),
    );
    const [{ content } = { content: '' }] = documents;
    assert.equal(typeof content === 'string' && content.length, 1024 * 1024);
    assert.deepEqual(
      new Set(shortened),
      new Set(['pages of control plane logs beyond the first 3']),
    );
  });
});

describe('reports what keeps logs of the control plane away with the flag and the permission', () => {
  const told =
    /^Logs of the control plane \(--control-plane-logs, permission logs:FilterLogEvents\): /;

  test('denied: once, and nothing more is asked', async () => {
    const { inputs, refusals } = await collected(refusing('denied'));
    assert.equal(inputs.length, 1);
    assert.deepEqual(
      refusals.map(({ call, permission }) => [call, permission]),
      [['logs:FilterLogEvents', 'logs:FilterLogEvents']],
    );
    assert.match(refusals[0]?.message ?? '', told);
  });

  test('turned off: with the command that turns them on', async () => {
    const { refusals } = await collected(refusing('not-found'));
    assert.match(refusals[0]?.message ?? '', told);
    assert.match(
      refusals[0]?.message ?? '',
      /aws eks update-cluster-config --name shop --logging '/,
    );
  });

  test('unanswered', async () => {
    const { refusals } = await collected(refusing('timeout'));
    assert.match(refusals[0]?.message ?? '', told);
  });
});
