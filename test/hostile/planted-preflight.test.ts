/** Secrets in files that others than Terraform make clusters from: no answer shows one. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { shareOf, tellShare } from '../share.ts';
import { capture } from '../cli/capture.ts';
import { shapedTexts } from './planted/gate.ts';
import { createSearch } from './planted/search.ts';
import { SHAPES } from './planted/shapes.ts';
import { assertNoSecretIn, type Lengths, writePlantedTable } from './planted/table.ts';

const ROOM = mkdtempSync(join(tmpdir(), 'rollcall-planted-preflight-'));
after(() => rmSync(ROOM, { recursive: true }));

const SHAPES_OF = 4;
const chosen = new Set(shareOf(SHAPES.keys().toArray(), SHAPES_OF));
tellShare('shapes planted in files before launch', chosen.size, SHAPES.length);

const search = createSearch();
const lengths: Lengths = new Map();

/** A file in which people keep secrets, and a cause that is found in it. */
interface Planted {
  readonly cause: RegExp;
  readonly fileOf: (text: string) => object;
  /** A file that is given with it. */
  readonly beside?: object;
}

const FILES: Readonly<Record<string, Planted>> = {
  ClusterConfig: {
    cause: /al2-user-data-on-al2023/,
    fileOf: (text) => ({
      apiVersion: 'eksctl.io/v1alpha5',
      kind: 'ClusterConfig',
      metadata: { name: 'orders', version: '1.33', tags: { note: text }, annotations: { text } },
      vpc: { clusterEndpoints: { note: text } },
      addons: [{ name: 'vpc-cni', configurationValues: JSON.stringify({ env: { NOTE: text } }) }],
      nodeGroups: [
        {
          name: 'workers',
          tags: { note: text },
          labels: { note: text },
          ssh: { publicKey: text },
          preBootstrapCommands: [text],
          overrideBootstrapCommand: `#!/bin/bash\n/etc/eks/bootstrap.sh orders ${text}`,
          kubeletExtraConfig: { note: text },
          bottlerocket: { settings: { note: text } },
        },
      ],
    }),
  },
  'change set': {
    cause: /unsupported-instance-type-or-architecture/,
    fileOf: (text) => ({
      ChangeSetName: 'next',
      StackName: 'orders',
      Description: text,
      Tags: [{ Key: 'note', Value: text }],
      Parameters: [{ ParameterKey: 'Password', ParameterValue: text }],
      Changes: [
        {
          ResourceChange: {
            Action: 'Add',
            LogicalResourceId: 'Workers',
            BeforeContext: text,
            AfterContext: text,
          },
        },
      ],
    }),
    beside: {
      Parameters: { Password: { Type: 'String', NoEcho: true } },
      Resources: {
        Workers: {
          Type: 'AWS::EKS::Nodegroup',
          Properties: {
            AmiType: 'AL2023_x86_64_STANDARD',
            InstanceTypes: ['m6g.large'],
            Tags: { note: { Ref: 'Password' } },
          },
        },
      },
    },
  },
  NodePool: {
    cause: /invalid-bottlerocket-user-data/,
    fileOf: (text) => {
      const ref = { name: 'default', kind: 'EC2NodeClass' };
      const template = { metadata: { labels: { note: text } }, spec: { nodeClassRef: ref } };
      return {
        kind: 'List',
        items: [
          {
            apiVersion: 'karpenter.sh/v1',
            kind: 'NodePool',
            metadata: { name: 'general', annotations: { note: text } },
            spec: { template },
          },
          {
            apiVersion: 'karpenter.k8s.aws/v1',
            kind: 'EC2NodeClass',
            metadata: { name: 'default', annotations: { note: text } },
            spec: {
              role: 'nodes',
              amiSelectorTerms: [{ alias: 'bottlerocket@latest' }],
              tags: { note: text },
              userData: `#!/bin/bash\n${text}`,
              context: text,
            },
          },
        ],
      };
    },
  },
};

for (const [kind, { cause, fileOf, beside }] of Object.entries(FILES))
  describe(`rollcall preflight of a ${kind}`, () => {
    const shaped = shapedTexts(search.plant, [kind], (at) => chosen.has(at));
    for (const format of ['text', 'json', 'yaml', 'sarif', 'markdown'])
      test(`shows no secret as ${format}`, async () => {
        const path = join(ROOM, `${kind}.json`);
        const other = join(ROOM, `beside-${kind}.json`);
        if (beside !== undefined) writeFileSync(other, JSON.stringify(beside));
        const paths = beside === undefined ? [path] : [path, other];
        for (const { textAt } of shaped) {
          writeFileSync(path, JSON.stringify(fileOf(textAt(kind))));
          const { out, err, code } = await capture(['preflight', ...paths, '-o', format]);
          assert.equal(code, 1);
          assert.match(out, cause);
          assertNoSecretIn(search, lengths, `preflight of ${kind} -o ${format}`, out + err);
        }
      });
  });

after(() => writePlantedTable(search, lengths));
