import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { wrap, wrapCommand } from './wrap.ts';

const words = fc.array(fc.stringMatching(/^[a-z0-9<>-]{1,30}$/), { minLength: 1, maxLength: 30 });

describe('wrap', () => {
  test('breaks what has no blanks, and loses nothing of it', () => {
    const record = `{"kind":"Event","user":"${'x'.repeat(250)}"}`;
    const lines = wrap(`audit ${record}`, 90);
    assert.ok(lines.every((line) => line.length <= 90));
    assert.equal(lines.join(''), `audit${record}`);
  });

  test('keeps every word, and the width', () => {
    fc.assert(
      fc.property(words, fc.integer({ min: 10, max: 100 }), (list, width) => {
        const lines = wrap(list.join(' '), width);
        const isBroken = list.some((word) => word.length > width);
        assert.equal(lines.join('').replaceAll(' ', ''), list.join(''));
        assert.ok(isBroken || lines.join(' ') === list.join(' '));
        assert.ok(lines.every((line) => line.length <= width));
      }),
    );
  });
});

describe('wrapCommand', () => {
  test('is the same command when the shell joins its lines', () => {
    fc.assert(
      fc.property(words, fc.integer({ min: 40, max: 100 }), (list, width) => {
        const lines = wrapCommand(list.join(' '), width);
        assert.equal(lines.join('\n').replace(/ \\\n +/g, ' '), list.join(' '));
        assert.ok(lines.every((line) => line.length <= width));
      }),
    );
  });

  test('never breaks inside quotes', () => {
    const command = `aws ec2 describe-instances --query 'Reservations[].Instances[].[InstanceId, PrivateDnsName]' --output "a b"`;
    assert.ok(
      wrapCommand(command, 40).some((line) =>
        line.includes("'Reservations[].Instances[].[InstanceId, PrivateDnsName]'"),
      ),
    );
  });
});
