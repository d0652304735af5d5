/** `rollcall status --watch --aws-events` as people run it, beside a real API server and moto. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { CreateQueueCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { CONTROL_PLANE, missing } from '../real/parts.ts';
import { unauthorized } from '../real/moto.ts';
import { endOf, type Run, startRollcall } from './rollcall.ts';
import { type Site, startSite } from './world.ts';

const skip = missing(...CONTROL_PLANE, 'moto');
let site: Site;

before(async () => {
  if (skip === false) site = await startSite();
});
after(async () => {
  if (skip === false) await site.stop();
});

const BODY = JSON.stringify({
  id: 'e-1',
  'detail-type': 'EC2 Instance State-change Notification',
  source: 'aws.ec2',
  time: '2026-11-29T10:00:00Z',
  detail: { 'instance-id': 'i-0123456789abcdef0', state: 'running' },
});

interface Queue {
  readonly url: string;
  readonly send: () => Promise<void>;
}

async function queueNamed(QueueName: string): Promise<Queue> {
  const { region, url: endpoint } = site.moto;
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  const client = new SQSClient({ region, endpoint, credentials });
  const { QueueUrl = '' } = await client.send(new CreateQueueCommand({ QueueName }));
  return {
    url: QueueUrl,
    send: async () => {
      await client.send(new SendMessageCommand({ QueueUrl, MessageBody: BODY }));
    },
  };
}

/** Watches until `isOver` is true of what it printed. */
async function watch(url: string, isOver: (printed: string) => Promise<boolean>): Promise<Run> {
  const args = ['status', '--watch', '--aws-events', url, '--region', site.moto.region];
  const child = startRollcall(args, site.env);
  let printed = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    printed += String(chunk);
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    printed += String(chunk);
  });
  const ended = endOf(child);
  while (child.exitCode === null && !(await isOver(printed)))
    await new Promise((resolve) => setTimeout(resolve, 200));
  child.kill('SIGINT');
  return ended;
}

describe('status --watch --aws-events', { skip }, () => {
  test('asks EC2 when AWS reports a machine, and removes the message then', async () => {
    const { url, send } = await queueNamed('rollcall-watch');
    const { moto } = site;
    let isSent = false;
    let asked = 0;
    await watch(url, async () => {
      if (!isSent && moto.count('DescribeInstances') > 0 && moto.count('ReceiveMessage') > 0) {
        isSent = true;
        moto.forget();
        await send();
      }
      asked = moto.count('DescribeInstances');
      return isSent && moto.count('DeleteMessageBatch') > 0;
    });
    assert.ok(isSent);
    assert.equal(asked, 1);
  });

  test('says that the queue may not be read, and watches all the same', async () => {
    const { url } = await queueNamed('rollcall-watch');
    site.moto.refuse('ReceiveMessage', unauthorized('ReceiveMessage'));
    const words = /Events of AWS are not received: .*ReceiveMessage.*; AWS is asked every 60 s/;
    const { stdout } = await watch(url, async (printed) => words.test(printed));
    site.moto.allow('ReceiveMessage');
    assert.match(stdout, words);
  });

  test('leaves the queue of a controller alone', async () => {
    const { url, send } = await queueNamed('rollcall');
    await send();
    site.moto.forget();
    const { code, stderr } = await watch(url, async () => false);
    assert.equal(code, 64);
    assert.match(stderr, /does not end in -watch, and a watch removes what it reads; make one/);
    assert.equal(site.moto.count('ReceiveMessage'), 0);
  });
});
