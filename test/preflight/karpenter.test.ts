import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { PreflightDocument } from '../../src/diagnosis/preflight.ts';
import { preflight } from '../../src/engine/preflight.ts';
import { capture } from '../cli/capture.ts';
import { causesIn, judgedDocument, verdictOn } from './judged.ts';

type Part = Readonly<Record<string, unknown>>;

const ROLE = 'KarpenterNodeRole-orders';
const ARN = `arn:aws:iam::111122223333:role/${ROLE}`;
const EBS = { name: 'aws-ebs-csi-driver' };

function nodeClass(spec: Part, apiVersion = 'karpenter.k8s.aws/v1'): Part {
  const terms = { amiSelectorTerms: [{ alias: 'al2023@latest' }] };
  const whole = { role: ROLE, ...terms, ...spec };
  return { apiVersion, kind: 'EC2NodeClass', metadata: { name: 'default' }, spec: whole };
}

interface PoolMore {
  readonly limits?: Part;
  readonly startupTaints?: readonly Part[];
}

function pool(types: readonly string[] = [], { limits, startupTaints }: PoolMore = {}): Part {
  const key = 'node.kubernetes.io/instance-type';
  const requirements = types.length === 0 ? [] : [{ key, operator: 'In', values: types }];
  const nodeClassRef = { kind: 'EC2NodeClass', name: 'default' };
  const spec = { nodeClassRef, requirements, startupTaints };
  const metadata = { name: 'general' };
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata,
    spec: { limits, template: { spec } },
  };
}

/** A pool whose nodes start with this taint. */
function tainted(key: string): Part {
  return pool([], { startupTaints: [{ key, effect: 'NoExecute' }] });
}

/** The manifests of a file, and what else is given beside it. */
interface Given {
  readonly manifests: readonly Part[];
  readonly beside?: Part;
}

function cluster(more: Part = {}): Part {
  return {
    apiVersion: 'eksctl.io/v1alpha5',
    kind: 'ClusterConfig',
    metadata: { name: 'orders', version: '1.33' },
    accessConfig: {
      authenticationMode: 'API',
      accessEntries: [{ principalARN: ARN, type: 'EC2_LINUX' }],
    },
    ...more,
  };
}

async function judged({ manifests, beside }: Given): Promise<PreflightDocument> {
  const texts = [
    { locator: 'karpenter.yaml', text: JSON.stringify({ kind: 'List', items: manifests }) },
  ];
  const more = beside === undefined ? [] : [{ locator: 'cluster', text: JSON.stringify(beside) }];
  const document = await preflight([...more, ...texts]);
  return { ...document, subjects: document.subjects.filter(({ kind }) => kind === 'NodePool') };
}

const SMALL = ['t3.small'];
const OLD_CALL = '#!/bin/bash\n/etc/eks/bootstrap.sh orders';
const CUSTOM = { amiFamily: 'Custom', userData: OLD_CALL };

interface Case {
  readonly found: Given;
  readonly at: string;
  readonly clear: Given;
  readonly unknown: Given;
}

const CLASS = 'EC2NodeClass/default';
const CASES: Readonly<Record<string, Case>> = {
  'max-pods-above-address-capacity': {
    found: {
      manifests: [pool(SMALL), nodeClass({ kubelet: { maxPods: 110 } })],
      beside: cluster(),
    },
    at: `${CLASS}.spec.kubelet.maxPods`,
    clear: { manifests: [pool(SMALL), nodeClass({ kubelet: { maxPods: 11 } })], beside: cluster() },
    unknown: { manifests: [pool(SMALL), nodeClass({ kubelet: { maxPods: 110 } })] },
  },
  'unsupported-instance-type-or-architecture': {
    found: {
      manifests: [
        pool(['m6g.large']),
        nodeClass({ amiSelectorTerms: [{ alias: 'windows2022@latest' }] }),
      ],
    },
    at: 'NodePool/general.spec.template.spec.requirements',
    clear: {
      manifests: [
        pool(['m5.large']),
        nodeClass({ amiFamily: 'AL2023', amiSelectorTerms: [{ name: 'own-x86_64-1' }] }),
      ],
    },
    // Of an alias Karpenter takes the image that fits.
    unknown: { manifests: [pool(['m6g.large']), nodeClass({})] },
  },
  'al2-user-data-on-al2023': {
    found: { manifests: [pool(), nodeClass(CUSTOM)] },
    at: `${CLASS}.spec.userData`,
    // Karpenter's own part is a NodeConfig.
    clear: { manifests: [pool(), nodeClass({ userData: OLD_CALL })] },
    unknown: { manifests: [pool(), nodeClass({ ...CUSTOM, amiSelectorTerms: [{ id: 'ami-1' }] })] },
  },
  'invalid-bottlerocket-user-data': {
    found: {
      manifests: [
        pool(),
        nodeClass({ userData: OLD_CALL, amiSelectorTerms: [{ alias: 'bottlerocket@latest' }] }),
      ],
    },
    at: `${CLASS}.spec.userData`,
    clear: {
      manifests: [
        pool(),
        nodeClass({
          userData: '[settings.kubernetes]\n"kube-api-qps" = 30\n',
          amiSelectorTerms: [{ alias: 'bottlerocket@latest' }],
        }),
      ],
    },
    unknown: { manifests: [pool(), nodeClass({})] },
  },
  'malformed-mime-user-data': {
    found: {
      manifests: [
        pool(),
        nodeClass({
          userData: 'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="b"\n\na',
        }),
      ],
    },
    at: `${CLASS}.spec.userData`,
    clear: { manifests: [pool(), nodeClass({ userData: OLD_CALL })] },
    unknown: { manifests: [pool()] },
  },
  'imds-hop-limit-too-low': {
    found: { manifests: [pool(), nodeClass({})], beside: cluster({ addons: [EBS] }) },
    at: `${CLASS}.spec.metadataOptions`,
    clear: {
      manifests: [pool(), nodeClass({ metadataOptions: { httpPutResponseHopLimit: 2 } })],
      beside: cluster({ addons: [EBS] }),
    },
    unknown: { manifests: [pool()], beside: cluster({ addons: [EBS] }) },
  },
  'nodepool-limits-reached': {
    found: { manifests: [pool(['m5.2xlarge', 'm5.4xlarge'], { limits: { cpu: 4 } })] },
    at: 'NodePool/general.spec.limits',
    clear: { manifests: [pool(['m5.2xlarge', 'm5.4xlarge'], { limits: { cpu: 8 } })] },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: what shells fill in before it is applied
    unknown: { manifests: [pool(['m5.2xlarge'], { limits: { cpu: '${CPU}' } })] },
  },
  'startup-taint-not-removed': {
    found: {
      manifests: [tainted('ebs.csi.aws.com/agent-not-ready'), nodeClass({})],
      beside: cluster(),
    },
    at: 'NodePool/general.spec.template.spec.startupTaints',
    clear: {
      manifests: [tainted('ebs.csi.aws.com/agent-not-ready'), nodeClass({})],
      beside: cluster({ addons: [EBS] }),
    },
    // Whoever takes this one off is no add-on.
    unknown: {
      manifests: [tainted('node.cilium.io/agent-not-ready'), nodeClass({})],
      beside: cluster(),
    },
  },
  'access-entry-missing': {
    found: {
      manifests: [pool(), nodeClass({ role: 'SomeOtherRole' })],
      beside: cluster(),
    },
    at: 'NodePool/general',
    clear: { manifests: [pool(), nodeClass({})], beside: cluster() },
    // eksctl will name the role of this group itself, so that it may be the one that is meant.
    unknown: {
      manifests: [pool(), nodeClass({ role: 'SomeOtherRole' })],
      beside: cluster({ nodeGroups: [{ name: 'own' }] }),
    },
  },
  'wrong-access-entry-type': {
    found: {
      manifests: [pool(), nodeClass({})],
      beside: cluster({
        accessConfig: { authenticationMode: 'API', accessEntries: [{ principalARN: ARN }] },
      }),
    },
    at: 'NodePool/general',
    clear: { manifests: [pool(), nodeClass({})], beside: cluster() },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: what shells fill in before it is applied
    unknown: { manifests: [pool(), nodeClass({ role: 'Nodes-${CLUSTER}' })], beside: cluster() },
  },
};

describe('manifests of Karpenter are judged by', () => {
  for (const [cause, { found, at, clear, unknown }] of Object.entries(CASES))
    test(cause, async () => {
      const document = await judged(found);
      assert.equal(verdictOn(document, cause), 'found');
      const findings = document.subjects.flatMap((subject) => subject.findings);
      const finding = findings.find((one) => one.cause === cause);
      assert.equal(finding?.address, at);
      const said = JSON.stringify([finding.evidence, finding.remedy]);
      if (!said.includes('access_entry'))
        assert.doesNotMatch(said, /\baws_[a-z]|user_data|http_put|\bplan\b|yamlencode/);
      assert.equal(verdictOn(await judged(clear), cause), 'clear');
      assert.equal(verdictOn(await judged(unknown), cause), 'unknown');
    });
});

describe('limits and start-up taints of a NodePool', () => {
  test('raise no finding without a cluster', async () => {
    const manifests = [tainted('ebs.csi.aws.com/agent-not-ready'), nodeClass({})];
    assert.equal(verdictOn(await judged({ manifests }), 'startup-taint-not-removed'), 'unknown');
  });

  test('are compared type by type', async () => {
    const manifests = [pool(['m5.large', 'm5.4xlarge'], { limits: { cpu: '3', memory: '8Gi' } })];
    assert.equal(verdictOn(await judged({ manifests }), 'nodepool-limits-reached'), 'clear');
    // The one has too many CPUs, the other too much memory.
    const both = [pool(['c5.xlarge', 'r5.large'], { limits: { cpu: '3', memory: '8Gi' } })];
    assert.equal(verdictOn(await judged({ manifests: both }), 'nodepool-limits-reached'), 'found');
    const none = [pool(['m5.large'], { limits: { memory: '4Gi' } })];
    assert.equal(verdictOn(await judged({ manifests: none }), 'nodepool-limits-reached'), 'found');
  });

  test('are its own, whoever else has its name', async () => {
    const { subjects } = await preflight([
      { locator: 'a.yaml', text: JSON.stringify(pool(['m5.large'], { limits: { cpu: 1 } })) },
      { locator: 'b.yaml', text: JSON.stringify(pool(['m5.large'], { limits: { cpu: 9 } })) },
    ]);
    assert.deepEqual(
      subjects.map(({ findings }) => findings.map(({ evidence }) => evidence[0]?.locator)),
      [['a.yaml#NodePool/general.spec.limits'], []],
    );
  });
});

describe('a NodePool', () => {
  test('alone raises no question about the cluster, which it never shows', async () => {
    const { subjects } = await judged({ manifests: [pool(), nodeClass({})] });
    assert.deepEqual(
      subjects.map(({ verdict, notObservable }) => [verdict, notObservable]),
      [['usable', []]],
    );
  });

  test('finds its class in another file', async () => {
    const { subjects } = await preflight([
      { locator: 'pool.yaml', text: JSON.stringify(pool()) },
      { locator: 'class.yaml', text: JSON.stringify(nodeClass(CUSTOM)) },
    ]);
    const [finding] = subjects.flatMap(({ findings }) => findings);
    assert.equal(finding?.cause, 'al2-user-data-on-al2023');
    assert.equal(finding.evidence[0]?.locator, `class.yaml#${CLASS}.spec.userData`);
  });

  test('of v1beta1 has the hop limit of that version', async () => {
    const beside = cluster({ addons: [EBS] });
    const manifests = [pool(), nodeClass({}, 'karpenter.k8s.aws/v1beta1')];
    assert.equal(verdictOn(await judged({ manifests, beside }), 'imds-hop-limit-too-low'), 'clear');
  });

  test('of several documents of YAML is read beside others', async () => {
    const yaml = [{ kind: 'ConfigMap', apiVersion: 'v1' }, pool(), nodeClass(CUSTOM)];
    const text = yaml.map((one) => `---\n${JSON.stringify(one)}\n`).join('');
    assert.deepEqual(causesIn(await judgedDocument(text)), ['al2-user-data-on-al2023']);
  });

  test('from before v1beta1 is a loss with a sentence', async () => {
    const { losses } = await judgedDocument({
      apiVersion: 'karpenter.sh/v1alpha5',
      kind: 'Provisioner',
    });
    assert.match(losses[0]?.what ?? '', /those of Karpenter before v1beta1/);
  });

  test('is read as far as it has a shape, whatever is in the place of what', async () => {
    for (const odd of [null, 7, 'a', [], [null, 7], { constructor: 1 }, { length: 9 }]) {
      const fields = [
        'role',
        'userData',
        'kubelet',
        'amiSelectorTerms',
        'metadataOptions',
        'amiFamily',
      ];
      for (const field of [...fields, 'securityGroupSelectorTerms', 'instanceProfile']) {
        const manifests = [{ ...pool(), spec: odd }, pool(), nodeClass({ [field]: odd })];
        assert.deepEqual((await judged({ manifests })).losses, [], field);
      }
    }
  });
});

test('the example has the one fault that it is about', async () => {
  const name = 'bottlerocket-with-a-shell-script.yaml';
  const path = join(import.meta.dirname, '../../examples/preflight', name);
  assert.deepEqual(causesIn(await judgedDocument(readFileSync(path, 'utf8'))), [
    'invalid-bottlerocket-user-data',
  ]);
  const { out, code } = await capture(['preflight', path, '-o', 'sarif']);
  assert.equal(code, 1);
  assert.match(out, /"fullyQualifiedName":\s*"EC2NodeClass\/bottlerocket\.spec\.userData"/);
});
