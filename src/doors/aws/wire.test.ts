/** What goes over the wire by shapes of the models, in each protocol. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json } from '../../evidence/json.ts';
import { jsonOutput } from './json-output.ts';
import { queryInput } from './query-input.ts';
import { jsonBody, route } from './rest-input.ts';
import type { Shape } from './schema.ts';
import { list, map, member, operation, structure } from './testing.ts';
import { ec2Xml, escaped, membersXml, queryXml, restXml } from './xml-output.ts';

const TEXT: Shape = { kind: 'text' };
const NUMBER: Shape = { kind: 'number' };
const FLAG: Shape = { kind: 'flag' };
const TIME: Shape = { kind: 'time' };
const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n';

function input(text: string, shape: Shape, isEc2 = false): Json {
  return queryInput(new URLSearchParams(text), shape, isEc2);
}

describe('parameters', () => {
  test('are read by the names of the protocol', () => {
    const own = { ec2QueryName: 'Own', xmlName: 'other' };
    const shape = structure(
      member('plain', TEXT),
      member('Named', TEXT, { xmlName: 'xmlNamed' }),
      member('Both', TEXT, own),
    );
    assert.deepEqual(input('plain=a&xmlNamed=b&other=c&Named=x', shape), {
      plain: 'a',
      Named: 'b',
      Both: 'c',
    });
    assert.deepEqual(input('Plain=a&XmlNamed=b&Own=c&plain=x&Other=y', shape, true), {
      plain: 'a',
      Named: 'b',
      Both: 'c',
    });
  });

  test('are of the kinds of the model', () => {
    const shape = structure(
      member('n', NUMBER),
      member('f', FLAG),
      member('t', TEXT),
      member('s', structure(member('n', NUMBER))),
    );
    assert.deepEqual(input('n=-1.5&f=TRUE&t=7&s.n=2', shape), {
      n: -1.5,
      f: true,
      t: '7',
      s: { n: 2 },
    });
    assert.deepEqual(input('n=&f=1', shape), { n: '', f: false });
    assert.deepEqual(input('n=many', shape), { n: 'many' });
    assert.deepEqual(input('n.x=1&f.x=1&t.x=1', shape), {});
    assert.deepEqual(input('t=first&t=last', shape), { t: 'last' });
    assert.deepEqual(input('t=a', TEXT), {});
  });

  test('of lists are in the order of their numbers', () => {
    const shape = structure(member('l', list(TEXT)));
    assert.deepEqual(input('l.10=c&l.2=b&l.1=a', shape), { l: ['a', 'b', 'c'] });
    assert.deepEqual(input('l.member.2=b&l.member.1=a', shape), { l: ['a', 'b'] });
    assert.deepEqual(input('l.1=a&l.x=b', shape), { l: ['a'] });
    assert.deepEqual(input('l.1.deep=a', shape), { l: [null] });
    for (const none of ['l=a', 'l.x=b', 'l.1234567=a', 'l.a1=b', 'l.1a=b'])
      assert.deepEqual(input(none, shape), { l: [] }, none);
  });

  test('of maps are entries with a key and a value', () => {
    const shape = structure(member('m', map(TEXT)));
    const entries = 'm.entry.1.key=a&m.entry.1.value=1&m.entry.2.Key=b&m.entry.2.Value=2';
    assert.deepEqual(input(entries, shape), { m: { a: '1', b: '2' } });
    assert.deepEqual(input('m.1.key=a', shape), { m: { a: '' } });
    assert.deepEqual(input('m.1.value=1', shape), { m: { '': '1' } });
  });

  test('have a limit to their number and depth', () => {
    const shape = structure(member('l', list(TEXT)));
    const many = (count: number): string =>
      Array.from({ length: count }, (_, index) => `l.${index}=x`).join('&');
    const most = input(many(10_000), shape) as { l: readonly string[] };
    assert.equal(most.l.length, 10_000);
    assert.equal(input(many(10_001), shape), null);
    assert.deepEqual(input(`x${'.1'.repeat(15)}=a`, shape), {});
    assert.equal(input(`x${'.1'.repeat(16)}=a`, shape), null);
  });
});

describe('a path', () => {
  const labelled = member('id', TEXT, { place: 'path' });
  const found = (name: string, method: string, path: string, more: Shape = structure(labelled)) =>
    operation(name, more, structure(), { method, path, status: 200 });
  const routed = (
    operations: Parameters<typeof route>[0],
    path: string,
    query = '',
    method = 'GET',
  ): Json => {
    const one = route(operations, {
      method,
      path,
      query: new URLSearchParams(query),
      body: { b: 1 },
    });
    return one === null ? null : [one.operation.name, one.input];
  };

  test('names its operation by its method and steps', () => {
    const operations = [
      operation('NoPath', structure(), structure()),
      found('Post', 'POST', '/things/{id}'),
      found('Parts', 'GET', '/things/{id}/parts'),
      found('Get', 'GET', '/things/{id}?operation=x'),
      found('Greedy', 'DELETE', '/things/{id+}'),
    ];
    assert.deepEqual(routed(operations, '/things/a'), ['Get', { b: 1, id: 'a' }]);
    assert.deepEqual(routed(operations, '/things/a/parts'), ['Parts', { b: 1, id: 'a' }]);
    assert.deepEqual(routed(operations, '/things/a', '', 'POST'), ['Post', { b: 1, id: 'a' }]);
    assert.deepEqual(routed(operations, '/things/a', '', 'DELETE'), ['Greedy', { b: 1, id: 'a' }]);
    for (const none of ['/things', '/others/a', '/things/a/b/c', '/things/a/others', '/xthings/a'])
      assert.equal(routed(operations, none), null, none);
    assert.equal(routed(operations, '/things/a', '', 'PUT'), null);
  });

  test('has labels that are decoded, and not empty', () => {
    const operations = [found('Get', 'GET', '/things/{id}')];
    assert.deepEqual(routed(operations, '/things/a%2Fb'), ['Get', { b: 1, id: 'a/b' }]);
    for (const none of ['/things/', '/things/%zz', '/things/%'])
      assert.equal(routed(operations, none), null, none);
    const fixed = [found('Odd', 'GET', '/x{id}/{id}y')];
    assert.equal(routed(fixed, '/xa/ay'), null);
  });

  test('has a query of the kinds of the model', () => {
    const at = (name: string): object => ({ place: 'query', queryName: name }) as const;
    const shape = structure(
      member('Max', NUMBER, at('max')),
      member('All', FLAG, at('all')),
      member('Name', TEXT, at('name')),
      member('Names', list(TEXT), at('names')),
      member('Unnamed', TEXT, { place: 'query' }),
      member('body', TEXT, { queryName: 'body' }),
    );
    const operations = [found('Get', 'GET', '/things', shape)];
    const asked = (query: string): Json => routed(operations, '/things', query);
    assert.deepEqual(asked('max=7&all=true&name=a&name=b&names=x&names=y&null=1&body=2'), [
      'Get',
      { b: 1, Max: 7, All: true, Name: 'a', Names: ['x', 'y'] },
    ]);
    assert.deepEqual(asked('max=&all=1'), ['Get', { b: 1, Max: '', All: false }]);
    assert.deepEqual(asked(''), ['Get', { b: 1 }]);
    assert.deepEqual(routed([found('Get', 'GET', '/things', TEXT)], '/things', 'a=b'), [
      'Get',
      { b: 1 },
    ]);
  });
});

test('a body is an object of JSON, or nothing', () => {
  assert.deepEqual(jsonBody(''), {});
  assert.deepEqual(jsonBody('{"a":1}'), { a: 1 });
  for (const none of ['[]', 'null', '"a"', '{', ' ']) assert.equal(jsonBody(none), null, none);
});

describe('JSON', () => {
  test('has the members of the model, and times as seconds', () => {
    const shape = structure(
      member('at', TIME),
      member('list', list(structure(member('at', TIME)))),
      member('map', map(TIME)),
      member('null', TEXT),
      member('text', TEXT),
    );
    const at = '2026-03-02T09:00:00.500Z';
    const seconds = 1_772_442_000.5;
    const value = { at, list: [{ at, secret: 1 }], map: { a: at }, null: null, secret: 1 };
    assert.deepEqual(jsonOutput(shape, value), {
      at: seconds,
      list: [{ at: seconds }],
      map: { a: seconds },
    });
  });

  test('leaves what has another shape as it is', () => {
    const shape = structure(
      member('at', TIME),
      member('list', list(TEXT)),
      member('map', map(TEXT)),
      member('one', structure()),
      member('text', TEXT),
    );
    const odd = { at: 7, list: { a: 1 }, map: [1], one: 'x', text: { a: 1 } };
    assert.deepEqual(jsonOutput(shape, odd), odd);
    assert.deepEqual(jsonOutput(shape, { at: 'never' }), { at: 'never' });
    assert.deepEqual(jsonOutput(TEXT, { a: 1 }), { a: 1 });
  });
});

describe('XML', () => {
  const one = (shape: Shape, value: Json, traits = {}): string =>
    membersXml(structure(member('One', shape, traits)), { One: value });

  test('escapes text, and leaves out what it cannot hold', () => {
    assert.equal(escaped(`a<b>&"c'\r\n\t`), 'a&lt;b&gt;&amp;&quot;c&apos;&#xD;\n\t');
    assert.equal(escaped('\u0000\u0008\u000B\u000C\u000E\u001F\uFFFE\uFFFF'), '');
    assert.equal(escaped('\u0009\u000A\u0020\uFFFD'), '\u0009\u000A\u0020\uFFFD');
  });

  test('has the members of the model in its order, by their names', () => {
    const shape = structure(
      member('B', TEXT),
      member('A', TEXT, { xmlName: 'a' }),
      member('Empty', TEXT),
      member('Null', TEXT),
      member('None', TEXT),
    );
    const value = { A: '<', B: true, Empty: '', Null: null, Secret: 1 };
    assert.equal(membersXml(shape, value), '<B>true</B><a>&lt;</a><Empty/>');
    assert.equal(membersXml(shape, 'odd'), '');
    assert.equal(membersXml(shape, undefined), '');
    assert.equal(membersXml(TEXT, { a: 1 }), '');
  });

  test('has lists within an element, or flattened', () => {
    const inner = structure(member('N', NUMBER));
    const items = [{ N: 1 }, { N: 2 }];
    assert.equal(
      one(list(inner), items),
      '<One><member><N>1</N></member><member><N>2</N></member></One>',
    );
    assert.equal(one(list(TEXT, { xmlName: 'item' }), ['a']), '<One><item>a</item></One>');
    const flat = { isFlattened: true, xmlName: 'flat' };
    assert.equal(one(list(inner), items, flat), '<flat><N>1</N></flat><flat><N>2</N></flat>');
    assert.equal(one(list(TEXT), 'odd'), '<One/>');
    assert.equal(one(list(TEXT), [], flat), '');
    assert.equal(one(TEXT, 'a', flat), '<flat>a</flat>');
  });

  test('has maps entry by entry', () => {
    assert.equal(
      one(map(NUMBER), { '<': 1, b: 2 }),
      '<One><entry><key>&lt;</key><value>1</value></entry>' +
        '<entry><key>b</key><value>2</value></entry></One>',
    );
    assert.equal(
      one(map(TEXT, 'Name', 'Value'), { a: 'x' }),
      '<One><entry><Name>a</Name><Value>x</Value></entry></One>',
    );
    assert.equal(one(map(TEXT), ['a']), '<One/>');
  });

  test('has policies as encoded JSON', () => {
    assert.equal(one(TEXT, { Version: 'a b' }), '<One>%7B%22Version%22%3A%22a%20b%22%7D</One>');
    assert.equal(one(TEXT, ['a']), '<One/>');
  });
});

describe('an answer in XML', () => {
  test('is wrapped as its protocol does', () => {
    const output = structure(member('One', TEXT));
    const made = operation('DoIt', structure(), output);
    const value = { One: 'x' };
    assert.equal(
      ec2Xml(made, 'urn:x', value, 'r1'),
      `${HEAD}<DoItResponse xmlns="urn:x"><requestId>r1</requestId><One>x</One></DoItResponse>`,
    );
    assert.equal(
      queryXml(made, 'urn:x', value, 'r1'),
      `${HEAD}<DoItResponse xmlns="urn:x"><DoItResult><One>x</One></DoItResult>` +
        '<ResponseMetadata><RequestId>r1</RequestId></ResponseMetadata></DoItResponse>',
    );
    assert.equal(
      restXml(made, 'urn:x', value),
      `${HEAD}<DoItResponse xmlns="urn:x"><One>x</One></DoItResponse>`,
    );
  });

  test('of EC2 says true where there is nothing to say', () => {
    const bare = (output: Shape): string =>
      ec2Xml(operation('DoIt', structure(), output), 'urn:x', {}, 'r1').split('</requestId>')[1] ??
      '';
    assert.equal(bare(structure()), '<return>true</return></DoItResponse>');
    assert.equal(bare(structure(member('One', TEXT))), '</DoItResponse>');
    assert.equal(bare(TEXT), '</DoItResponse>');
  });
});
