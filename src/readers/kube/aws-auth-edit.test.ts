import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readRoles, withoutInserted, withRole } from './aws-auth-edit.ts';

const NODES = {
  arn: 'arn:aws:iam::111122223333:role/nodes',
  username: 'system:node:{{EC2PrivateDNSName}}',
  groups: ['system:bootstrappers', 'system:nodes'],
};
const ADMIN = '- rolearn: arn:aws:iam::111122223333:role/Admins\n  username: admin\n';
const ENTRY = [
  '- rolearn: arn:aws:iam::111122223333:role/nodes',
  '  username: system:node:{{EC2PrivateDNSName}}',
  '  groups:',
  '    - system:bootstrappers',
  '    - system:nodes',
  '',
];

function entry(indent = '', newline = '\n'): string {
  return ENTRY.map((row) => (row === '' ? '' : `${indent}${row}`)).join(newline);
}

describe('a role is added behind all others, which stay byte for byte', () => {
  for (const [title, text, expected] of [
    ['to nothing', '', entry()],
    ['to comments alone', '# nobody yet\n', `# nobody yet\n${entry()}`],
    ['to a list', ADMIN, `${ADMIN}${entry()}`],
    ['to a list without a last line end', ADMIN.trimEnd(), `${ADMIN}${entry()}`],
    ['to an indented list', `  ${ADMIN.replace('\n', '\n  ')}`, null],
    ['to lines that end as on Windows', ADMIN.replaceAll('\n', '\r\n'), null],
    ['to unknown keys and comments', `# who\n${ADMIN}  note: kept # why\n# end\n`, null],
    ['to anchors and merges', `- &one\n  rolearn: a\n- <<: *one\n  username: b\n`, null],
    ['to a key that stands twice', `${ADMIN}  username: other\n`, null],
    ['to placeholders of a document', '- rolearn: <ARN of instance role>\n', null],
    [
      'in front of a second document',
      `${ADMIN}---\n- rolearn: b\n`,
      `${ADMIN}${entry()}---\n- rolearn: b\n`,
    ],
    ['to a mapping of single sign-on', '- sso:\n    permissionSetName: A\n', null],
  ] as const)
    test(title, () => {
      const edit = withRole(text, NODES);
      assert.ok(edit.ok, JSON.stringify(edit));
      if (expected !== null) assert.equal(edit.text, expected);
      assert.equal(
        edit.text.replace(edit.inserted, () => ''),
        text,
      );
      const read = readRoles(edit.text);
      assert.deepEqual(read.ok && read.entries.at(-1), NODES);
      assert.equal(withoutInserted(edit.text, edit.inserted), text);
    });

  test('with the line ends and the indentation of the others', () => {
    const windows = withRole(ADMIN.replaceAll('\n', '\r\n'), NODES);
    assert.equal(windows.ok && windows.inserted, entry('', '\r\n'));
    const indented = withRole(`  ${ADMIN.replace('\n', '\n  ')}`, NODES);
    assert.equal(indented.ok && indented.inserted, entry('  '));
  });

  for (const [text, end] of [
    ['[]', ']'],
    ['[{rolearn: a}]', ']'],
    ['[{rolearn: a},]', ']'],
    ['[{rolearn: a}]  # a list ]', ']  # a list ]'],
    ['[\n\t{"rolearn": "a"}\n]\n', ']\n'],
  ] as const)
    test(`in brackets: ${JSON.stringify(text)}`, () => {
      const edit = withRole(text, NODES);
      assert.ok(edit.ok, JSON.stringify(edit));
      assert.ok(edit.text.endsWith(`}${end}`));
      assert.equal(withoutInserted(edit.text, edit.inserted), text);
    });

  test('in place of a word for nothing', () => {
    for (const text of ["''", '""', '``', 'null', ' ~ \n']) {
      const edit = withRole(text, NODES);
      assert.equal(edit.ok && edit.text, entry());
    }
  });

  test('to a megabyte of entries', () => {
    const text = ADMIN.repeat(Math.floor((1024 * 1024) / ADMIN.length));
    const edit = withRole(text, NODES);
    assert.equal(edit.ok && edit.text.slice(text.length), entry());
  });
});

describe('a role is added to a text of other people', () => {
  for (const [title, text] of [
    [
      'angle brackets of a guide',
      '- rolearn: <ARN of instance role (not instance profile)>\n  username: system:node:{{EC2PrivateDNSName}}\n',
    ],
    ['one key twice', '- rolearn: a\n  username: b\n  username: c\n'],
    ['an anchor and its alias', '- &a\n  rolearn: b\n- *a\n'],
    ['a merge in front of other keys', '- &n\n  rolearn: b\n- <<: *n\n  rolearn: d\n'],
  ] as const)
    test(`behind ${title}, which an undo leaves too`, () => {
      const edit = withRole(text, NODES);
      assert.equal(edit.ok && edit.text, `${text}${entry()}`);
      assert.equal(withoutInserted(`${text}${entry()}`, entry()), text);
    });
});

describe('nothing is changed', () => {
  for (const [title, text, line] of [
    ['behind a tab', `${ADMIN}- rolearn: b\n\tusername: c\n`, 4],
    ['behind a tab in a line without words', `${ADMIN}\t\n- rolearn: b\n`, 3],
    ['in a mapping', 'rolearn: a\n', 1],
    ['in words', '# a text\nnodes\n', 2],
    ['behind broken brackets', `${ADMIN}- rolearn: [\n`, 4],
    ['beside an entry without rolearn', `${ADMIN}- userarn: a\n`, 3],
    ['beside an entry of words', `${ADMIN}- nodes\n`, 3],
    ['where << stands behind other keys', '- &a\n  rolearn: b\n- username: c\n  <<: *a\n', 4],
    ['where aliases never end', '- &a [*a]\n', 1],
    ['beside a tag', `${ADMIN}- rolearn: !!str b\n`, 3],
    ['beside a control character', `${ADMIN}- rolearn: "\u0001"\n`, 3],
    ['behind an end without a beginning', `...\n${ADMIN}`, 1],
    ['behind a directive', `%TAG ! x\n---\n${ADMIN}`, 1],
    ['below a block that has no line end', '- rolearn: a\n  username: |\n    b', 3],
  ] as const)
    test(title, () => {
      const edit = withRole(text, NODES);
      assert.ok(!edit.ok);
      assert.equal(edit.line, line, JSON.stringify(edit));
    });
});

describe('what was inserted', () => {
  test('is taken out between entries of others', () => {
    const text = `${ADMIN}${entry()}- rolearn: later\n`;
    assert.equal(withoutInserted(text, entry()), `${ADMIN}- rolearn: later\n`);
  });

  test('stays where it is not as it was written', () => {
    assert.equal(withoutInserted(ADMIN, entry()), null);
    assert.equal(withoutInserted(ADMIN, ''), null);
  });

  test('stays where more than it would go', () => {
    const text = `${ADMIN}${entry()}  note: added by others\n`;
    assert.equal(withoutInserted(text, entry()), null);
  });
});
