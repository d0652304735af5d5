import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readJoinCommand } from '../../src/collection/join/command.ts';
import { type JoinLookTools, lookAtJoin } from '../../src/collection/join/look.ts';
import type { JoinMachine } from '../../src/collection/join/machine.ts';
import type { JoinSeen, JoinWants } from '../../src/domain/nodes/join.ts';
import type { JsonObject } from '../../src/evidence/json.ts';
import { PortError, type PortFailure } from '../../src/ports/port-error.ts';
import type { KubeApi } from '../../src/ports/kube-api.ts';
import { createVirtualClock } from '../host/virtual-clock.ts';
import { fakeAws } from '../ports/fake/aws-api.ts';
import { createFakeHost, type FakeMachine } from '../ports/fake/host.ts';
import { authority } from '../ports/fake/kube-certificates.ts';

const NAME = 'ip-10-0-1-5.ec2.internal';
const ID = 'i-0a1b2c3d4e5f60718';
const OTHER = 'i-0ffffffffffffffff';
const PEM = '/var/lib/kubelet/pki/kubelet-client-current.pem';
const CONF = '/etc/kubernetes/kubelet.conf';
const EVERYTHING: JoinWants = { checks: true, cloud: true };
const ca = authority();

const MACHINE: JoinMachine = {
  instanceId: ID,
  region: 'us-east-1',
  zone: 'us-east-1a',
  localHostname: NAME,
  bootId: 'boot-1',
  systemUuid: 'uuid-1',
  machineId: 'machine-1',
};

function pem(node: string): string {
  return ca.issue({ commonName: `system:node:${node}`, organization: 'system:nodes' })
    .certificatePem;
}

function kubeconfig(server: string): string {
  return `clusters:\n- cluster:\n    server: ${server}\nusers:\n- user:\n    client-certificate: ${PEM}\n`;
}

/** What a kubelet may read: its own Node by its exact name. */
function kubelet(name: string, node: JsonObject | null | PortFailure): Pick<KubeApi, 'get'> {
  return {
    get: async (_, asked) => {
      const failure = asked.name === name ? (node ?? 'not-found') : 'denied';
      if (typeof failure !== 'string') return failure;
      throw new PortError({ failure, message: `nodes ${asked.name}: ${failure}.` });
    },
  };
}

function nodeObject(change: JsonObject = {}, status: JsonObject = {}): JsonObject {
  return {
    metadata: { name: NAME, uid: 'uid-1' },
    spec: { providerID: `aws:///us-east-1a/${ID}`, ...change },
    status: {
      conditions: [{ type: 'Ready', status: 'True' }],
      nodeInfo: { bootID: 'boot-1', systemUUID: 'UUID-1', machineID: 'machine-1' },
      ...status,
    },
  };
}

const JOINED: FakeMachine = {
  hostname: NAME,
  files: { [CONF]: kubeconfig('https://10.0.0.1:6443'), [PEM]: pem(NAME) },
  programs: { systemctl: { exitCode: 0 } },
};

async function look(
  kube: Pick<KubeApi, 'get'>,
  change: Partial<JoinLookTools> = {},
  machine: FakeMachine = JOINED,
  wants: JoinWants = { checks: false, cloud: false },
): Promise<JoinSeen> {
  return lookAtJoin(
    {
      host: createFakeHost(machine),
      clock: createVirtualClock(),
      machine: MACHINE,
      aws: null,
      endpoint: null,
      isKubeadm: true,
      kubeconfig: null,
      nodeName: null,
      cluster: null,
      unit: 'kubelet',
      kube: async () => kube as KubeApi,
      isCommandRunning: async () => false,
      ...change,
    },
    wants,
  );
}

describe('whose Node it is', () => {
  const ownerOf = async (node: JsonObject, machine: Partial<JoinMachine> = {}) => {
    const seen = await look(kubelet(NAME, node), { machine: { ...MACHINE, ...machine } });
    return seen.node.state === 'present' ? seen.node.node.owner : seen.node.state;
  };
  const reported = (nodeInfo: JsonObject): JsonObject =>
    nodeObject({ providerID: '' }, { nodeInfo });

  test('the provider ID says it before anything else', async () => {
    assert.equal(await ownerOf(nodeObject()), 'ours');
    assert.equal(
      await ownerOf(nodeObject({ providerID: `aws:///us-east-1a/${OTHER}` })),
      'foreign',
    );
  });

  test('without one, what the kubelet reports of the machine', async () => {
    assert.equal(await ownerOf(reported({ bootID: 'boot-1' })), 'ours');
    assert.equal(await ownerOf(reported({ systemUUID: 'UUID-1', bootID: 'boot-0' })), 'ours');
    assert.equal(
      await ownerOf(reported({ systemUUID: 'uuid-2', machineID: 'machine-2' })),
      'foreign',
    );
  });

  test('one thing that differs, or none that is known, proves nothing', async () => {
    assert.equal(await ownerOf(reported({ bootID: 'boot-0' })), 'unknown');
    assert.equal(await ownerOf(reported({})), 'unknown');
  });

  test('a Node of the boot before is not heard of yet', async () => {
    const status = { nodeInfo: { bootID: 'boot-0' } };
    const { node } = await look(kubelet(NAME, nodeObject({}, status)));
    assert.equal(node.state === 'present' && node.node.isOfThisBoot, false);
  });
});

describe('which Node is looked at', () => {
  test('the one in the certificate, whatever the machine is called', async () => {
    const machine = { ...JOINED, hostname: 'node00' };
    assert.equal((await look(kubelet(NAME, nodeObject()), {}, machine)).node.state, 'present');
  });

  test('names are compared whole: ip-10-0-1-5 is not in ip-10-0-1-50', async () => {
    const short = 'ip-10-0-1-5';
    const files = { [CONF]: kubeconfig('https://10.0.0.1:6443'), [PEM]: pem(short) };
    const { node } = await look(
      kubelet('ip-10-0-1-50', nodeObject()),
      {},
      { ...JOINED, files, hostname: short },
    );
    assert.notEqual(node.state, 'present');
  });

  test('without a certificate, the name that the credentials may read', async () => {
    const files = { '/var/lib/kubelet/kubeconfig': 'clusters: []\n' };
    const { node } = await look(kubelet(ID, nodeObject()), {}, { ...JOINED, hostname: 'x', files });
    assert.equal(node.state, 'present');
  });

  const failures: readonly (readonly [PortFailure, string])[] = [
    ['not-found', 'absent'],
    ['unauthenticated', 'unauthenticated'],
    ['denied', 'denied'],
    ['unavailable', 'no-answer'],
    ['timeout', 'no-answer'],
    ['throttled', 'no-answer'],
  ];
  for (const [failure, what] of failures)
    test(`an answer of ${failure} is ${what}`, async () => {
      const { node } = await look(kubelet(NAME, failure));
      assert.equal(node.state === 'unknown' ? node.why : node.state, what);
    });

  test('a kubeconfig whose certificate is not there yet does not count', async () => {
    const files = { [CONF]: kubeconfig('https://10.0.0.1:6443') };
    const { node } = await look(kubelet(NAME, nodeObject()), {}, { ...JOINED, files });
    assert.equal(node.state === 'unknown' && node.why, 'no-credentials');
  });
});

describe('what an earlier join left', () => {
  const foreignOf = async (
    node: JsonObject | null,
    change: Partial<JoinLookTools> = {},
    files: FakeMachine['files'] = JOINED.files,
  ) =>
    (await look(kubelet('other', node), change, { ...JOINED, files: files ?? {} })).leftovers
      .foreign;
  const cloned = { [CONF]: kubeconfig('https://10.0.0.1:6443'), [PEM]: pem('other') };

  test('credentials of a Node that another instance has come with a cloned image', async () => {
    const node = nodeObject({ providerID: `aws:///us-east-1a/${OTHER}` });
    assert.match(
      String(await foreignOf(node, {}, cloned)),
      /Node other, which belongs to instance i-0f/,
    );
  });

  test('so do those of a Node that is gone', async () => {
    assert.match(String(await foreignOf(null, {}, cloned)), /Node other, which is gone/);
  });

  test('those of a Node of ours under another name are ours', async () => {
    assert.equal(await foreignOf(nodeObject(), {}, cloned), null);
  });

  test('a kubeconfig of another cluster is named with both', async () => {
    const endpoint = { host: '10.9.9.9', port: 6443 };
    assert.match(
      String(await foreignOf(null, { endpoint })),
      /kubelet\.conf is for another API server/,
    );
    assert.match(
      String(await foreignOf(null, { endpoint: { host: '10.0.0.1', port: 443 } })),
      /another API/,
    );
    assert.equal(await foreignOf(null, { endpoint: { host: 'api.test', port: 6443 } }), null);
  });

  test('only kubeadm minds the files', async () => {
    const paths = async (isKubeadm: boolean) =>
      (await look(kubelet(NAME, nodeObject()), { isKubeadm })).leftovers.paths;
    assert.deepEqual(await paths(true), [CONF]);
    assert.deepEqual(await paths(false), []);
  });
});

describe('what EC2 lists', () => {
  const cloudOf = async (
    instances: readonly JsonObject[] | PortFailure,
    cluster: string | null = null,
  ) => {
    const aws = fakeAws({ clock: createVirtualClock(), region: 'us-east-1' });
    const found = typeof instances === 'string' ? [] : [...instances];
    aws.answer('ec2:DescribeInstances', () => [{ Reservations: [{ Instances: found }] }]);
    if (typeof instances === 'string') aws.refuse('ec2:DescribeInstances', instances);
    const seen = await look(
      kubelet(NAME, null),
      { aws: async () => aws, cluster },
      JOINED,
      EVERYTHING,
    );
    return [seen.cloud?.state, seen.checks.find(({ name }) => name === 'cloud')?.state].join(' ');
  };
  const listed = { InstanceId: ID, PrivateDnsName: NAME, State: { Name: 'running' } };

  test('the instance with its name', async () => {
    assert.equal(await cloudOf([listed]), 'listed passed');
    assert.equal(await cloudOf([{ ...listed, PrivateDnsName: '' }]), 'listed failed');
  });

  test('not yet, or not any more', async () => {
    assert.equal(await cloudOf([]), 'absent failed');
    assert.equal(await cloudOf('not-found'), 'absent failed');
    assert.equal(await cloudOf([{ ...listed, State: { Name: 'shutting-down' } }]), 'absent failed');
  });

  test('a call that is throttled or denied proves no absence', async () => {
    for (const failure of ['throttled', 'denied'] as const)
      assert.equal(await cloudOf(failure), 'unknown unknown');
  });

  test('without the tag of the cluster it is not listed for the cloud controller', async () => {
    const Tags = [{ Key: 'kubernetes.io/cluster/shop', Value: 'owned' }];
    assert.equal(await cloudOf([listed], 'shop'), 'absent failed');
    assert.equal(await cloudOf([{ ...listed, Tags }], 'shop'), 'listed passed');
  });
});

describe('checks before COMMAND', () => {
  const endpoint = { host: 'api.test', port: 6443 };
  const checksOf = async (change: Partial<FakeMachine>) => {
    const names = { 'api.test': ['10.0.0.1'] };
    const servers = { 'api.test:6443': { clockOffsetMs: 0 } };
    const machine = { ...JOINED, names, servers, ...change };
    const { checks } = await look(kubelet(NAME, null), { endpoint }, machine, {
      checks: true,
      cloud: false,
    });
    return checks.filter(({ state }) => state === 'failed').map(({ message }) => message);
  };

  test('nothing to say of a machine that is as it should be', async () => {
    assert.deepEqual(await checksOf({}), []);
  });

  const BAD: Readonly<Record<string, readonly [Partial<FakeMachine>, RegExp]>> = {
    'a hostname of the installer': [{ hostname: 'localhost.localdomain' }, /cannot be the name/],
    'a hostname with an underscore': [{ hostname: 'node_1' }, /cannot be the name/],
    'a name that nobody resolves': [{ names: {} }, /api\.test/],
    'a port that nobody listens on': [{ servers: {} }, /api\.test:6443 does not answer/],
    'a clock that is behind': [
      { servers: { 'api.test:6443': { tls: null, clockOffsetMs: 3_600_000 } } },
      /^The clock is 3600 s behind the API server's; certificates fail\.$/,
    ],
  };
  for (const [what, [change, message]] of Object.entries(BAD))
    test(what, async () => {
      const found = await checksOf(change);
      assert.equal(found.length, 1);
      assert.match(found[0] ?? '', message);
    });
});

describe('the kubelet', () => {
  const kubeletOf = async (change: Partial<FakeMachine>) =>
    (await look(kubelet(NAME, nodeObject()), {}, { ...JOINED, ...change })).kubelet;

  test('by its unit, and where there is no systemd by its own port', async () => {
    assert.equal(await kubeletOf({}), 'running');
    assert.equal(await kubeletOf({ programs: { systemctl: { exitCode: 3 } } }), 'stopped');
    assert.equal(await kubeletOf({ programs: {} }), 'stopped');
    const replies = { 'http://127.0.0.1:10248/healthz': { body: 'ok' } };
    assert.equal(await kubeletOf({ programs: {}, replies }), 'running');
  });
});

describe('the join command', () => {
  const FILE = '/etc/kubeadm/join.yaml';
  const commands: readonly (readonly [string, string, string | null])[] = [
    ['kubeadm join 10.0.0.1:6443 --token a.b', 'kubeadm', '10.0.0.1:6443'],
    ['/usr/bin/kubeadm join --token a.b api.test:443', 'kubeadm', 'api.test:443'],
    [`kubeadm join --config ${FILE}`, 'kubeadm', '10.0.0.7:6443'],
    [`kubeadm join --config=${FILE}`, 'kubeadm', '10.0.0.7:6443'],
    ['kubeadm join --config /missing', 'kubeadm', null],
    ['kubeadm reset', 'other', null],
    [`nodeadm init --config-source file://${FILE}`, 'nodeadm', '10.0.0.7:6443'],
    [
      '/etc/eks/bootstrap.sh shop --apiserver-endpoint https://A.gr7.us-east-1.eks.amazonaws.com',
      'bootstrap',
      'A.gr7.us-east-1.eks.amazonaws.com:443',
    ],
    ['join.sh --server ::bad::', 'other', null],
  ];
  for (const [line, flavour, endpoint] of commands)
    test(line, async () => {
      const files = {
        [FILE]: 'discovery:\n  bootstrapToken:\n    apiServerEndpoint: "10.0.0.7:6443"\n',
      };
      const found = await readJoinCommand(createFakeHost({ files }), line.split(' '));
      assert.equal(found.flavour, flavour);
      const place = found.endpoint;
      assert.equal(place === null ? null : `${place.host}:${place.port}`, endpoint);
    });
});
