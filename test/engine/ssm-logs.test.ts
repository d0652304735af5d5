/** What Systems Manager is asked for the logs of machines without Node, and what is told where nothing comes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CollectedDocument, CollectedEvidence } from '../../src/collection/document.ts';
import { READING_STEPS, readingDocument } from '../../src/collection/reading-document.ts';
import { collectSsmLogs } from '../../src/collection/ssm-logs.ts';
import type { OpenMachine } from '../../src/diagnosis/left-open.ts';
import { SIGN_TABLE } from '../../src/engine/signs.ts';
import { type JsonObject, listAt, textAt } from '../../src/evidence/json.ts';
import type { Refusal } from '../../src/evidence/observations.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { PortFailure } from '../../src/ports/port-error.ts';
import { savedContent } from '../../src/readers/saved/content.ts';
import { type FakeAws, fakeAws } from '../ports/fake/aws-api.ts';

const ID = 'i-0aaaaaaaaaaaaaaa1';
const OTHER = 'i-0aaaaaaaaaaaaaaa2';
const LONELY: readonly OpenMachine[] = [{ node: null, instanceId: ID }];

/** Time that passes as somebody sleeps. */
function sleepingClock(): Clock {
  let passedMs = 0;
  return {
    nowMs: () => passedMs,
    monotonicMs: () => passedMs,
    sleep: (durationMs) => {
      passedMs += durationMs;
      return Promise.resolve();
    },
  };
}

const clock = sleepingClock();

/** An account in which this machine is managed, and each step prints its name. */
function account(output: (step: string) => string = (step) => `${step} said this\n`): FakeAws {
  const aws = fakeAws({ clock });
  aws.answer('ssm:DescribeInstanceInformation', () => [
    { InstanceInformationList: [{ InstanceId: ID, PingStatus: 'Online' }] },
  ]);
  aws.answer('ssm:SendCommand', () => [{ Command: { CommandId: 'c-1' } }]);
  aws.answer('ssm:GetCommandInvocation', (input) => [
    { Status: 'Success', StandardOutputContent: output(textAt(input, 'PluginName') ?? '') },
  ]);
  return aws;
}

interface Collected {
  readonly documents: readonly CollectedDocument[];
  readonly refusals: readonly Refusal[];
}

async function collected(aws: FakeAws, machines = LONELY): Promise<Collected> {
  const [documents, refusals]: [CollectedDocument[], Refusal[]] = [[], []];
  const evidence: CollectedEvidence = {
    add: (document) => documents.push(document),
    refuse: (refusal) => refusals.push(refusal),
    shorten: () => undefined,
  };
  await collectSsmLogs({ aws, clock }, machines, evidence, new AbortController().signal);
  return { documents, refusals };
}

describe('the document', () => {
  test('has a step for each log, which only prints', () => {
    const steps = listAt(readingDocument(), 'mainSteps');
    assert.equal(steps.length, READING_STEPS.length);
    for (const { name, command } of READING_STEPS) {
      // A step is asked for by a name of four characters or more.
      assert.match(name, /^[a-zA-Z]{4,}$/);
      assert.match(command, /^(?:journalctl|tail|systemctl status|chronyc) /);
      assert.doesNotMatch(command, /[>&;`$]|\b(?:rm|restart|start|stop|tee)\b/);
    }
  });
});

describe('logs through Systems Manager', () => {
  test('come from one command, step by step', async () => {
    const inputs: JsonObject[] = [];
    const aws = account();
    aws.answer('ssm:SendCommand', (input) => {
      inputs.push(input);
      return [{ Command: { CommandId: 'c-1' } }];
    });
    const { documents, refusals } = await collected(aws);
    assert.deepEqual(refusals, []);
    assert.deepEqual(inputs, [
      {
        DocumentName: 'Rollcall-ReadLogs',
        InstanceIds: [ID],
        TimeoutSeconds: 30,
        Comment: 'rollcall diagnose --ssm',
      },
    ]);
    const texts = documents.map(({ content }) => textAt(content, 'text') ?? '').toSorted();
    assert.deepEqual(texts, READING_STEPS.map(({ name }) => `${name} said this\n`).toSorted());
    for (const { content } of documents) assert.equal(textAt(content, 'instanceId'), ID);
  });

  test('are waited for while the machine is at it', async () => {
    const aws = account();
    let polls = 0;
    aws.answer('ssm:GetCommandInvocation', () => {
      polls += 1;
      return [
        polls < 5 ? { Status: 'InProgress' } : { Status: 'Success', StandardOutputContent: 'x' },
      ];
    });
    aws.refuse('ssm:GetCommandInvocation', 'not-found', 2);
    const { documents, refusals } = await collected(aws);
    assert.deepEqual([documents.length, refusals], [READING_STEPS.length, []]);
  });

  test('are given up where no agent takes the command', async () => {
    const aws = account();
    aws.answer('ssm:GetCommandInvocation', () => [{ Status: 'Pending' }]);
    const { documents, refusals } = await collected(aws);
    assert.deepEqual(documents, []);
    assert.match(refusals[0]?.message ?? '', /--ssm\): the command on i-0\w+ did not end in time$/);
    assert.ok((aws.requests().get('ssm:GetCommandInvocation') ?? 0) <= 20);
  });

  test('end where Systems Manager cuts them, and lose their secrets in what is saved', async () => {
    const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
    const aws = account(() => `AWS_SECRET_ACCESS_KEY=${secret}\n${'x'.repeat(50_000)}`);
    const { documents } = await collected(aws);
    const kept = JSON.stringify(
      documents.map(({ content }) => savedContent(content, SIGN_TABLE, new Map())),
    );
    assert.ok(!kept.includes(secret));
    assert.ok(kept.length < 25_000 * READING_STEPS.length);
  });

  test('are not asked for where a machine has a Node, or no instance', async () => {
    const aws = account();
    await collected(aws, [
      { node: 'node00', instanceId: ID },
      { node: null, instanceId: null },
    ]);
    assert.deepEqual([...aws.requests()], []);
  });
});

describe('reports what keeps Systems Manager away with the flag', () => {
  const calls = ['DescribeInstanceInformation', 'SendCommand', 'GetCommandInvocation'];
  for (const operation of calls)
    for (const failure of ['denied', 'unreachable'] satisfies PortFailure[])
      test(`${operation}: ${failure}`, async () => {
        const aws = account();
        aws.refuse(`ssm:${operation}`, failure);
        const { documents, refusals } = await collected(aws);
        assert.deepEqual(documents, []);
        assert.deepEqual(
          refusals.map((one) => [one.call, one.failure, one.permission]),
          [[`ssm:${operation}`, failure, failure === 'denied' ? `ssm:${operation}` : null]],
        );
        assert.match(refusals[0]?.message ?? '', /^Logs through Systems Manager \(--ssm\): ssm:/);
        const later = calls.slice(calls.indexOf(operation) + 1);
        assert.ok(later.every((one) => !aws.requests().has(`ssm:${one}`)));
      });

  test('a machine without agent is not sent to', async () => {
    const aws = account();
    const { refusals } = await collected(aws, [...LONELY, { node: null, instanceId: OTHER }]);
    assert.match(refusals[0]?.message ?? '', new RegExp(`no agent answers on ${OTHER}; `));
    aws.answer('ssm:DescribeInstanceInformation', () => [{ InstanceInformationList: [] }]);
    const sent = aws.requests().get('ssm:SendCommand');
    assert.deepEqual((await collected(aws)).documents, []);
    assert.equal(aws.requests().get('ssm:SendCommand'), sent);
  });
});
