/** A kubelet that is restarted through Systems Manager: by one document, once, and looked after. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fixNodes, type NodesEnd } from '../../../src/controllers/fix/node/fix-node.ts';
import { restartDocument } from '../../../src/controllers/fix/node/restart-document.ts';
import type { FixStep } from '../../../src/controllers/fix/fix.ts';
import { type JsonObject, textAt } from '../../../src/evidence/json.ts';
import { PortError } from '../../../src/ports/port-error.ts';
import { HOUR_MS, nodeScene, type NodeScene } from './node-scene.ts';

const ID = 'i-0123456789abcdef0';
const NAME = 'ip-10-0-1-2.ec2.internal';
const ONLINE = { InstanceId: ID, PingStatus: 'Online', PlatformType: 'Linux' };
const DOCUMENT = { DocumentVersion: '3', Content: JSON.stringify(restartDocument()) };

interface Machine {
  readonly state?: string;
  readonly agents?: readonly JsonObject[];
  readonly document?: JsonObject | null;
  readonly commands?: readonly JsonObject[];
  readonly ends?: JsonObject;
  /** False where the kubelet makes no Node although it was restarted. */
  readonly comesBack?: boolean;
}

/** A machine that runs without its Node, which comes back once its command has ended well. */
function machine(parts: Machine = {}): NodeScene {
  const { state = 'running', agents = [ONLINE], document = DOCUMENT, commands = [] } = parts;
  const { ends = { Status: 'Success' }, comesBack = true } = parts;
  const at = nodeScene();
  at.instances({ [ID]: state });
  at.aws.answer('ssm:DescribeInstanceInformation', () => [{ InstanceInformationList: agents }]);
  at.aws.answer('ssm:GetDocument', () => {
    if (document !== null) return [document];
    throw new PortError({ failure: 'invalid', message: 'ssm:GetDocument (InvalidDocument)' });
  });
  at.aws.answer('ssm:ListCommands', () => {
    const sent = at.calls.map(({ input }, index) => ({
      CommandId: `own-${index}`,
      Comment: input['Comment'] ?? '',
      Status: 'Success',
      RequestedDateTime: new Date(HOUR_MS).toISOString(),
    }));
    return [{ Commands: [...sent, ...commands] }];
  });
  at.aws.answer('ssm:GetCommandInvocation', (input) => {
    if (textAt(input, 'CommandId')?.startsWith('own-') !== true) return [{ Status: 'Failed' }];
    if (comesBack && ends['Status'] === 'Success') at.layNode(NAME);
    return [ends];
  });
  return at;
}

interface Asked {
  readonly isDryRun?: boolean;
  readonly most?: number;
}

async function fixed(at: NodeScene, { isDryRun = false, most = 3 }: Asked = {}): Promise<NodesEnd> {
  const says = 'its Lease is renewed';
  const repair = { kind: 'restart-kubelet', instanceId: ID, node: NAME, says } as const;
  const targets = [{ cause: 'no-reregistration-after-deletion', repair }];
  const order = { id: 'node-1', isDryRun, targets, most, waitMs: 60_000 };
  return await fixNodes(order, at.tools(isDryRun));
}

async function stepOf(at: NodeScene, asked: Asked = {}): Promise<FixStep> {
  const { steps } = await fixed(at, asked);
  return steps[0] ?? assert.fail('no step');
}

describe('a kubelet without a Node', () => {
  test('is restarted by the version of the document that was read, and its Node awaited', async () => {
    const at = machine();
    const { steps, result } = await fixed(at);
    const step = steps[0] ?? assert.fail('no step');
    assert.equal(step.outcome, 'written', step.why);
    assert.match(step.why, /there again and Ready\.$/);
    assert.equal(result?.isReached, true);
    assert.deepEqual(at.calls, [
      {
        service: 'ssm',
        operation: 'SendCommand',
        input: {
          DocumentName: 'Rollcall-RestartKubelet',
          DocumentVersion: '3',
          InstanceIds: [ID],
          TimeoutSeconds: 30,
          Comment: 'rollcall fix node node-1',
        },
      },
    ]);
    assert.deepEqual(at.notes, [
      { kind: 'machine-repair', does: 'restart', instanceId: ID, atMs: HOUR_MS },
    ]);
  });

  test('is shown with the command that would run, and nothing is sent', async () => {
    const at = machine();
    const step = await stepOf(at, { isDryRun: true });
    assert.equal(step.outcome, 'would-write');
    assert.match(step.diff.join('\n'), /version 3 on i-0123456789abcdef0\n\+ +systemctl restart/);
    assert.deepEqual([at.calls, at.notes], [[], []]);
  });

  test('whose command got no answer is not restarted twice', async () => {
    const at = machine();
    at.lost.push(new PortError({ failure: 'unclear', message: 'no answer' }));
    const step = await stepOf(at);
    assert.equal(step.outcome, 'written', step.why);
    assert.equal(at.calls.length, 1);
  });

  test('that makes no Node ends as not reached', async () => {
    const { steps, result } = await fixed(machine({ comesBack: false }));
    const step = steps[0] ?? assert.fail('no step');
    assert.equal(step.outcome, 'written');
    assert.match(step.why, /is not Ready within 60 s; look again/);
    assert.equal(result?.isReached, false);
  });

  test('whose command fails is unclear, with the beginning of its output', async () => {
    const ends = { Status: 'Failed', StandardErrorContent: `no unit ${'x'.repeat(5000)}` };
    const step = await stepOf(machine({ ends }));
    assert.equal(step.outcome, 'unclear');
    assert.match(step.why, /ended as Failed: no unit x/);
    assert.ok(step.why.length < 600);
  });

  test('that nobody may restart says which permissions are missing', async () => {
    const at = machine();
    at.lost.push(new PortError({ failure: 'denied', message: 'not allowed' }));
    const step = await stepOf(at);
    const commands = ['rollcall permissions --for fix-node'];
    assert.deepEqual([step.outcome, step.commands], ['refused', commands]);
  });
});

describe('a kubelet stays as it is', () => {
  const sent = { CommandId: 'c-1', Status: 'InProgress' };
  const at = (ms: number): string => new Date(ms).toISOString();
  const STAYING: readonly (readonly [string, Machine, FixStep['outcome'], RegExp])[] = [
    ['of a stopped machine', { state: 'stopped' }, 'refused', /shows \S+ as stopped/],
    ['without an agent', { agents: [] }, 'refused', /No agent of Systems Manager/],
    [
      'whose agent is lost',
      { agents: [{ ...ONLINE, PingStatus: 'ConnectionLost' }] },
      'refused',
      /No agent/,
    ],
    ['of Windows', { agents: [{ ...ONLINE, PlatformType: 'Windows' }] }, 'refused', /runs Windows/],
    ['without the document', { document: null }, 'refused', /does not exist in this account/],
    [
      'where the document runs something else',
      { document: { ...DOCUMENT, Content: '{"mainSteps":[]}' } },
      'refused',
      /has another content/,
    ],
    [
      'that a run before has restarted',
      { commands: [{ ...sent, RequestedDateTime: at(HOUR_MS - 120_000) }] },
      'not-needed',
      /was restarted 2 minutes ago by command c-1/,
    ],
  ];
  for (const [what, parts, outcome, why] of STAYING)
    test(what, async () => {
      const scene = machine(parts);
      const step = await stepOf(scene);
      assert.equal(step.outcome, outcome, step.why);
      assert.match(step.why, why);
      assert.deepEqual([scene.calls, scene.notes], [[], []]);
    });

  test('whose Node is there again', async () => {
    const scene = machine();
    scene.layNode(NAME);
    assert.equal((await stepOf(scene)).outcome, 'not-needed');
  });

  test('once the budget of the hour is used up', async () => {
    const scene = machine();
    assert.match((await stepOf(scene, { most: 0 })).why, /The budget of this hour is used up/);
    assert.deepEqual(scene.calls, []);
  });

  test('where the commands of its machine cannot be read', async () => {
    const scene = machine();
    scene.aws.refuse('ssm:ListCommands', 'denied');
    assert.equal((await stepOf(scene)).outcome, 'refused');
    assert.deepEqual(scene.calls, []);
  });
});

test('a kubelet whose former command failed, or is long over, is restarted', async () => {
  for (const [Status, agoMs] of [
    ['Failed', 60_000],
    ['Success', 1_200_000],
  ] as const) {
    const RequestedDateTime = new Date(HOUR_MS - agoMs).toISOString();
    const at = machine({ commands: [{ CommandId: 'c-1', Status, RequestedDateTime }] });
    const step = await stepOf(at);
    assert.equal(step.outcome, 'written', step.why);
  }
});
