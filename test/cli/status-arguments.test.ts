import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { UsageError } from '../../src/apps/cli/context.ts';
import { readStatusArguments } from '../../src/apps/cli/table/status-arguments.ts';

describe('mistakes on the command line', () => {
  const mistakes: readonly (readonly [readonly string[], RegExp])[] = [
    [['-o', 'xml'], /^unknown format "xml"; use table, wide, json, /],
    [['-o', 'jsonpath={.a'], /^JSONPath, character 1: unclosed brace$/],
    [['-o', 'custom-columns=A'], /is not a column; write it as NAME:\.name$/],
    [['-o', 'jsonpath-file=/nowhere/at/all'], /cannot be read: ENOENT/],
    [['-l', 'a in b'], /^-l cannot read "a in b"/],
    [['--sort-by', '{'], /^JSONPath/],
    [['--sort-by', '.age'], /no field "\.age"; did you mean \.launchedAt\? Fields are \.name, /],
    [['--sort-by', '{.zoen}'], /no field "\.zoen"; did you mean \.zone\?/],
    [['--sort-by', '.headline.cuase'], /did you mean \.headline\.cause\?/],
    [['--sort-by', '.zone.name'], /no field "\.zone\.name"/],
    [
      ['--sort-by', '.metadata.creationTimestamp'],
      /did you mean \.launchedAt\? Fields are \.name, /,
    ],
    [['--sort-by', '.metadata.labels'], /labels"\. Fields are \.name, /],
    [['-o', 'jsonpath={.items[0].name}'], /no field "\.items"; did you mean \.rows\? Fields are /],
    [['-o', 'jsonpath={range .items[*]}{.name}{end}'], /did you mean \.rows\?/],
    [['-o', 'jsonpath={.rows.name}'], /\.rows is a list; did you mean \.rows\[\*\]\.name/],
    [['-o', 'jsonpath={.rows[*].metadata.name}'], /a row has no field .* did you mean \.name\?/],
    [['-o', 'jsonpath={range .rows[*]}{.nam}{end}'], /a row has no field "\.nam"; did you mean/],
    [['-o', 'jsonpath={.rows[?(@.status=="x")].name}'], /a row has no field "\.status"/],
    [
      ['-o', 'custom-columns=NAME:.metadata.name'],
      /no field "\.metadata\.name"; did you mean \.name/,
    ],
    [['-o', 'custom-columns=NAME:.items[*].name'], /custom-columns: a row has no field "\.items"/],
    [
      ['--context', 'a', '--context', 'b'],
      /^--context may be used once here, not 2 times; .*diagnose$/,
    ],
    [['--expect', '/nowhere/at/all'], /cannot be read: ENOENT/],
    [['--expect', '/'], /cannot be read: EISDIR/],
    [['--watch', './x'], /^--watch needs a live cluster/],
  ];
  for (const [args, why] of mistakes)
    test(args.join(' '), () => {
      assert.throws(
        () => readStatusArguments(args),
        (error) => {
          assert.ok(error instanceof UsageError);
          assert.match(error.message, why);
          return true;
        },
      );
    });
});

test('rows are sorted by any of their fields, and by paths that begin otherwise', () => {
  for (const path of ['.zone', 'headline', '{.group.name}', '..cause', "['name','zone']"])
    assert.equal(readStatusArguments(['--sort-by', path]).sortBy, path);
});

test('templates ask for any field that a roll call has', () => {
  for (const template of [
    '{.rows[*].name}',
    '{.rows[0].headline.cause} of {.catalogueVersion}',
    '{range .rows[?(@.verdict=="usable")]}{.group.name}{"\\n"}{end}',
    '{range .rows[*].headline}{.cause}{end}',
    '{range .shared[*]}{.value}{end}',
    '{..name}',
    '{@}',
    '{$.rows[-1:].name}',
  ])
    assert.equal(readStatusArguments(['-o', `jsonpath=${template}`]).output.kind, 'jsonpath');
});

test('distinguishes paths, names and options of every kind', () => {
  const asked = readStatusArguments([
    './x',
    '-',
    'i-1',
    '-o=wide',
    '-l=a=b',
    '--failed',
    '--no-headers',
  ]);
  assert.deepEqual([asked.paths, asked.names], [['./x', '-'], ['i-1']]);
  assert.deepEqual(
    [asked.output.kind, asked.failed, asked.headers, asked.watch],
    ['wide', true, false, false],
  );
  assert.equal(asked.selects?.({ a: 'b' }), true);
});
