import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { capture } from '../cli/capture.ts';
import { causesIn, judgedDocument, verdictOn } from './judged.ts';

type Part = Readonly<Record<string, unknown>>;

const ROLE = 'arn:aws:iam::111122223333:role/nodes';
const POLICY = 'arn:aws:iam::aws:policy/';
const EBS = { name: 'aws-ebs-csi-driver' };
const CNI = { name: 'vpc-cni', version: 'latest' };

function config(...parts: readonly Part[]): Part {
  const whole = {
    apiVersion: 'eksctl.io/v1alpha5',
    kind: 'ClusterConfig',
    metadata: { name: 'orders', region: 'eu-west-1', version: '1.33' },
  };
  return Object.assign(whole, ...parts) as Part;
}

/** A cluster with one managed group; a second part is for the file. */
function managed(group: Part, file: Part = {}): Part {
  return config({ managedNodeGroups: [{ name: 'workers', ...group }] }, file);
}

function own(group: Part, file: Part = {}): Part {
  return config({ nodeGroups: [{ name: 'workers', ...group }] }, file);
}

function configured(env: Part): Part {
  return { addons: [{ ...CNI, configurationValues: JSON.stringify({ env }) }] };
}

const THERE = {
  vpc: { id: 'vpc-1', subnets: { private: { a: { id: 'subnet-1' }, b: { id: 'subnet-2' } } } },
};
const NARROW = { vpc: { publicAccessCIDRs: ['198.51.100.7/32'] } };
const BARE = { iam: { instanceRoleARN: ROLE } };
const OWN_IMAGE = { ami: 'ami-0123456789abcdef0', amiFamily: 'AmazonLinux2023' };
const OLD_CALL = { overrideBootstrapCommand: '#!/bin/bash\n/etc/eks/bootstrap.sh orders' };

function nodeConfig(name: string): Part {
  const cluster = `name: ${name}\n    apiServerEndpoint: https://a.example\n    certificateAuthority: YQ==\n    cidr: 10.100.0.0/16`;
  return {
    overrideBootstrapCommand: `apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n  cluster:\n    ${cluster}\n`,
  };
}

interface Case {
  readonly found: Part;
  /** Where the finding is, in the file. */
  readonly at: string;
  readonly clear: Part;
  /** Left out where every file decides. */
  readonly unknown?: Part;
}

const GROUP = 'managedNodeGroups[0]';
const CASES: Readonly<Record<string, Case>> = {
  'unsupported-instance-type-or-architecture': {
    found: managed({ instanceTypes: ['m5.large', 'm6g.large'] }),
    at: `${GROUP}.instanceTypes`,
    clear: managed({ instanceTypes: ['m6g.large', 'c6g.large'] }),
    unknown: managed({ instanceSelector: { vCPUs: 2 } }),
  },
  'asg-suspended-or-hook-pending': {
    found: own({ asgSuspendProcesses: ['Launch'] }),
    at: 'nodeGroups[0].asgSuspendProcesses',
    clear: own({}),
  },
  'subnet-full-at-launch': {
    found: managed({ desiredCapacity: 90 }, { vpc: { cidr: '10.0.0.0/24' } }),
    at: `${GROUP}.desiredCapacity`,
    clear: managed({ desiredCapacity: 90 }),
    unknown: managed({ desiredCapacity: 90, privateNetworking: true }, THERE),
  },
  'access-entry-on-configmap-cluster': {
    found: managed(
      {},
      {
        accessConfig: {
          authenticationMode: 'CONFIG_MAP',
          accessEntries: [{ principalARN: ROLE, type: 'EC2_LINUX' }],
        },
      },
    ),
    at: 'accessConfig.authenticationMode',
    clear: managed({}),
  },
  'user-data-too-large': {
    found: own({ preBootstrapCommands: [`echo ${'a'.repeat(17_000)}`] }),
    at: 'nodeGroups[0].preBootstrapCommands',
    clear: own({ preBootstrapCommands: ['echo a'] }),
    unknown: own({ amiFamily: 'Ubuntu2204' }),
  },
  'al2-user-data-on-al2023': {
    found: own({ ...OWN_IMAGE, ...OLD_CALL }),
    at: 'nodeGroups[0].overrideBootstrapCommand',
    clear: own({ ...OWN_IMAGE, ...nodeConfig('orders') }),
    unknown: own({ ami: 'ami-0123456789abcdef0', ...OLD_CALL }),
  },
  'wrong-cluster-name-in-user-data': {
    found: own(
      {
        amiFamily: 'AmazonLinux2',
        overrideBootstrapCommand: '#!/bin/bash\n/etc/eks/bootstrap.sh billing',
      },
      { metadata: { name: 'orders', version: '1.30' } },
    ),
    at: 'nodeGroups[0].overrideBootstrapCommand',
    clear: own({}, { metadata: { name: 'orders', version: '1.30' } }),
    unknown: own({ amiFamily: 'Ubuntu2204' }),
  },
  'reserved-label-in-kubelet-flags': {
    found: own({ labels: { 'node-role.kubernetes.io/worker': 'true' } }),
    at: 'nodeGroups[0].labels',
    clear: own({ labels: { team: 'orders' } }),
    unknown: own({ amiFamily: 'Ubuntu2204' }),
  },
  'no-nat-or-vpc-endpoints': {
    found: managed({ privateNetworking: true }, { vpc: { nat: { gateway: 'Disable' } } }),
    at: 'vpc.nat.gateway',
    clear: managed(
      { privateNetworking: true },
      { vpc: { nat: { gateway: 'Disable' } }, privateCluster: { enabled: true } },
    ),
    unknown: managed({ privateNetworking: true }, THERE),
  },
  'public-endpoint-cidr-restricted': {
    found: managed({ privateNetworking: true }, NARROW),
    at: 'vpc.publicAccessCIDRs',
    clear: managed(
      { privateNetworking: true },
      { vpc: { ...NARROW.vpc, clusterEndpoints: { privateAccess: true } } },
    ),
    unknown: managed({ privateNetworking: true }, { vpc: { ...THERE.vpc, ...NARROW.vpc } }),
  },
  'wrong-access-entry-type': {
    found: own(BARE, { accessConfig: { accessEntries: [{ principalARN: ROLE }] } }),
    at: 'accessConfig.accessEntries[0]',
    clear: own(BARE, {
      accessConfig: { accessEntries: [{ principalARN: ROLE, type: 'EC2_LINUX' }] },
    }),
  },
  'max-pods-above-address-capacity': {
    found: managed({ instanceType: 't3.small', maxPodsPerNode: 110 }),
    at: `${GROUP}.maxPodsPerNode`,
    clear: managed({ instanceType: 't3.small', maxPodsPerNode: 11 }),
    unknown: managed({ instanceTypes: ['t3.small', 'm5.16xlarge'], maxPodsPerNode: 110 }),
  },
  'subnet-out-of-pod-addresses': {
    found: managed({ desiredCapacity: 60 }, { vpc: { cidr: '10.0.0.0/24' } }),
    at: 'vpc.cidr',
    clear: managed({ desiredCapacity: 20 }, { vpc: { cidr: '10.0.0.0/24' } }),
    unknown: managed({ privateNetworking: true }, THERE),
  },
  'overlapping-network-ranges': {
    found: managed({}, { kubernetesNetworkConfig: { serviceIPv4CIDR: '192.168.0.0/20' } }),
    at: 'kubernetesNetworkConfig.serviceIPv4CIDR',
    clear: managed({}, { kubernetesNetworkConfig: { serviceIPv4CIDR: '10.100.0.0/16' } }),
    unknown: managed({}),
  },
  'node-role-without-ecr-access': {
    found: managed({ iam: { attachPolicyARNs: [`${POLICY}AmazonEKSWorkerNodePolicy`] } }),
    at: `${GROUP}.iam.attachPolicyARNs`,
    clear: managed({}),
    unknown: managed(BARE),
  },
  'cni-without-ec2-permissions': {
    found: own({ iam: { attachPolicyARNs: [`${POLICY}AmazonEKSWorkerNodePolicy`] } }),
    at: 'nodeGroups[0].iam.attachPolicyARNs',
    clear: managed({}, { iam: { withOIDC: true } }),
    unknown: managed(BARE),
  },
  'eniconfig-missing': {
    found: managed({}, configured({ AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG: 'true' })),
    at: 'addons[0]',
    clear: managed({}),
    unknown: managed({}, { addonsConfig: { disableDefaultAddons: true } }),
  },
  'trunk-eni-missing': {
    found: managed({ instanceType: 't3.large' }, configured({ ENABLE_POD_ENI: 'true' })),
    at: `${GROUP}.instanceType`,
    clear: managed({ instanceType: 'm5.large' }, configured({ ENABLE_POD_ENI: 'true' })),
    unknown: managed({ instanceSelector: {} }, configured({ ENABLE_POD_ENI: 'true' })),
  },
  'cluster-role-without-vpc-controller-policy': {
    found: managed(
      { instanceType: 'm5.large' },
      { ...configured({ ENABLE_POD_ENI: 'true' }), iam: { vpcResourceControllerPolicy: false } },
    ),
    at: 'iam.vpcResourceControllerPolicy',
    clear: managed({ instanceType: 'm5.large' }, configured({ ENABLE_POD_ENI: 'true' })),
    unknown: managed(
      {},
      { ...configured({ ENABLE_POD_ENI: 'true' }), iam: { serviceRoleARN: ROLE } },
    ),
  },
  'imds-hop-limit-too-low': {
    found: managed({ disablePodIMDS: true }, { addons: [EBS] }),
    at: `${GROUP}.disablePodIMDS`,
    clear: managed({}, { addons: [EBS] }),
    unknown: managed({ launchTemplate: { id: 'lt-1' } }, { addons: [EBS] }),
  },
  'irsa-oidc-provider-missing': {
    found: managed({}, { addons: [{ ...EBS, serviceAccountRoleARN: ROLE }] }),
    at: 'addons[0]',
    clear: managed(
      {},
      { addons: [{ ...EBS, serviceAccountRoleARN: ROLE }], iam: { withOIDC: true } },
    ),
  },
  'pod-identity-agent-down': {
    found: managed({}, { addons: [{ ...EBS, podIdentityAssociations: [{ roleARN: ROLE }] }] }),
    at: 'addons[0]',
    clear: managed(
      {},
      {
        addons: [
          { ...EBS, podIdentityAssociations: [{ roleARN: ROLE }] },
          { name: 'eks-pod-identity-agent' },
        ],
      },
    ),
  },
};

describe('a ClusterConfig is judged by', () => {
  for (const [cause, { found, at, clear, unknown }] of Object.entries(CASES))
    test(cause, async () => {
      const document = await judgedDocument(found);
      assert.equal(verdictOn(document, cause), 'found');
      const finding = document.subjects
        .flatMap(({ findings }) => findings)
        .find((one) => one.cause === cause);
      assert.equal(finding?.address, at);
      assert.equal(verdictOn(await judgedDocument(clear), cause), 'clear');
      if (unknown !== undefined)
        assert.equal(verdictOn(await judgedDocument(unknown), cause), 'unknown');
    });

  for (const [cause, { found }] of Object.entries(CASES))
    test(`${cause}, in the words of eksctl`, async () => {
      const { subjects } = await judgedDocument(found);
      const text = JSON.stringify(
        subjects.map(({ findings, notObservable }) => [
          notObservable,
          findings.map(({ summary, evidence, remedy }) => [summary, evidence, remedy]),
        ]),
      );
      assert.equal(
        /\b(?!x86_64)[a-z]+(?:_[a-z0-9]+)+\b|\bplan\b|[Tt]erraform/.exec(text)?.[0],
        undefined,
      );
    });
});

describe('what eksctl does by itself is known', () => {
  test('it lets the nodes of its own groups in, in every mode', async () => {
    for (const authenticationMode of ['CONFIG_MAP', 'API', 'API_AND_CONFIG_MAP', undefined])
      for (const group of [{}, BARE, { iam: { instanceProfileARN: `${ROLE}-profile` } }]) {
        const document = await judgedDocument(own(group, { accessConfig: { authenticationMode } }));
        const judged = ['aws-auth-missing', 'access-entry-missing', 'node-role-not-in-aws-auth'];
        assert.deepEqual(
          judged.map((cause) => verdictOn(document, cause)),
          ['clear', 'clear', 'clear'],
        );
      }
  });

  test('it turns addresses of Windows pods on', async () => {
    const document = await judgedDocument(own({ amiFamily: 'WindowsServer2022CoreContainer' }));
    assert.equal(verdictOn(document, 'windows-ipam-disabled'), 'clear');
  });

  test('it divides the range of the VPC into eight subnets', async () => {
    const group = { desiredCapacity: 81, privateNetworking: true };
    const document = await judgedDocument(managed(group, { vpc: { cidr: '10.0.0.0/24' } }));
    assert.equal(verdictOn(document, 'subnet-full-at-launch'), 'clear');
    assert.equal(
      verdictOn(
        await judgedDocument(
          managed({ ...group, desiredCapacity: 82 }, { vpc: { cidr: '10.0.0.0/24' } }),
        ),
        'subnet-full-at-launch',
      ),
      'found',
    );
  });

  test('it takes Amazon Linux 2023 from the version on from which it does', async () => {
    const call = { ...OLD_CALL };
    for (const [version, verdict] of [
      ['1.32', 'clear'],
      ['1.33', 'found'],
    ] as const) {
      const document = await judgedDocument(own(call, { metadata: { name: 'orders', version } }));
      assert.equal(verdictOn(document, 'al2-user-data-on-al2023'), verdict);
    }
  });
});

describe('a file that eksctl would refuse', () => {
  test('is a loss with a sentence where its version is another', async () => {
    const { losses } = await judgedDocument({ ...config(), apiVersion: 'eksctl.io/v1alpha4' });
    assert.equal(
      losses[0]?.what,
      'file is not read as a ClusterConfig: its apiVersion eksctl.io/v1alpha4 is not eksctl.io/v1alpha5.',
    );
  });

  test('is read as far as it has a shape, whatever is in the place of what', async () => {
    const odd: readonly unknown[] = [
      null,
      7,
      'a',
      [],
      [null, 7],
      { constructor: 1 },
      { length: 9 },
    ];
    const fields = ['metadata', 'vpc', 'iam', 'addons', 'accessConfig', 'iamIdentityMappings'];
    for (const value of odd) {
      for (const field of [...fields, 'managedNodeGroups', 'nodeGroups', 'availabilityZones'])
        assert.equal((await judgedDocument(config({ [field]: value }))).losses.length, 0, field);
      for (const field of [
        'iam',
        'labels',
        'instanceTypes',
        'subnets',
        'securityGroups',
        'ami',
        'name',
      ])
        for (const make of [managed, own])
          assert.equal((await judgedDocument(make({ [field]: value }))).losses.length, 0, field);
    }
  });

  test('with more things than a plan may have is refused as a whole', async () => {
    const group = { name: 'a', iam: { attachPolicyARNs: Array.from({ length: 90 }, () => ROLE) } };
    const nodeGroups = Array.from({ length: 900 }, () => group);
    const { losses } = await judgedDocument(config({ nodeGroups }));
    assert.match(losses[0]?.what ?? '', /comes to more than 20000 resources/);
  });
});

describe('the example', () => {
  const path = join(
    import.meta.dirname,
    '../../examples/preflight/private-nodes-without-a-way-out.yaml',
  );

  test('has the one fault that it is about', async () => {
    const document = await judgedDocument(readFileSync(path, 'utf8'));
    assert.deepEqual(causesIn(document), ['no-nat-or-vpc-endpoints']);
  });

  test('has it in SARIF at the place in the file', async () => {
    const { out, code } = await capture(['preflight', path, '-o', 'sarif']);
    assert.equal(code, 1);
    assert.match(out, /"fullyQualifiedName":\s*"vpc\.nat\.gateway"/);
  });
});
