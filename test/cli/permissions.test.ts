import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadAll } from 'js-yaml';
import { CALLS } from '../../src/adapters/aws/calls.ts';
import { PERMISSIONS } from '../../src/collection/permissions.generated.ts';
import {
  checkAws,
  checkKube,
  type PermissionAnswer,
} from '../../src/collection/permissions-check.ts';
import { READING_STEPS, readingDocument } from '../../src/collection/reading-document.ts';
import { featuresNamed, joined, policyOf, rolesOf } from '../../src/collection/permissions.ts';
import { KUBE_LISTS } from '../../src/collection/resources.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { AWS_SERVICES } from '../../src/ports/aws-api.ts';
import type { KubeApi } from '../../src/ports/kube-api.ts';
import { PortError, type PortFailure } from '../../src/ports/port-error.ts';
import { recordPermissions } from '../../tools/generate/permissions.ts';
import { type FakeAws, fakeAws } from '../ports/fake/aws-api.ts';
import { capture } from './capture.ts';
import { fits, tooWide, withoutClients } from './evidence.ts';

const ROOT = join(import.meta.dirname, '../..');
const { signal } = new AbortController();

test('the table is what the collection asks today', async () => {
  assert.deepEqual(await recordPermissions(), PERMISSIONS);
});

/** Operations that the sources of collecting name, those of the check itself left out. */
function operationsInSources(): ReadonlySet<string> {
  const folders = ['src/collection', 'src/apps/cli/live'];
  const paths = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.ts') && !name.startsWith('permissions'))
      .map((name) => join(ROOT, folder, name)),
  );
  const names = paths.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/'((?:Describe|List|Get|Lookup)[A-Z]\w+)'/g)].map(
      ([, name = '']) => name,
    ),
  );
  return new Set(names);
}

test('every operation that the sources name was reached by the recording', () => {
  const { aws } = joined(PERMISSIONS);
  const reached = new Set([...aws.map((action) => action.split(':')[1]), 'GetCallerIdentity']);
  const missed = [...operationsInSources()].filter((name) => !reached.has(name));
  assert.deepEqual(missed, [], 'lead the recording there: tools/generate/permission-answers.ts');
});

test('every planned list is there', () => {
  const { kubernetes } = joined(PERMISSIONS);
  for (const { resource, namespace } of KUBE_LISTS)
    assert.ok(
      kubernetes.some(
        (one) =>
          one.verb === 'list' &&
          one.group === resource.group &&
          one.resource === resource.plural &&
          one.namespace === namespace,
      ),
      resource.plural,
    );
});

test('nothing but reading is asked for, except by controllers, reports and repairs', () => {
  const writing = [
    'controller',
    'eni-janitor',
    'aws-events',
    'watch-events',
    'auth-restore',
    'gate',
    'gate-evict',
    'join-report',
    'spot-rules',
    'fix',
    'fix-node',
  ];
  const { kubernetes, aws } = joined(
    PERMISSIONS.filter(({ feature }) => !writing.includes(feature)),
  );
  assert.ok(kubernetes.length > 10 && aws.length > 20);
  for (const { verb } of kubernetes) assert.match(verb, /^(?:get|list|watch)$/);
  for (const action of aws)
    if (action !== 'ssm:SendCommand')
      assert.match(action, /^[a-z0-9]+:(?:Describe|Filter|List|Get|Lookup)[A-Z]/);
});

test('the controller may write its own objects and Events, and only by name', () => {
  const usual = joined(featuresNamed(PERMISSIONS, [])).kubernetes;
  assert.ok(usual.every(({ verb }) => /^(?:get|list|watch)$/.test(verb)));
  const { kubernetes, aws } = joined(featuresNamed(PERMISSIONS, ['controller']));
  const written = kubernetes.filter(({ verb }) => !/^(?:get|list|watch)$/.test(verb));
  assert.deepEqual(
    [...new Set(written.map(({ resource, namespace }) => `${resource} ${namespace ?? '-'}`))],
    ['events -', 'nodereports -', 'leases rollcall'],
  );
  assert.deepEqual(aws, []);
});

test('a command to machines is granted for one document, and only by name', () => {
  const usual = JSON.stringify(policyOf(joined(featuresNamed(PERMISSIONS, [])).aws));
  assert.doesNotMatch(usual, /ssm:/);
  const { Statement } = policyOf(joined(featuresNamed(PERMISSIONS, ['ssm'])).aws);
  const sending = JSON.stringify(Statement)
    .split('{')
    .filter((one) => one.includes('SendCommand'));
  assert.equal(sending.length, 1);
  assert.match(
    sending[0] ?? '',
    /"Resource":\["arn:aws:ssm:\*:\*:document\/Rollcall-ReadLogs","arn:aws:ec2:/,
  );
});

test('the document is shown whole before anything runs it', async () => {
  const { out, code } = await capture(['permissions', '--ssm-document']);
  assert.deepEqual([JSON.parse(out), code], [readingDocument(), 0]);
  const page = await capture(['permissions', '--for', 'ssm']);
  for (const { command } of READING_STEPS) assert.ok(page.out.includes(command), command);
});

test('grants reads of one namespace there only', () => {
  const roles = rolesOf(joined(PERMISSIONS).kubernetes);
  const cluster = roles.find(({ kind }) => kind === 'ClusterRole');
  assert.doesNotMatch(JSON.stringify(cluster), /configmaps/);
  const places = roles
    .filter(({ kind }) => kind === 'Role')
    .map(({ metadata }) => (metadata as { readonly namespace?: string }).namespace);
  assert.deepEqual(places, ['kube-node-lease', 'kube-public', 'kube-system', 'rollcall']);
});

test('a policy fits into what a managed policy may hold', () => {
  const text = JSON.stringify(policyOf(joined(PERMISSIONS).aws)).replaceAll(/\s/g, '');
  assert.ok(text.length <= 6144, `${text.length} characters`);
});

test('the document fits its schema, the page its rows', async () => {
  const { code, out } = await capture(['permissions', '-o', 'json']);
  assert.equal(code, 0);
  assert.equal(fits('permissions', JSON.parse(out)), '');
  const yaml = await capture(['permissions', '-o', 'yaml']);
  assert.deepEqual(loadAll(yaml.out), [JSON.parse(out)]);
  assert.deepEqual(tooWide((await capture(['permissions'])).out), []);
});

test('the roles and the policy come alone', async () => {
  const roles = loadAll((await capture(['permissions', '--rbac'])).out);
  const usual = joined(featuresNamed(PERMISSIONS, []));
  assert.deepEqual(roles, rolesOf(usual.kubernetes));
  const policy: unknown = JSON.parse((await capture(['permissions', '--iam'])).out);
  assert.deepEqual(policy, policyOf(usual.aws));
});

test('what reaches far is granted only by its name, and with a warning', async () => {
  const [usual, named] = await Promise.all([
    capture(['permissions']),
    capture(['permissions', '--for', 'node-logs']),
  ]);
  assert.doesNotMatch(usual.out, /nodes\/proxy/);
  assert.match(
    usual.out.replaceAll(/\s+/g, ' '),
    / Only by name, with --for: controller, eni-janitor, aws-events, watch-events, auth-restore, gate, gate-evict, join-report, spot-rules, fix, fix-node, node-logs, ssm, control-plane-logs Kubernetes /,
  );
  assert.match(named.out, /^ +- nodes\/proxy$/m);
  assert.match(named.out.replaceAll(/\s+/g, ' '), /Warning: .* runs commands in every pod/);
});

test('a feature needs less than all of them', async () => {
  const { out } = await capture(['permissions', '--for', 'capacity', '--iam']);
  assert.match(out, /ec2:DescribeNetworkInterfaces/);
  assert.doesNotMatch(out, /iam:|eks:|route53:/);
  const { code, err } = await capture(['permissions', '--for', 'all']);
  assert.equal(code, 64);
  assert.match(
    err,
    /unknown feature "all"; use status, details, capacity, spot, spot-watch, name, watch, controller, eni-janitor, aws-events, watch-events, auth-restore, gate, gate-evict, join-report, spot-rules, fix, fix-node, node-logs, ssm or control-plane-logs/,
  );
});

test('without any client the check ends with 69', async (t) => {
  withoutClients(t);
  const { code, err } = await capture(['permissions', '--check']);
  assert.equal(code, 69);
  assert.ok(err.length > 0);
});

const LIST_NODES = {
  verb: 'list',
  group: '',
  resource: 'nodes',
  subresource: null,
  namespace: null,
  isOptional: false,
} as const;

function kubeThatSays(mayI: KubeApi['mayI']): KubeApi {
  const unused = (): never => assert.fail('the check asks nothing but the review');
  return {
    server: 'https://api.example',
    list: unused,
    get: unused,
    watch: unused,
    logs: unused,
    kubeletHealth: unused,
    nodeLog: unused,
    version: unused,
    skewMs: unused,
    mayI,
  };
}

function grants(answers: readonly PermissionAnswer[]): readonly string[] {
  return answers.map(({ permission, granted }) => `${permission} ${granted}`);
}

test('Kubernetes is asked by access reviews', async () => {
  const logs = { ...LIST_NODES, verb: 'get', resource: 'pods', subresource: 'log' };
  const kube = kubeThatSays(async ({ subresource }) => subresource === 'log');
  const answers = await checkKube(kube, [LIST_NODES, logs], signal);
  assert.deepEqual(grants(answers), ['list nodes no', 'get pods/log yes']);
});

test('a review that is not answered leaves it unknown', async () => {
  const kube = kubeThatSays(async () => {
    throw new PortError({ failure: 'unreachable', message: 'https://api.example: no route' });
  });
  const [answer] = await checkKube(kube, [LIST_NODES], signal);
  assert.deepEqual([answer?.granted, answer?.how], ['unknown', 'https://api.example: no route']);
});

function awsAs(arn: string) {
  const aws = fakeAws({ clock: systemClock, region: 'eu-west-1' });
  aws.answer('sts:GetCallerIdentity', () => [{ Arn: arn, UserId: 'A', Account: '1' }]);
  return aws;
}

function refuse(aws: FakeAws, action: string, failure: PortFailure): void {
  aws.answer(action, () => []);
  aws.refuse(action, failure);
}

test('IAM simulates for the role behind a session, whatever its path', async () => {
  const aws = awsAs('arn:aws:sts::123456789012:assumed-role/reader/jane');
  const role = 'arn:aws:iam::123456789012:role/aws-reserved/reader';
  aws.answer('iam:GetRole', () => [{ Role: { Arn: role } }]);
  const sources: unknown[] = [];
  aws.answer('iam:SimulatePrincipalPolicy', (input) => {
    sources.push(input['PolicySourceArn']);
    const decide = (name: string, EvalDecision: string) => ({ EvalActionName: name, EvalDecision });
    return [
      {
        EvaluationResults: [
          decide('ec2:DescribeSubnets', 'allowed'),
          decide('iam:GetRole', 'implicitDeny'),
        ],
      },
    ];
  });
  const answers = await checkAws(
    aws,
    ['ec2:DescribeSubnets', 'iam:GetRole', 'eks:ListAddons'],
    signal,
  );
  assert.deepEqual(grants(answers), [
    'ec2:DescribeSubnets yes',
    'iam:GetRole no',
    'eks:ListAddons unknown',
  ]);
  assert.deepEqual(sources, [role]);
});

test('without the simulation the cheapest call of each is made', async () => {
  const aws = awsAs('arn:aws:iam::123456789012:user/jane');
  refuse(aws, 'iam:SimulatePrincipalPolicy', 'denied');
  aws.answer('ec2:DescribeSubnets', () => [{ Subnets: [] }]);
  refuse(aws, 'ec2:DescribeInstances', 'denied');
  refuse(aws, 'ec2:GetConsoleOutput', 'not-found');
  refuse(aws, 'ec2:DescribeVpcs', 'unsupported');
  const actions = [
    'ec2:DescribeSubnets',
    'ec2:DescribeInstances',
    'ec2:GetConsoleOutput',
    'ec2:DescribeVpcs',
    'kms:ListGrants',
  ];
  assert.deepEqual(grants(await checkAws(aws, actions, signal)), [
    'ec2:DescribeSubnets yes',
    'ec2:DescribeInstances no',
    'ec2:GetConsoleOutput yes',
    'ec2:DescribeVpcs unknown',
    'kms:ListGrants unknown',
  ]);
});

test('every action can be asked for cheaply', async () => {
  const aws = awsAs('arn:aws:iam::123456789012:root');
  const { aws: actions } = joined(PERMISSIONS);
  for (const action of actions) refuse(aws, action, 'denied');
  const answers = await checkAws(aws, actions, signal);
  assert.deepEqual(
    answers.filter(({ granted }) => granted !== 'no').map(({ permission }) => permission),
    [
      'autoscaling:TerminateInstanceInAutoScalingGroup',
      'sqs:DeleteMessage',
      'sqs:ReceiveMessage',
      'ssm:SendCommand',
      'ssm:SendCommand/Rollcall-RestartKubelet',
    ],
    'nobody ends an instance, takes a message or sends a command to test whether it may',
  );
  assert.equal(aws.requests().get('ssm:SendCommand'), undefined);
});

/** Asked by `rollcall permissions --check` alone, and by everybody without a permission. */
const ASKED_ELSEWHERE: ReadonlySet<string> = new Set([
  'iam:SimulatePrincipalPolicy',
  'sts:GetCallerIdentity',
]);

test('every call that is allowed is made', () => {
  const made = new Set(PERMISSIONS.flatMap(({ aws }) => aws));
  const idle = AWS_SERVICES.flatMap((service) =>
    Object.keys(CALLS[service]).map((operation) => `${service}:${operation}`),
  ).filter((action) => !made.has(action) && !ASKED_ELSEWHERE.has(action));
  assert.deepEqual(idle, [], 'ask it in src/collection, or take it out of calls.ts');
});
