import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { PreflightDocument } from '../../src/diagnosis/preflight.ts';
import { preflight } from '../../src/engine/preflight.ts';
import { causesIn, judgedDocument, verdictOn } from './judged.ts';

const TOKEN = 'abcdef.0123456789abcdef';
const HASH = `sha256:${'0123456789abcdef'.repeat(4)}`;
const ENDPOINT = 'api.orders.example.com:6443';

type Part = Readonly<Record<string, unknown>>;

function joining(more: Part = {}, token: Part = {}): Part {
  const bootstrapToken = {
    apiServerEndpoint: ENDPOINT,
    token: TOKEN,
    caCertHashes: [HASH],
    ...token,
  };
  return {
    apiVersion: 'kubeadm.k8s.io/v1beta3',
    kind: 'JoinConfiguration',
    discovery: { bootstrapToken },
    ...more,
  };
}

function cluster(more: Part = {}): Part {
  return {
    apiVersion: 'kubeadm.k8s.io/v1beta3',
    kind: 'ClusterConfiguration',
    clusterName: 'orders',
    kubernetesVersion: 'v1.30.4',
    apiServer: { certSANs: ['api.orders.example.com'] },
    ...more,
  };
}

function written(...documents: readonly Part[]): string {
  return documents.map((one) => `---\n${JSON.stringify(one, null, 2)}\n`).join('');
}

function judged(...texts: readonly string[]): Promise<PreflightDocument> {
  return preflight(texts.map((text, index) => ({ locator: `file-${index}.yaml`, text })));
}

function vpc(range: string): string {
  const address = 'aws_vpc.this';
  const change = { actions: ['create'], after_unknown: { id: true } };
  const place = { address, mode: 'managed', type: 'aws_vpc', name: 'this' };
  const values = { cidr_block: range };
  return JSON.stringify({
    format_version: '1.2',
    planned_values: { root_module: { resources: [{ ...place, values }] } },
    resource_changes: [{ ...place, change }],
  });
}

const NETWORK = { podSubnet: '192.168.0.0/16', serviceSubnet: '172.20.0.0/16' };

describe('files of kubeadm', () => {
  test('are judged together, whichever file holds the version', async () => {
    const old = joining({ nodeRegistration: { kubeletExtraArgs: { 'cloud-provider': 'aws' } } });
    const document = await judged(written(old), written(cluster()));
    assert.equal(verdictOn(document, 'rejected-kubelet-flag-or-config'), 'found');
    const [finding] = document.subjects.flatMap(({ findings }) => findings);
    assert.equal(finding?.address, 'JoinConfiguration.nodeRegistration.kubeletExtraArgs');
    assert.deepEqual(
      finding.evidence.map(({ locator }) => locator),
      [
        'file-0.yaml#JoinConfiguration.nodeRegistration.kubeletExtraArgs',
        'file-1.yaml#ClusterConfiguration.kubernetesVersion',
      ],
    );
  });

  test('of two clusters do not lend one another their version', async () => {
    const old = joining({ nodeRegistration: { kubeletExtraArgs: { 'cloud-provider': 'aws' } } });
    const document = await judged(written(old), written(cluster()), written(cluster()));
    assert.notEqual(verdictOn(document, 'rejected-kubelet-flag-or-config'), 'found');
  });

  test('take arguments in the form of either version', async () => {
    const args = [{ name: 'cloud-provider', value: 'aws' }];
    const newer = {
      ...joining({ nodeRegistration: { kubeletExtraArgs: args } }),
      apiVersion: 'kubeadm.k8s.io/v1beta4',
    };
    const document = await judged(written(newer, cluster({ kubernetesVersion: '1.33.0' })));
    assert.equal(verdictOn(document, 'rejected-kubelet-flag-or-config'), 'found');
  });

  for (const [range, verdict] of [
    ['10.0.0.0/16', 'clear'],
    ['172.20.0.0/18', 'found'],
    ['192.168.128.0/17', 'found'],
    // The VPC CNI gives pods addresses of the VPC.
    ['192.168.0.0/16', 'unknown'],
  ] as const)
    test(`beside a VPC of ${range} their ranges are ${verdict}`, async () => {
      const document = await judged(written(cluster({ networking: NETWORK })), vpc(range));
      assert.equal(verdictOn(document, 'overlapping-network-ranges'), verdict);
    });
});

describe('of files of kubeadm', () => {
  test('no token is kept, and no value of an argument that no cause reads', async () => {
    const secret = 'hunter2hunter2';
    const broken = joining(
      { nodeRegistration: { kubeletExtraArgs: { 'some-password': secret } } },
      { token: 'abcdef.0123456789ABCDEF', caCertHashes: [] },
    );
    const document = await judged(written(broken));
    assert.equal(verdictOn(document, 'unusable-join-configuration'), 'found');
    assert.doesNotMatch(JSON.stringify(document), /0123456789ABCDEF|hunter2/);
  });

  test('no question about EKS is raised', async () => {
    const { subjects, losses } = await judged(written(joining(), cluster()));
    assert.deepEqual(losses, []);
    assert.deepEqual(
      subjects.map(({ verdict, cluster: of, notObservable }) => [verdict, of, notObservable]),
      [['usable', 'orders', []]],
    );
  });

  for (const given of ['$TOKEN', '{{ .Token }}', '<token>', 'TOKEN', 'your.token', '%(token)s'])
    test(`${given} is not judged, since a program fills it in`, async () => {
      const document = await judged(written(joining({}, { token: given })));
      assert.equal(verdictOn(document, 'unusable-join-configuration'), 'unknown');
    });

  test('any form is read without a throw', async () => {
    const odd = [null, 0, '', [], {}, [[]], 'x'.repeat(5000), { a: [1] }];
    for (const value of odd) {
      const files = [
        { ...joining(), discovery: value },
        { ...joining(), nodeRegistration: value },
        joining({ nodeRegistration: { kubeletExtraArgs: value, name: value, criSocket: value } }),
        cluster({ networking: value, apiServer: value, kubernetesVersion: value }),
        {
          apiVersion: 'kubelet.config.k8s.io/v1beta1',
          kind: 'KubeletConfiguration',
          clusterDNS: value,
          featureGates: value,
        },
      ];
      for (const file of files) await judged(written(file));
    }
  });
});

function template(userData: string, size = '3'): string {
  const tag = { Key: 'kubernetes.io/cluster/orders', Value: 'owned', PropagateAtLaunch: true };
  return JSON.stringify({
    Resources: {
      Launch: {
        Type: 'AWS::EC2::LaunchTemplate',
        Properties: { LaunchTemplateData: { UserData: { 'Fn::Base64': userData } } },
      },
      Workers: {
        Type: 'AWS::AutoScaling::AutoScalingGroup',
        Properties: {
          AutoScalingGroupName: 'orders-workers',
          MinSize: size,
          MaxSize: size,
          LaunchTemplate: { LaunchTemplateId: { Ref: 'Launch' }, Version: '1' },
          Tags: [tag],
        },
      },
    },
  });
}

const NAMED = written(joining({ nodeRegistration: { name: 'worker-1' } }));

function indented(text: string): string {
  return text.replaceAll(/^/gm, '      ');
}

const WAYS: Readonly<Record<string, string>> = {
  'a here-document of a script': `#!/bin/bash\ncat <<-'EOF' > /k.yaml\n${NAMED}EOF\nkubeadm join --config /k.yaml\n`,
  'write_files of cloud-init': `#cloud-config\nwrite_files:\n  - path: /k.yaml\n    content: |\n${indented(NAMED)}\nruncmd:\n  - kubeadm join --config /k.yaml\n`,
  'write_files in base64': `#cloud-config\nwrite_files:\n  - path: /k.yaml\n    encoding: b64\n    content: ${btoa(NAMED)}\n`,
  'a part of MIME': `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="b"\n\n--b\nContent-Type: text/x-shellscript; charset="us-ascii"\n\n#!/bin/bash\ncat > /k.yaml <<EOF\n${NAMED}EOF\n\n--b--\n`,
};

describe('user data gives kubeadm its configuration by', () => {
  for (const [way, userData] of Object.entries(WAYS))
    test(way, async () => {
      const document = await judged(template(userData));
      assert.equal(verdictOn(document, 'duplicate-node-name'), 'found');
      assert.equal(
        verdictOn(await judged(template(userData, '1')), 'duplicate-node-name'),
        'clear',
      );
    });

  test('no here-document without an end', async () => {
    const document = await judged(template(`#!/bin/bash\ncat <<EOF\n${NAMED}`));
    assert.equal(verdictOn(document, 'duplicate-node-name'), 'unknown');
  });
});

test('the example has the one fault that it is about', async () => {
  const path = join(
    import.meta.dirname,
    '../../examples/preflight/kubeadm-with-provider-inside.yaml',
  );
  const document = await judgedDocument(readFileSync(path, 'utf8'));
  assert.deepEqual(causesIn(document), ['rejected-kubelet-flag-or-config']);
});
