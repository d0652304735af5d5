/** Secrets on a machine with an agent: none is in its conditions, lines, log, metrics or files. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { serveAgent } from '../../src/apps/agent/serve.ts';
import {
  decidingLines,
  decidingText,
  MACHINE_LOGS,
} from '../../src/collection/agent/deciding-lines.ts';
import { lookAtMachine, machineStateText } from '../../src/collection/agent/machine-state.ts';
import { AgentPlaces } from '../../src/collection/agent/places.ts';
import { probeNamed, type ProbeSettings } from '../../src/collection/agent/probes.ts';
import { NODES } from '../../src/collection/resources.ts';
import { AgentKeeper } from '../../src/controllers/agent/keeper.ts';
import { PROBE_NAMES } from '../../src/domain/nodes/agent-probes.ts';
import { listAt } from '../../src/evidence/json.ts';
import { REDACTED } from '../../src/evidence/secrets/mark.ts';
import type { PortFailure } from '../../src/ports/port-error.ts';
import { CSI_NODES } from '../controllers/gate/scene.ts';
import { virtualClock } from '../ports/fake/clock.ts';
import { createFakeHost, type FakeMachine, type Refused } from '../ports/fake/host.ts';
import { FakeKubeApi } from '../ports/fake/kube-api.ts';
import { fault } from '../ports/fake/kube-fault.ts';
import { FakeKubeWrites } from '../ports/fake/kube-writes.ts';
import { createFakeRecorder } from '../ports/fake/recorder.ts';
import { shareOf, tellShare } from '../share.ts';
import { type Shaped, shapedTexts } from './planted/gate.ts';
import { plantedLog } from './planted/kubernetes.ts';
import { createSearch } from './planted/search.ts';
import { SHAPES } from './planted/shapes.ts';
import { assertNoSecretIn, type Lengths, writePlantedTable } from './planted/table.ts';

const SHAPES_OF = 4;
const chosen = new Set(shareOf(SHAPES.keys().toArray(), SHAPES_OF));
tellShare('shapes planted around agents', chosen.size, SHAPES.length);

const search = createSearch();
const lengths: Lengths = new Map();

const PLACES = ['refusal', 'file', 'reply', 'role'].map((what) => `agent ${what}`);
const shaped = shapedTexts(search.plant, PLACES, (number) => chosen.has(number));

/** Fails at a secret, and where hardly any place of one is left: then nothing was looked at. */
function assertSecretless(output: string, text: string, marksMin: number): void {
  assertNoSecretIn(search, lengths, output, text);
  const marks = text.split(REDACTED).length - 1;
  assert.ok(marks >= marksMin, `${output} has ${marks} marks of what was redacted`);
}

const REGION = 'eu-west-1';
const METADATA = 'http://169.254.169.254/latest';
const ROLES = `${METADATA}/meta-data/iam/security-credentials/`;
const CREDENTIALS = 'http://169.254.170.23/v1/credentials';
const TOKEN_FILE = '/var/run/secrets/token';
const SOCKETS = '/var/lib/kubelet/plugins_registry';

/** A machine on which everything fails with words in which a secret is, or answers with one. */
function machineOf({ textAt, secretAt }: Shaped): FakeMachine {
  const refused = (failure: PortFailure): Refused => ({
    failure,
    message: `it is refused: ${textAt('agent refusal')}.`,
  });
  const keys = {
    AccessKeyId: secretAt('agent reply'),
    SecretAccessKey: secretAt('agent reply'),
    Token: secretAt('agent reply'),
    [textAt('agent reply')]: textAt('agent reply'),
  };
  const body = JSON.stringify(keys);
  return {
    files: {
      [TOKEN_FILE]: secretAt('agent file'),
      '/proc/self/mountinfo': textAt('agent file'),
      '/proc/net/nf_conntrack': refused('denied'),
      [SOCKETS]: refused('denied'),
    },
    programs: { 'iptables-save': refused('denied'), conntrack: { stdout: textAt('agent reply') } },
    replies: {
      [`PUT ${METADATA}/api/token`]: { body: secretAt('agent reply') },
      [ROLES]: { body: textAt('agent role') },
      [`${ROLES}${textAt('agent role')}`]: { body },
      [CREDENTIALS]: { body },
      [`https://sts.${REGION}.amazonaws.com/`]: { status: 403, body: textAt('agent reply') },
      'https://registry.test/v2/': refused('unreachable'),
    },
    servers: { '10.0.0.1:443': refused('unreachable'), '10.0.0.2:443': refused('timeout') },
    spaces: { '/var': { bytesFree: 1, bytesTotal: 100, inodesFree: 1, inodesTotal: 100 } },
    names: { 'kubernetes.default': refused('unavailable') },
  };
}

const SETTINGS: ProbeSettings = {
  intervalMs: 10_000,
  apiServer: { service: { host: '10.0.0.1', port: 443 }, serverName: 'kubernetes', caPem: null },
  names: ['kubernetes.default'],
  peerPort: 8080,
  nodeRole: null,
  isMetadataBlocked: false,
  identity: {
    way: 'pod-identity',
    role: 'shop',
    injected: {
      region: REGION,
      roleArn: 'arn:aws:iam::111122223333:role/shop',
      webTokenFile: TOKEN_FILE,
      credentialsUri: CREDENTIALS,
      credentialsTokenFile: TOKEN_FILE,
    },
  },
  csiDrivers: ['ebs.csi.aws.com'],
  csiFolder: SOCKETS,
  registries: ['registry.test'],
  disks: ['/var'],
};
const RULES = { successesForTrue: 3, freshnessMs: 60_000, heartbeatMs: 300_000 };

interface Kept {
  readonly conditions: string;
  readonly said: string;
  readonly served: string;
}

async function served(keeper: AgentKeeper): Promise<string> {
  const said: string[] = [];
  const server = await serveAgent({ host: '127.0.0.1', port: 0 }, keeper, RULES, {
    err: (text) => said.push(text),
    writesConditions: true,
  });
  try {
    for (const path of ['metrics', 'readyz?verbose', 'livez?verbose']) {
      const reply = await fetch(`http://127.0.0.1:${server.port}/${path}`);
      said.push(await reply.text());
    }
  } finally {
    await server.close();
  }
  return said.join('\n');
}

/** Lets the agent of one machine look, be refused by the API server, and write. */
async function keepMachine(one: Shaped): Promise<Kept> {
  const clock = virtualClock(Date.parse('2026-11-22T10:00:00Z'));
  const api = new FakeKubeApi({ clock });
  for (const resource of [NODES, CSI_NODES]) api.serve(resource);
  api.put(NODES, { metadata: { name: 'a' } });
  const host = createFakeHost(machineOf(one));
  const random = { next: () => 0.5 };
  const given = [{ host: '10.0.0.2', port: 443 }];
  const places = new AgentPlaces({ api, clock, node: 'a', namespace: 'rollcall', given });
  const view = async () => lookAtMachine({ host, root: null }, clock.nowMs());
  const tools = { host, clock, random, places, view };
  const said: string[] = [];
  const writes = new FakeKubeWrites(api);
  const keeper = new AgentKeeper({
    node: 'a',
    probes: PROBE_NAMES.map((name) => probeNamed(name, tools, SETTINGS)),
    rules: RULES,
    routes: () => [{ words: 'directly', api, writes }],
    recorder: createFakeRecorder(),
    clock,
    random,
    bootedMs: 0,
    writesConditions: true,
    isDryRun: false,
    say: (line) => said.push(line),
  });
  const words = `forbidden: ${one.textAt('agent refusal')}`;
  api.failNext('get', ...Array.from({ length: 9 }, () => fault('denied', words)));
  const ending = new AbortController();
  const running = keeper.run(ending.signal);
  await clock.advance(5_000);
  const refused = await served(keeper);
  api.heal();
  await clock.advance(25_000);
  const conditions = api.objects(NODES).flatMap((node) => listAt(node, 'status.conditions'));
  assert.equal(conditions.length, PROBE_NAMES.length);
  const all = {
    conditions: JSON.stringify(conditions),
    said: said.join('\n'),
    served: refused + (await served(keeper)),
  };
  ending.abort();
  await clock.advance(1_000);
  await running;
  return all;
}

describe('an agent', () => {
  const kept: Kept[] = [];
  before(async () => {
    for (const one of shaped) kept.push(await keepMachine(one));
  });
  const textOf = (output: keyof Kept): string => kept.map((one) => one[output]).join('\n');

  test('writes no secret into the conditions of its Node', () => {
    assertSecretless('agent, conditions', textOf('conditions'), shaped.length);
  });

  test('says none in its log', () => {
    assertSecretless('agent, log', textOf('said'), shaped.length);
  });

  test('serves none with its metrics and its health', () => {
    assert.match(textOf('served'), /rollcall_agent_condition/);
    assertSecretless('agent, metrics and health', textOf('served'), shaped.length / 2);
  });
});

describe('what an agent takes from its machine', () => {
  test('has no secret in lines of logs', async () => {
    const files = Object.fromEntries(
      MACHINE_LOGS.map((name) => {
        const log = plantedLog(search.plant, `log of a machine with an agent, ${name}`).split('\n');
        const lines = log.filter((_, number) => chosen.has(number));
        return [`/logs/${name}`, lines.join('\n')];
      }),
    );
    // Forty lines of each file are told, so that each file is looked at in parts.
    const told: string[] = [];
    for (let from = 0; from < shaped.length; from += 40) {
      const part = Object.entries(files).map(([path, text]) => [
        path,
        text
          .split('\n')
          .slice(from, from + 40)
          .join('\n'),
      ]);
      const machine = { files: Object.fromEntries(part) as Record<string, string> };
      told.push(decidingText(await decidingLines(createFakeHost(machine), '/logs')));
    }
    assertSecretless('agent, lines of logs', told.join('\n'), shaped.length);
  });

  test('has no secret in the file for the other agent', async () => {
    const comments = search.plant('iptables comment').map(({ text }) => text.replaceAll('\n', ' '));
    const states: string[] = [];
    for (const comment of comments.filter((_, number) => chosen.has(number))) {
      const rule = `-A PREROUTING -d 169.254.169.254/32 -p tcp --dport 80 -m comment --comment "${comment}" -j DNAT --to-destination 10.0.0.5:8181`;
      const host = createFakeHost({ programs: { 'iptables-save': { stdout: `${rule}\n` } } });
      states.push(machineStateText(await lookAtMachine({ host, root: null }, 0)));
    }
    assert.ok(states.every((state) => state.includes('"redirect"')));
    assertSecretless('agent, state of the machine', states.join('\n'), shaped.length / 2);
  });
});

after(() => writePlantedTable(search, lengths));
