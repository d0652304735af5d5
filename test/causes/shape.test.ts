import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type { Cause, Sign } from '../../src/diagnosis/cause.ts';
import { SYMPTOMS } from '../../src/diagnosis/symptoms.ts';
import { HOST_KINDS } from '../../src/evidence/kinds.ts';
import { AWS_KINDS } from '../../src/evidence/aws/shapes.ts';
import { KUBE_KINDS } from '../../src/evidence/kube/shapes.ts';
import { SOURCES } from '../../src/evidence/source.ts';
import { cleanLine } from '../../src/readers/line/clean.ts';
import { loadAllCauses } from '../../tools/generate.ts';
import { ASKED, isAsked } from './asked.ts';
import { loadExamples } from './example.ts';

const ANCHOR_BYTES_MIN = 5;
/** Symptoms that another program reports; they are evidence, never causes. */
const VERDICTS = [
  'node-creation-failure-verdict',
  'karpenter-registration-timeout',
  'known-ephemeral-taint',
];

let causes: readonly Cause[] = [];
before(async () => {
  causes = (await loadAllCauses()).map(({ cause }) => cause);
});

/** Faults of all causes, each with the id and what to do. */
function faults(find: (cause: Cause) => readonly string[]): readonly string[] {
  return causes.flatMap((cause) => find(cause).map((fault) => `${cause.id}: ${fault}`));
}

describe('every cause', () => {
  test('has at least one sign or fact, a page, a source and a deciding command', () => {
    assert.deepEqual(
      faults((cause) => [
        ...(Object.keys(cause.signs).length + cause.needs.length > 0
          ? []
          : ['reads nothing; give it signs or needs']),
        ...(['why', 'prevent', 'notThis'] as const)
          .filter((part) => cause.page[part].length < 30)
          .map((part) => `write page.${part}`),
        ...(cause.page.refs.length > 0 ? [] : ['name a source in page.refs']),
        ...(cause.decide.command === null ? ['give decide a command'] : []),
        ...(cause.remedy({}).length > 0 ? [] : ['give it a remedy']),
      ]),
      [],
    );
  });

  test('uses whole sentences even when nothing was captured', () => {
    assert.deepEqual(
      faults((cause) => {
        const said = [
          cause.summary({}),
          ...cause.remedy({}).flatMap((step) => [step.text, step.command ?? '']),
        ];
        return said
          .filter((text) => /undefined|\bnull\b.*undefined|  +[.,]/.test(text))
          .map((text) => `fallback missing in: ${text}`);
      }),
      [],
    );
  });

  test('gives commands that can be pasted: one line, no comment, no prompt', () => {
    assert.deepEqual(
      faults((cause) =>
        [...cause.remedy({}), cause.decide]
          .map((step) => step.command ?? '')
          .filter((command) => /\n|^\$ | # /.test(command))
          .map((command) => `say it in the text instead: ${command}`),
      ),
      [],
    );
  });

  test('explains and names only what exists', () => {
    const ids = new Set([...causes.map((cause) => cause.id), ...VERDICTS]);
    const symptoms = new Set<string>(SYMPTOMS.map((symptom) => symptom.id));
    assert.deepEqual(
      faults((cause) => [
        ...(cause.explains ?? [])
          .filter((id) => !ids.has(id))
          .map((id) => `explains "${id}", which is no cause`),
        ...cause.symptoms
          .filter((id) => !symptoms.has(id))
          .map((id) => `lists "${id}", which is no symptom`),
        ...(VERDICTS.includes(cause.id)
          ? ['is the verdict of another program, never a cause']
          : []),
      ]),
      [],
    );
  });
});

test('every cause suggests only rollcall commands that exist', () => {
  const folder = join(import.meta.dirname, '../../src/apps/cli/commands');
  const ours = new Set(readdirSync(folder).map((file) => file.replace('.ts', '')));
  assert.ok(ours.has('diagnose'));
  assert.deepEqual(
    faults((cause) =>
      [...cause.remedy({}), cause.decide]
        .flatMap(({ command }) => [...(command ?? '').matchAll(/\brollcall ([a-z]+)/g)])
        .filter(([, name = '']) => !ours.has(name))
        .map(([words]) => `there is no ${words}`),
    ),
    [],
  );
});

test('every cause with signs has an example in the words of another version than they were made from', () => {
  const worded = new Set(
    loadExamples().flatMap(({ cause, wording }) => (wording === null ? [] : cause)),
  );
  const missing = causes.filter(
    // What AWS and Kubernetes answer decides alone where there is no sign: no program words it.
    ({ id, signs }) => Object.keys(signs).length > 0 && !worded.has(id),
  );
  assert.deepEqual(
    missing.map(({ id }) => id),
    [],
    'add a found- example with a `wording:` line',
  );
});

type NamedSign = readonly [name: string, sign: Sign];

function anchorFaults([name, { anchors }]: NamedSign): readonly string[] {
  const unfit = anchors.filter(
    (text) => Buffer.byteLength(text) < ANCHOR_BYTES_MIN || /["\\\n]/.test(text),
  );
  const none = anchors.length > 0 ? [] : [`${name} has no anchor`];
  return [...none, ...unfit.map((anchor) => `${name}: anchor "${anchor}" is short or has a quote`)];
}

function exampleLines(only: readonly string[] = []): readonly string[] {
  const texts = loadExamples(only).flatMap((example) => example.files.map((file) => file.text));
  return [...new Set(texts.flatMap((text) => text.split('\n').map(cleanLine)))];
}

/** Lines that the expression matches although the scanner would never show them to it. */
function unanchored([name, sign]: NamedSign, lines: readonly string[]): readonly string[] {
  const isMissed = (line: string): boolean =>
    sign.pattern.test(line) && !sign.anchors.some((anchor) => line.includes(anchor));
  return lines
    .filter(isMissed)
    .map((line) => `${name} matches without an anchor: ${line.slice(0, 200)}`);
}

describe('every sign', () => {
  test('has anchors that a scanner can look for', () => {
    assert.deepEqual(
      faults((cause) => Object.entries(cause.signs).flatMap(anchorFaults)),
      [],
    );
  });

  test('matches no line of any example without one of its anchors', () => {
    const lines = exampleLines();
    // Signs and lines of other causes than those asked about were compared when they changed.
    const own = ASKED.length === 0 ? lines : exampleLines(ASKED);
    const found = faults(({ id, signs }) =>
      Object.entries(signs).flatMap((sign) => unanchored(sign, isAsked(id) ? lines : own)),
    );
    assert.deepEqual(found, []);
  });

  test('has no repetition inside a repetition, which could blow up', () => {
    // A separator at either end of the repeated group keeps it linear: `(?:, x+)*`, `(?:x+,)*`.
    const nested = /\((?:\?:|\?<\w+>|(?!\?))(?![-., :/]|\\[./])[^()]*[^\\][+*]\)(?:[+*]|\{\d+,\})/;
    assert.deepEqual(
      faults((cause) =>
        Object.entries(cause.signs)
          .filter(([, sign]) => nested.test(sign.pattern.source))
          .map(([name]) => `${name} repeats a repetition`),
      ),
      [],
    );
  });
});

/** Beginnings that go over the same letters again for each of them, and what to write instead. */
const GOES_BACK: readonly (readonly [RegExp, string])[] = [
  [/^(?:\(\?<\w+>)?(?:\\[wSd]|\[[^\]]*\])[*+]/, 'put (?<![…]) with the same letters before it'],
  [/(?:\\S|\[\^[^\]]*\])[*+](?:[^\\[(]\?)*\.[*+]/, 'leave the first out: `.*` takes its letters'],
  [/(\.|\\[wSds])[*+]\??\1[*+]/, 'leave one of the two out'],
];

test('no sign begins with, or has in a row, repetitions that take the same letters', () => {
  assert.deepEqual(
    faults((cause) =>
      Object.entries(cause.signs).flatMap(([name, { pattern }]) =>
        GOES_BACK.filter(([form]) => form.test(pattern.source)).map(
          ([, instead]) => `${name}: ${pattern.source}: ${instead}`,
        ),
      ),
    ),
    [],
  );
});

describe('readers and causes', () => {
  test('every source of lines has a cause, and every cause a source that is read', () => {
    const used = new Set(
      causes.flatMap((cause) => Object.values(cause.signs).flatMap((sign) => sign.in)),
    );
    const unused = Object.keys(SOURCES).filter(
      (source) => source !== 'unknown' && !used.has(source as never),
    );
    assert.deepEqual(unused, [], 'remove the source, or write the cause that reads it');
  });

  test('every kind of fact has a cause that needs it', () => {
    const needed = new Set<string>(causes.flatMap((cause) => cause.needs));
    const kinds = [
      'kube/Node',
      'kube/aws-auth',
      'kube/cluster-info',
      ...KUBE_KINDS.map((kind) => `kube/${kind}`),
      ...AWS_KINDS,
      ...HOST_KINDS,
    ];
    const unneeded = kinds.filter((kind) => !needed.has(kind));
    assert.deepEqual(unneeded, [], 'remove the kind, or write the cause that needs it');
  });
});
