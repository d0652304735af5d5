import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Observations } from '../../evidence/observations.ts';
import { createReading } from '../reading.ts';
import { compileSigns } from '../sign-table.ts';
import { writtenBy } from '../testing.ts';
import { commandIn } from './command.ts';
import { readTranscript } from './transcript.ts';

const NO_SIGNS = compileSigns([]);

function read(text: string): Observations {
  const reading = createReading(NO_SIGNS);
  reading.take('paste.txt', text);
  return reading.finish();
}

function factsIn(text: string): readonly unknown[] {
  return read(text).facts.map(({ kind, value, extent }) => ({ kind, value, extent }));
}

describe('a command in front of its output', () => {
  test('is taken apart as a shell does it', () => {
    const command = commandIn(`$ aws ec2 describe-subnets --subnet-ids subnet-1 --query 'a b' -A`);
    assert.deepEqual(command?.words, ['ec2', 'describe-subnets']);
    assert.deepEqual(Object.fromEntries(command.options), {
      'subnet-ids': 'subnet-1',
      query: 'a b',
      A: '',
    });
  });

  test('states nothing where its output goes through another program', () => {
    assert.equal(commandIn('$ kubectl get nodes | grep NotReady'), null);
    assert.equal(commandIn('the output of kubectl get nodes'), null);
  });

  test('is known without a prompt', () => {
    assert.equal(commandIn('aws eks list-access-entries --cluster-name a')?.program, 'aws');
  });
});

describe('answers of aws with --query', () => {
  test('a bare number is the field of the thing that was asked about', () => {
    const [fact] = read(
      `$ aws ec2 describe-subnets --subnet-ids subnet-0a1b2c3d --query 'Subnets[0].AvailableIpAddressCount' --output text\n0`,
    ).facts;
    assert.equal(fact?.kind, 'aws/subnet');
    assert.deepEqual(
      { ...(fact.value as object) },
      { ...(fact.value as object), SubnetId: 'subnet-0a1b2c3d', AvailableIpAddressCount: 0 },
    );
  });

  test('rows of text and lists of JSON are the things with the fields that were asked for', () => {
    const query = "--query 'Subnets[].[SubnetId,AvailableIpAddressCount]'";
    const values = (text: string): readonly unknown[] =>
      read(text).facts.map(({ value }) => {
        const { SubnetId, AvailableIpAddressCount } = value as Record<string, unknown>;
        return [SubnetId, AvailableIpAddressCount];
      });
    const expected = [
      ['subnet-0a1b2c3d', 4],
      ['subnet-0a1b2c3e', 0],
    ];
    const rows = 'subnet-0a1b2c3d\t4\nsubnet-0a1b2c3e\t0';
    assert.deepEqual(
      values(`$ aws ec2 describe-subnets ${query} --output text\n${rows}`),
      expected,
    );
    assert.deepEqual(
      values(`$ aws ec2 describe-subnets ${query}\n${JSON.stringify(expected)}`),
      expected,
    );
  });

  test('an empty list is that of the call, and of all where nothing narrows it', () => {
    const all = read('$ aws ec2 describe-nat-gateways --query NatGateways\n[]');
    assert.deepEqual(
      all.listings.map(({ kind }) => kind),
      ['aws/nat-gateway'],
    );
    const some = read(
      '$ aws ec2 describe-nat-gateways --filter Name=a,Values=b --query NatGateways\n[]',
    );
    assert.deepEqual(some.listings, []);
    assert.deepEqual(
      factsIn('$ aws eks list-access-entries --cluster-name a --query accessEntries\n[]'),
      [{ kind: 'aws/access-entry-list', value: [], extent: 'whole' }],
    );
  });

  test('a function in the question leaves the answer alone, and so does a filter without result', () => {
    assert.deepEqual(factsIn("$ aws ec2 describe-subnets --query 'length(Subnets)'\n3"), []);
    assert.deepEqual(
      factsIn("$ aws ec2 describe-subnets --query 'Subnets[?a==`b`].SubnetId'\n[]"),
      [],
    );
  });
});

describe('rows of aws beside other output', () => {
  test('rows have what was asked for under names in the order of the names, without what is counted', () => {
    const query =
      "--query 'NetworkInterfaces[].{Id:NetworkInterfaceId,Of:Description,Addresses:length(PrivateIpAddresses)}'";
    const filters = '--filters Name=status,Values=available Name=vpc-id,Values=vpc-1,vpc-2';
    const values = (rows: string): readonly unknown[] =>
      read(`$ aws ec2 describe-network-interfaces ${filters} ${query} ${rows}`).facts.map(
        ({ value }) => {
          const { NetworkInterfaceId, Description, Status, VpcId } = value as Record<
            string,
            unknown
          >;
          return [NetworkInterfaceId, Description, Status, VpcId];
        },
      );
    const expected = [['eni-0a1b2c3d', 'aws-K8S-i-0a1b2c3d', 'available', null]];
    assert.deepEqual(values('--output text\n15\teni-0a1b2c3d\taws-K8S-i-0a1b2c3d'), expected);
    const table = [
      '| DescribeNetworkInterfaces |',
      '| Addresses | Id | Of |',
      '| 15 | eni-0a1b2c3d | aws-K8S-i-0a1b2c3d |',
    ];
    assert.deepEqual(values(`--output table\n${table.join('\n')}`), expected);
  });

  test('end where the next command was typed, whatever became of what that printed', () => {
    const facts = read(
      "$ aws ec2 describe-images --image-ids ami-0a1b2c3d --query 'Images[].Name' --output text\na-name\n$ kubectl logs x | tail -1\nE0121 words",
    ).facts;
    assert.deepEqual(
      facts.map(({ value }) => (value as { readonly Name: unknown }).Name),
      ['a-name'],
    );
  });
});

describe('answers of aws in other forms', () => {
  /** What is told of subnets: the id and the count. */
  const counts = (text: string): readonly unknown[] =>
    read(text).facts.map(({ value }) => {
      const { SubnetId, AvailableIpAddressCount } = value as Record<string, unknown>;
      return [SubnetId, AvailableIpAddressCount];
    });
  const SUBNET = [['subnet-0a1b2c3d', 0]];
  const ASKED = '$ aws ec2 describe-subnets --subnet-ids subnet-0a1b2c3d';

  test('words below an answer, a pipe to jq and a command on two lines change nothing', () => {
    const count = 'AvailableIpAddressCount';
    assert.deepEqual(
      counts(`${ASKED} --query Subnets[].${count}\n[\n  0\n]\nSo it is full.`),
      SUBNET,
    );
    assert.deepEqual(counts(`${ASKED} | jq '.Subnets[0].${count}'\n0`), SUBNET);
    assert.deepEqual(counts(`${ASKED} \\\n  --query 'Subnets[0].${count}'\n0`), SUBNET);
    assert.deepEqual(counts(`${ASKED} --query 'Subnets[].${count} | [0]'\n0`), SUBNET);
    assert.deepEqual(
      counts(`${ASKED} --query 'Subnets[].{free: ${count}}' --output yaml\n- free: 0`),
      SUBNET,
    );
  });

  test('a table is rows, and a filter picks some that are not all', () => {
    const query = "--query 'Subnets[?VpcId==`vpc-1`].[SubnetId,AvailableIpAddressCount]'";
    const table = '+--+\n| DescribeSubnets |\n+--+\n|  subnet-0a1b2c3d |  0 |\n+--+';
    const { facts, listings } = read(
      `$ aws ec2 describe-subnets ${query} --output table\n${table}`,
    );
    assert.deepEqual(listings, []);
    const [subnet] = facts.map(({ value }) => value as Record<string, unknown>);
    assert.deepEqual([subnet?.['SubnetId'], subnet?.['VpcId']], ['subnet-0a1b2c3d', 'vpc-1']);
  });

  test('one value picked out of a list is a column that tells nothing of the list', () => {
    const picked = "Tags[?Key=='Name'].Value | [0]";
    const query = `"Subnets[0].[SubnetId,${picked},AvailableIpAddressCount]"`;
    const asked = `$ aws ec2 describe-subnets --query ${query}`;
    assert.deepEqual(counts(`${asked} --output text\nsubnet-0a1b2c3d\ta name\t0`), SUBNET);
    assert.deepEqual(counts(`${asked}\n["subnet-0a1b2c3d", null, 0]`), SUBNET);
  });

  test('a filter within a thing leaves the answer alone: the thing has more', () => {
    const query = "'SecurityGroups[0].IpPermissions[?ToPort==`443`]'";
    assert.deepEqual(
      factsIn(`$ aws ec2 describe-security-groups --query ${query}\n[{"ToPort": 443}]`),
      [],
    );
  });

  test('two commands of one line share out what stands below it', () => {
    const kinds = factsIn(
      '$ aws eks describe-cluster --name a --query cluster.accessConfig; aws eks list-access-entries --cluster-name a --query accessEntries\n{\n  "authenticationMode": "API"\n}\n[]',
    ).map((fact) => (fact as { kind: string }).kind);
    assert.deepEqual(kinds, ['aws/cluster', 'aws/access-entry-list']);
  });
});

describe('answers of kubectl', () => {
  test('what is not found by its name and namespace is absent', () => {
    const text = 'Error from server (NotFound): configmaps "aws-auth" not found';
    const kinds = (command: string): readonly string[] =>
      read(`${command}\n${text}`).listings.map(({ kind }) => kind);
    assert.deepEqual(kinds('$ kubectl -n kube-system get configmap aws-auth -o yaml'), [
      'kube/aws-auth',
    ]);
    assert.deepEqual(kinds('$ oc get cm/aws-auth -n kube-system'), ['kube/aws-auth']);
    // In another namespace nobody looks for it.
    assert.deepEqual(kinds('$ kubectl get configmap aws-auth'), []);
  });

  test('no resources are a complete list where none is left out', () => {
    const kinds = (command: string): readonly string[] =>
      read(`${command}\nNo resources found`).listings.map(({ kind }) => kind);
    assert.deepEqual(kinds('$ kubectl get nodes'), ['kube/Node']);
    assert.deepEqual(kinds('$ kubectl get pods -A'), ['kube/Pod']);
    assert.deepEqual(kinds('$ kubectl get nodes -l role=a'), []);
    assert.deepEqual(kinds('$ kubectl get pods'), []);
  });

  test('a template prints parts of an object and leaves the rest unknown', () => {
    const [fact] = read(
      "$ kubectl get node node-a -o jsonpath='{.spec.providerID}'\naws:///eu-west-1a/i-0123456789abcdef0",
    ).facts;
    assert.equal(fact?.kind, 'kube/Node');
    const node = fact.value as Record<string, unknown>;
    assert.deepEqual(
      [node['name'], node['providerId'], node['taints'], node['unschedulable']],
      ['node-a', 'aws:///eu-west-1a/i-0123456789abcdef0', null, null],
    );
  });

  test("columns of one's own are fields of each object", () => {
    const facts = read(
      '$ kubectl -n kube-system get leases -o custom-columns=NAME:.metadata.name,HOLDER:.spec.holderIdentity\nNAME                HOLDER\nkube-scheduler      a_1\nkube-controller-manager   <none>',
    ).facts.map(
      ({ value }) =>
        value as {
          name: string;
          namespace: string;
          spec?: { holderIdentity: unknown; renewTime: unknown };
        },
    );
    assert.deepEqual(
      facts.map(({ name, namespace, spec }) => [
        name,
        namespace,
        spec?.holderIdentity,
        spec?.renewTime,
      ]),
      [
        ['kube-scheduler', 'kube-system', 'a_1', undefined],
        ['kube-controller-manager', 'kube-system', undefined, undefined],
      ],
    );
  });
});

describe('parts that kubectl prints of objects', () => {
  test('lists and maps in a template are read, and rows of a range', () => {
    const taintsOf = (text: string): readonly unknown[] =>
      read(text).facts.map(({ value }) =>
        (value as { taints: readonly { key: string }[] }).taints.map(({ key }) => key),
      );
    const json = '[{"effect":"NoSchedule","key":"a"}]';
    assert.deepEqual(taintsOf(`$ kubectl get node n -o jsonpath='{.spec.taints}'\n${json}`), [
      ['a'],
    ]);
    assert.deepEqual(taintsOf(`$ kubectl get node n -o json | jq .spec.taints\n${json}`), [['a']]);
    const [node] = read(
      '$ kubectl get nodes -o jsonpath=\'{range .items[*]}{.metadata.name}{"\\t"}{.spec.providerID}{"\\n"}{end}\'\nnode-a\taws:///eu-west-1a/i-0123456789abcdef0',
    ).facts.map(({ value }) => value as { name: string; providerId: string });
    assert.deepEqual(
      [node?.name, node?.providerId],
      ['node-a', 'aws:///eu-west-1a/i-0123456789abcdef0'],
    );
  });
});

describe('names that a machine prints of itself', () => {
  test('are of one machine', () => {
    const { links, documents } = read(
      '$ hostname\nnode-a\n$ curl -s http://169.254.169.254/latest/meta-data/local-hostname\nip-10-0-1-2.ec2.internal\n',
    );
    assert.deepEqual(
      links.flatMap(({ names }) => names.map(({ kind, value }) => `${kind} ${value}`)),
      ['host node-a', 'private-dns ip-10-0-1-2.ec2.internal'],
    );
    assert.equal(documents[0]?.machines.length, 2);
  });

  test('are not read where two machines print them, or a page of an error', () => {
    assert.deepEqual(read('$ hostname\na\n$ hostname\nb').links, []);
    assert.deepEqual(
      read(
        '$ curl http://169.254.169.254/latest/meta-data/instance-id\n<html>404 - Not Found</html>',
      ).documents[0]?.machines,
      [],
    );
  });
});

test('rows of node classes say what they are of, as where several kinds are printed', () => {
  const texts = (header: string): readonly string[] =>
    writtenBy((passage) =>
      readTranscript(passage, ['$ kubectl get ec2nodeclasses', header, 'arm    False   19h']),
    ).said.map(({ text }) => text);
  assert.deepEqual(texts('NAME   READY   AGE'), ['ec2nodeclass/arm    False   19h']);
  assert.deepEqual(texts('NAME   AGE'), []);
});
