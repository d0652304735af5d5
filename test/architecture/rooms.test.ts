import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rooms } from './rooms.ts';
import { planted } from './sources.ts';

function found(path: string, text: string): readonly string[] {
  return rooms.run(planted({ [path]: text })).map(({ where, what }) => `${where} ${what}`);
}

const ALLOWED: readonly (readonly [string, string])[] = [
  ['src/diagnosis/a.ts', "import '../evidence/b.ts'; import './c.ts';"],
  ['src/causes/launched/x/cause.ts', "import '../../../diagnosis/b.ts';"],
  ['src/causes/index.generated.ts', "const a = () => import('./launched/x/cause.ts');"],
  ['src/readers/a.ts', "import { load } from 'js-yaml'; import '../capacity/b.ts';"],
  ['src/adapters/aws/a.ts', "import 'node:fs'; import 'undici/x'; import './b.ts';"],
  ['src/sim/a.ts', "import '../controllers/gate/decide.ts';"],
  ['src/apps/cli/main.ts', "import '../../adapters/aws/b.ts'; import '../../../package.json';"],
  ['src/evidence/a.test.ts', "import 'node:test'; import fc from 'fast-check';"],
  ['src/ports/contract/a.ts', "import 'node:test'; import '../b.ts';"],
  ['src/controllers/a.ts', "import '../runtime/b.ts';"],
  ['src/controllers/a.ts', "import '../ports/kube-writes.ts';"],
  ['src/collection/a.ts', "import '../ports/kube-api.ts';"],
  ['src/collection/host/a.ts', "import 'node:zlib'; import '../../engine/b.ts';"],
];

test('imports that the table allows pass', () => {
  for (const [path, text] of ALLOWED) assert.deepEqual(found(path, text), [], path);
});

const FORBIDDEN: readonly (readonly [string, string, RegExp])[] = [
  ['src/evidence/a.ts', "import '../diagnosis/b.ts';", /evidence may import no other room/],
  ['src/diagnosis/a.ts', "import type { X } from '../causes/b.ts';", /a\.ts:1 imports src\/causes/],
  ['src/capacity/a.ts', "\nimport 'node:fs';", /a\.ts:2 imports node:fs, .* capacity are none/],
  ['src/causes/a/x/cause.ts', "import '../y/cause.ts';", /a cause stands alone/],
  ['src/causes/a/x/cause.ts', "import '../../catalogue.ts';", /a cause stands alone/],
  ['src/readers/a.ts', "import 'undici';", /packages of readers are js-yaml/],
  [
    'src/readers/a.ts',
    "import '../diagnosis/b.ts';",
    /readers may import evidence, domain, capacity/,
  ],
  ['src/ports/a.ts', "import '../adapters/aws/b.ts';", /ports may import evidence/],
  ['src/domain/pods/a.ts', "import '../../diagnosis/b.ts';", /domain may import evidence/],
  ['src/engine/a.ts', "import '../adapters/aws/b.ts';", /engine may import evidence, domain/],
  ['src/engine/a.ts', "import 'node:fs';", /packages of engine are none/],
  ['src/collection/a.ts', "import '../adapters/aws/b.ts';", /collection may import evidence/],
  ['src/collection/a.ts', "import 'node:fs';", /packages of collection are node:crypto/],
  ['src/collection/a.ts', "import '../ports/kube-writes.ts';", /collection only reads/],
  ['src/collection/a.ts', "import '../ports/aws-writes.ts';", /collection only reads/],
  ['src/runtime/a.ts', "import '../engine/b.ts';", /runtime may import evidence, ports/],
  ['src/runtime/a.ts', "import 'node:http';", /packages of runtime are none/],
  ['src/adapters/kubernetes/a.ts', "import '../../runtime/b.ts';", /adapters may import/],
  ['src/doors/a.ts', "import '../runtime/b.ts';", /doors may import evidence, ports, sim/],
  ['src/controllers/a.ts', "import '../adapters/aws/b.ts';", /controllers may import/],
  ['src/adapters/aws/a.ts', "import '../host/b.ts';", /adapters never import each other/],
  ['src/sim/a.ts', "await import('../adapters/aws/b.ts');", /sim may import/],
  ['src/doors/a.ts', "import '../controllers/b.ts';", /doors may import evidence, ports, sim/],
  ['src/evidence/a.test.ts', "import '../readers/b.ts';", /evidence may import no other room/],
  ['src/evidence/a.test.ts', "import 'js-yaml';", /imports js-yaml/],
  ['src/apps/a.ts', "import '../../test/b.ts';", /outside src/],
  ['src/readers/a.ts', "import './testing.ts';", /which is for tests/],
  ['src/ports/a.ts', "import './contract/b.ts';", /which is for tests/],
  ['src/apps/a.ts', 'import(name);', /computed name/],
  ['src/kitchen/a.ts', '', /in no room/],
  ['src/a.ts', '', /in no room/],
];

test('imports that the table forbids are named with what to do', () => {
  for (const [path, text, message] of FORBIDDEN) {
    const all = found(path, text);
    assert.equal(all.length, 1, `${path} ${text}`);
    assert.match(all[0] ?? '', message);
  }
});
