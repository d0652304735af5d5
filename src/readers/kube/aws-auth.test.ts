import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AwsAuth } from '../../evidence/kinds.ts';
import { awsAuthOfLines, awsAuthOfTable, parseAwsAuth } from './aws-auth.ts';

const HEADER = 'ARN\t\t\tUSERNAME\t\tGROUPS\t\t\tACCOUNT';
const NODES = 'arn:aws:iam::111122223333:role/nodes';

test('the table of eksctl is read as the mappings it shows', () => {
  const lines = [
    '$ eksctl get iamidentitymapping --cluster shop',
    HEADER,
    `${NODES}\tsystem:node:{{EC2PrivateDNSName}}\tsystem:bootstrappers,system:nodes\t`,
    'arn:aws:iam::111122223333:user/ann\tann\tsystem:masters\t',
    '',
    'arn:aws:iam::111122223333:role/below\tno\trow',
  ];
  assert.deepEqual(awsAuthOfTable(lines), {
    roles: [
      {
        arn: NODES,
        username: 'system:node:{{EC2PrivateDNSName}}',
        groups: ['system:bootstrappers', 'system:nodes'],
      },
    ],
    users: [
      { arn: 'arn:aws:iam::111122223333:user/ann', username: 'ann', groups: ['system:masters'] },
    ],
    malformed: null,
  });
});

test('reads rows without a header as no table and a header alone as an empty one', () => {
  assert.equal(awsAuthOfTable([`${NODES}\tadmin\tsystem:masters`]), null);
  assert.deepEqual(awsAuthOfTable([HEADER, 'none'])?.roles, []);
});

const ROLE = '- rolearn: arn:r\n  username: u\n  groups: [a, b]\n';
const USER = '- userarn: arn:u\n  username: v\n';
const roles = [{ arn: 'arn:r', username: 'u', groups: ['a', 'b'] }];
const users = [{ arn: 'arn:u', username: 'v', groups: [] }];

describe('the ConfigMap aws-auth', () => {
  for (const [title, maps, read] of [
    ['has roles and users', { mapRoles: ROLE, mapUsers: USER }, { roles, users }],
    ['has neither', {}, {}],
    ['has empty texts', { mapRoles: ' \n', mapUsers: '' }, {}],
    ['has a text of a comment alone', { mapRoles: '# none\n' }, {}],
    ['has null', { mapRoles: 'null' }, {}],
    [
      'has a list instead of a text',
      { mapRoles: [{ rolearn: 'arn:r' }], mapUsers: USER },
      { users, malformed: 'mapRoles is a YAML list where a text holding one belongs' },
    ],
    [
      'has a mapping instead of a list',
      { mapRoles: 'rolearn: arn:r' },
      { malformed: 'mapRoles, line 1: it is not a list' },
    ],
    [
      'has entries without the ARN',
      { mapRoles: `${ROLE}- userarn: arn:u\n- text\n` },
      { roles, malformed: 'mapRoles has an entry without rolearn' },
    ],
    [
      'has users without the ARN',
      { mapRoles: ROLE, mapUsers: '- rolearn: arn:r' },
      { roles, malformed: 'mapUsers has an entry without userarn' },
    ],
    [
      'is broken twice, of which the first is told',
      { mapRoles: 'a: b', mapUsers: 'a: b' },
      { malformed: 'mapRoles, line 1: it is not a list' },
    ],
    [
      'has no user name and odd groups',
      { mapRoles: '- rolearn: arn:r\n  groups: [a, 1, {}]\n' },
      { roles: [{ arn: 'arn:r', username: null, groups: ['a'] }] },
    ],
  ] as const)
    test(title, () => {
      const nothing = { roles: [], users: [], malformed: null };
      assert.deepEqual(parseAwsAuth({ data: maps }), { ...nothing, ...read });
    });

  test('that is broken YAML says where', () => {
    const { malformed, roles: read } = parseAwsAuth({ data: { mapRoles: '- rolearn: [\n' } });
    assert.match(String(malformed), /^mapRoles, line 2: ./);
    assert.deepEqual(read, []);
  });

  test('has a limit of lines', () => {
    const many = (lines: number): string => `${'#\n'.repeat(lines)}${ROLE}`;
    assert.equal(parseAwsAuth({ data: { mapRoles: many(19_000) } }).roles.length, 1);
    assert.equal(parseAwsAuth({ data: { mapRoles: many(20_000) } }).roles.length, 0);
  });
});

describe('maps in pasted lines', () => {
  const read = (text: string): AwsAuth | null => awsAuthOfLines(text.split('\n'));
  const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, '  ');

  for (const [title, text] of [
    ['below a key with a block', `mapRoles: |\n${indented(ROLE)}`],
    ['below a key with a block of another form', `mapRoles: |-\n${indented(ROLE)}`],
    ['below a key that is indented', `  mapRoles:   |+ \n${indented(indented(ROLE))}`],
    ['below a key alone, as kubectl describe shows it', `mapRoles:\n----\n${ROLE}\n\n`],
    ['below many dashes', `mapRoles:\n-------  \n${ROLE}`],
    ['to a blank line', `mapRoles:\n----\n${ROLE}  \n- text`],
    ['to an empty line', `mapRoles:\n----\n${ROLE}\n- text`],
    ['to the next map', `mapRoles: |\n${indented(ROLE)}mapAccounts: |\n  - text`],
    ['to the events', `mapRoles:\n----\n${ROLE}Events:  <none>`],
    [
      'to binary data',
      `mapRoles:\n----\n${ROLE}BinaryData\nBinaryData:`.replace('BinaryData\n', ''),
    ],
    ['to the next field', `mapRoles: |\n${indented(ROLE)}kind: ConfigMap`],
    ['to the metadata', `mapRoles: |\n${indented(ROLE)}metadata:\n  name: aws-auth`],
    ['to the version', `mapRoles: |\n${indented(ROLE)}apiVersion: v1`],
    ['to the next command', `mapRoles:\n----\n${ROLE}$ kubectl get nodes`],
  ] as const)
    test(`are read ${title}`, () => {
      assert.deepEqual(read(text), { roles, users: [], malformed: null });
    });

  test('may be of users alone, or of both', () => {
    assert.deepEqual(read(`mapUsers: |\n${indented(USER)}`), { roles: [], users, malformed: null });
    const both = `mapUsers: |\n${indented(USER)}mapRoles: |\n${indented(ROLE)}`;
    assert.deepEqual(read(both), { roles, users, malformed: null });
  });

  for (const text of ['mapAccounts: |\n  - a', `mapRoles: ${ROLE}`, `my mapRoles:\n${ROLE}`, ROLE])
    test(`are none in ${JSON.stringify(text.slice(0, 20))}`, () => assert.equal(read(text), null));

  test('are looked for to a limit of lines', () => {
    const below = (lines: number): string => `${'x\n'.repeat(lines)}mapRoles:\n${ROLE}`;
    assert.ok(read(below(19_999)) !== null);
    assert.equal(read(below(20_000)), null);
  });
});

describe('the table of eksctl', () => {
  const table = (...rows: readonly string[]): AwsAuth | null => awsAuthOfTable([HEADER, ...rows]);

  test('ends at the first line that is not a row', () => {
    assert.deepEqual(table('arn:r u a,,b', 'none', 'arn:s v a')?.roles, roles);
    assert.deepEqual(table('arn:r    u   a,b')?.roles, roles);
    assert.deepEqual(table(' arn:r u a')?.roles, []);
    assert.deepEqual(table('arn:r')?.roles, []);
  });

  test('may have no groups, and users beside roles', () => {
    assert.deepEqual(table('arn:x:user/v v', 'arn:my:users u'), {
      roles: [{ arn: 'arn:my:users', username: 'u', groups: [] }],
      users: [{ arn: 'arn:x:user/v', username: 'v', groups: [] }],
      malformed: null,
    });
  });

  test('has a header of its own', () => {
    for (const header of ['x ARN USERNAME GROUPS', 'ARN USER GROUPS', 'ARN USERNAME GROUPSX'])
      assert.equal(awsAuthOfTable([header, 'arn:r u a']), null);
    assert.equal(awsAuthOfTable([...Array<string>(20_000).fill(''), HEADER, 'arn:r u a']), null);
    const rows = Array<string>(20_100).fill('arn:r u a');
    assert.equal(table(...rows)?.roles.length, 19_999);
  });
});
