import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ageText } from '../../src/apps/cli/table/age.ts';
import {
  customLines,
  parseColumnsFile,
  parseCustomColumns,
} from '../../src/apps/cli/table/custom-columns.ts';
import { parseExpectedHosts } from '../../src/apps/cli/table/expected-hosts.ts';
import { parseRelaxed, printTemplate } from '../../src/apps/cli/table/json-path.ts';
import { JsonPathError } from '../../src/apps/cli/table/json-path-tree.ts';
import { parseOutput } from '../../src/apps/cli/table/output-format.ts';
import { parseSelector, SelectorError } from '../../src/apps/cli/table/selector.ts';
import { sortRows } from '../../src/apps/cli/table/sort-by.ts';
import { cellText, cutTo, widthOf } from '../../src/apps/cli/table/width.ts';

const DOCUMENT = {
  kind: 'RollCall',
  rows: [
    { name: 'a', verdict: 'usable', group: { name: 'x' }, headline: null, n: 1 },
    { name: 'b', verdict: 'not-usable', group: { name: 'y' }, headline: { cause: 'c1' }, n: 2 },
    { name: 'c', verdict: 'not-usable', group: { name: 'x' }, headline: { cause: 'c2' }, n: 10 },
  ],
  'a.b/c': 'dotted',
};

/** Templates and what kubectl prints for them, null values being left out. */
const TEMPLATES: readonly (readonly [string, string])[] = [
  ['{.kind}', 'RollCall'],
  ['{$.kind}', 'RollCall'],
  ['{@.kind}', 'RollCall'],
  ['kind is {.kind}!', 'kind is RollCall!'],
  ['{.rows[*].name}', 'a b c'],
  ['{.rows[0].name}', 'a'],
  ['{.rows[-1].name}', 'c'],
  ['{.rows[-1:].name}', 'c'],
  ['{.rows[7].name}', ''],
  ['{.rows[0:2].name}', 'a b'],
  ['{.rows[1:].name}', 'b c'],
  ['{.rows[:-1].name}', 'a b'],
  ['{.rows[0:3:2].name}', 'a c'],
  ['{.rows[0,2].name}', 'a c'],
  ["{.rows[0]['name','verdict']}", 'a usable'],
  ["{['kind']}", 'RollCall'],
  ['{["kind"]}', 'RollCall'],
  ["{['a\\.b/c']}", 'dotted'],
  ["{['a.b/c']}", 'dotted'],
  ['{.a\\.b/c}', 'dotted'],
  ['{.rows[?(@.verdict=="not-usable")].name}', 'b c'],
  ["{.rows[?(@.verdict!='not-usable')].name}", 'a'],
  ['{.rows[?(@.n>1)].name}', 'b c'],
  ['{.rows[?(@.n<=2)].name}', 'a b'],
  ['{.rows[?(@.n >= 10)].name}', 'c'],
  ['{.rows[?(@.headline)].name}', 'b c'],
  ['{.rows[?(@.headline.cause=="c2")].name}', 'c'],
  ['{.rows[?(@.n=="1")].name}', ''],
  ['{..cause}', 'c1 c2'],
  ['{.rows..cause}', 'c1 c2'],
  ['{.rows[0].group}', '{"name":"x"}'],
  ['{.rows[0].group.*}', 'x'],
  ['{.rows[0].n}{"\\t"}{true}{"\\n"}', '1\ttrue\n'],
  ['{range .rows[*]}{.name}={.headline.cause}{"\\n"}{end}', 'a=\nb=c1\nc=c2\n'],
  ['{range .rows[*]}{range .group}{.name}{end},{end}.', 'x,y,x,.'],
  ['{range .none[*]}x{end}y', 'y'],
  ['{.missing}', ''],
  ["{'it\\'s'}", "it's"],
];

/** Templates that cannot be read, and where. */
const UNREADABLE: readonly (readonly [string, RegExp])[] = [
  ['{.rows', /character 1: unclosed brace/],
  ['{.rows[}', /a bracket holds an index/],
  ['{.rows[?(@.a==)]}', /a filter needs a value to compare with/],
  ['{.rows[?(@.a=="b" && @.c)]}', /does not support &&/],
  ['{end}', /without a range/],
  ['{name}', /a field begins with a dot: \.name/],
  ['{"x}', /quote/],
  ['{....a}', /\.\. follows \.\./],
  ['{.a[0:5:0]}', /step of a slice is at least 1/],
];

describe('JSONPath as kubectl reads it', () => {
  for (const [template, printed] of TEMPLATES)
    test(template, () => assert.equal(printTemplate(template, DOCUMENT), printed));

  for (const [template, why] of UNREADABLE)
    test(`${template} is not read`, () => {
      assert.throws(
        () => printTemplate(template, DOCUMENT),
        (error) => {
          assert.ok(error instanceof JsonPathError);
          assert.match(error.message, why);
          return true;
        },
      );
    });

  test('no template breaks it: it prints or reports the mistake', () => {
    const pieces = fc.constantFrom(
      ...'{ } [ ] ( ) .. . * , : ? @ $ == != < > " \' \\ - 0 1 7 range end rows name ?( )] [?(@. {range {end} é 😀'.split(
        ' ',
      ),
      ' ',
      '\n',
      '{.rows[*]',
    );
    const template = fc.oneof(
      fc.array(pieces, { maxLength: 25 }).map((parts) => parts.join('')),
      fc.string({ unit: 'binary', maxLength: 60 }),
    );
    fc.assert(
      fc.property(template, (text) => {
        try {
          assert.equal(typeof printTemplate(text, DOCUMENT), 'string');
        } catch (error) {
          assert.ok(error instanceof JsonPathError, String(error));
        }
      }),
      { numRuns: 3000 },
    );
  });

  test('prints text without braces as it is', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const plain = text.replaceAll('{', '');
        assert.equal(printTemplate(plain, DOCUMENT), plain);
      }),
    );
  });

  test('deep ranges and long templates are refused, not run', () => {
    assert.throws(() => printTemplate('{range .rows}'.repeat(200), DOCUMENT), JsonPathError);
    assert.throws(() => printTemplate('x'.repeat(100_000), DOCUMENT), JsonPathError);
  });

  test('ignores names of the prototype', () => {
    assert.equal(printTemplate('{.__proto__}{.constructor}{.rows.length}', DOCUMENT), '');
  });
});

describe('custom columns', () => {
  test('reads paths with and without braces and prints <none> for missing values', () => {
    const columns = parseCustomColumns('NAME:.name,CAUSE:{.headline.cause},GROUP:group.name');
    assert.deepEqual(customLines(columns, DOCUMENT.rows, true), [
      'NAME   CAUSE    GROUP',
      'a      <none>   x',
      'b      c1       y',
      'c      c2       x',
    ]);
    assert.deepEqual(customLines(columns, DOCUMENT.rows.slice(0, 1), false), ['a   <none>   x']);
  });

  test('a comma inside brackets is part of the path', () => {
    const columns = parseCustomColumns("BOTH:['name','verdict'],N:.n");
    assert.deepEqual(customLines(columns, DOCUMENT.rows.slice(0, 1), false), ['a,usable   1']);
  });

  test('a file has the headers over their paths', () => {
    const columns = parseColumnsFile('NAME   N\n.name  .n\n');
    assert.deepEqual(customLines(columns, DOCUMENT.rows.slice(0, 1), true), [
      'NAME   N',
      'a      1',
    ]);
    assert.throws(() => parseColumnsFile('NAME N\n.name\n'), JsonPathError);
  });

  for (const bad of ['', 'NAME', ':.name', 'NAME:', 'NAME:{.a}{.b}', 'NAME:{end}x'])
    test(`${JSON.stringify(bad)} is refused`, () => {
      assert.throws(() => parseCustomColumns(bad), JsonPathError);
    });
});

describe('--sort-by', () => {
  test('numbers as numbers, names naturally, what has no value first', () => {
    const namesBy = (path: string): string =>
      sortRows(DOCUMENT.rows, path)
        .map((r) => r.name)
        .join('');
    assert.equal(namesBy('.n'), 'abc');
    assert.equal(namesBy('{.headline.cause}'), 'abc');
    assert.equal(namesBy('group.name'), 'acb');
    assert.throws(() => parseRelaxed('{'), JsonPathError);
  });
});

describe('-l', () => {
  const labels = { env: 'prod', 'karpenter.sh/nodepool': 'spot', size: '8' };
  const held: readonly (readonly [string, boolean])[] = [
    ['env=prod', true],
    ['env==prod', true],
    ['env=dev', false],
    ['env!=dev', true],
    ['missing!=x', true],
    ['env', true],
    ['missing', false],
    ['!missing', true],
    ['!env', false],
    ['env in (dev, prod)', true],
    ['env in (dev)', false],
    ['env notin (dev)', true],
    ['missing notin (a)', true],
    ['karpenter.sh/nodepool=spot,env in (prod,dev),!gone', true],
    ['karpenter.sh/nodepool=spot,env=dev', false],
    ['size>4', true],
    ['size<4', false],
    ['env>4', false],
    ['missing=', false],
  ];
  for (const [selector, holds] of held)
    test(`${selector} ${holds ? 'holds' : 'does not hold'}`, () => {
      assert.equal(parseSelector(selector)(labels), holds);
    });

  for (const bad of ['', ',', 'a,', 'a b', 'a in b', 'a>x', '!', '=x', 'a in (b', '__proto__x='])
    test(`${JSON.stringify(bad)} is refused`, () => {
      assert.throws(() => parseSelector(bad), SelectorError);
    });

  test('no selector breaks it', () => {
    const part = fc.constantFrom('a', '=', '!', ',', ' in ', ' notin ', '(', ')', '<', '1', '\n');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
        try {
          assert.equal(typeof parseSelector(parts.join(''))(labels), 'boolean');
        } catch (error) {
          assert.ok(error instanceof SelectorError);
        }
      }),
    );
  });
});

describe('-o', () => {
  test('formats as kubectl writes them', () => {
    const kindOf = (text: string): string | undefined => parseOutput(text, () => '{.kind}')?.kind;
    assert.deepEqual(
      ['json', '=yaml', 'wide', 'name', 'jsonpath={.kind}', 'jsonpath-file=x', 'xml', 'json=x'].map(
        kindOf,
      ),
      ['json', 'yaml', 'wide', 'name', 'jsonpath', 'jsonpath', undefined, undefined],
    );
  });
});

describe('ages as kubectl prints them', () => {
  const now = Date.parse('2026-03-01T00:00:00Z');
  const ages: readonly (readonly [number, string])[] = [
    [0, '0s'],
    [119, '119s'],
    [120, '2m'],
    [330, '5m30s'],
    [600, '10m'],
    [10_799, '179m'],
    [10_800, '3h'],
    [12_060, '3h21m'],
    [28_800, '8h'],
    [172_799, '47h'],
    [172_800, '2d'],
    [183_600, '2d3h'],
    [691_200, '8d'],
    [63_072_000, '2y'],
    [63_072_000 + 86_400 * 5, '2y5d'],
    [86_400 * 365 * 9, '9y'],
  ];
  for (const [seconds, text] of ages)
    test(`${seconds} s is ${text}`, () => {
      assert.equal(ageText(new Date(now - seconds * 1000).toISOString(), now), text);
    });

  test('a launch after now is 0s, and unknown stays unknown', () => {
    assert.equal(ageText('2026-03-02T00:00:00Z', now), '0s');
    assert.equal(ageText(null, now), '<unknown>');
    assert.equal(ageText('2026-03-02T00:00:00Z', null), '<unknown>');
  });
});

describe('widths of text', () => {
  test('wide letters take two columns, marks none', () => {
    assert.deepEqual(
      ['abc', '節点', 'é', 'e\u0301', '😀', '👩‍💻', ''].map(widthOf),
      [3, 4, 1, 1, 2, 2, 0],
    );
  });

  test('whatever is cut has at most the width asked for', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.integer({ min: 1, max: 20 }),
        (text, width) => {
          const clean = cellText(text);
          assert.ok(widthOf(cutTo(clean, width)) <= width);
        },
      ),
    );
  });

  test('a cell is one line without control or bidirectional characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        assert.doesNotMatch(
          cellText(text),
          /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]/,
        );
      }),
    );
    assert.equal(cellText('a\u001b[31mb\u202e\nc'), 'ab c');
  });
});

describe('--expect', () => {
  test('a host a line, with its instance if there is one', () => {
    assert.deepEqual(
      parseExpectedHosts('# masters\nnode-1\nnode-2 i-0123456789abcdef0 # new\n\n'),
      [{ name: 'node-1' }, { name: 'node-2', instanceId: 'i-0123456789abcdef0' }],
    );
  });

  for (const bad of ['node 1', 'a\u001bb', '-x', 'node-1 i-0123456789abcdef0 x'])
    test(`${JSON.stringify(bad)} is not a host`, () => {
      assert.throws(() => parseExpectedHosts(`ok\n${bad}`), /^Error: Line 2 is not a host/);
    });
});
