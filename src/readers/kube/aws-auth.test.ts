import assert from 'node:assert/strict';
import { test } from 'node:test';
import { awsAuthOfTable } from './aws-auth.ts';

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
