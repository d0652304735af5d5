import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sign } from '../cause.ts';
import { causeOf } from '../testing.ts';
import { renderCausePage } from './cause-page.ts';

function sign(weight: Sign['weight'], pattern: RegExp): Sign {
  return { weight, in: ['kubelet'], anchors: ['anchor'], pattern };
}

const PAGE = { why: 'Because.', prevent: 'Take care.', notThis: 'It may be another.', refs: [] };

const WHOLE = `# aws-auth-missing

Nobody let it in.
Stage: \`authenticated\`. Belongs to: machine.
People search for: “Unauthorized”, “no nodes”.

## Why it happens

Because.

## What shows it

| message | in | meaning |
|---|---|---|
| \`one\` | kubelet journal | names it alone |
| \`Two\` | kubelet journal | names it unless something speaks against it |
| \`2\` | kubelet journal | names it unless something speaks against it |
| \`three\` | kubelet journal | supports it |
| \`four\` | kubelet journal | clears it when seen later |
| \`five\` | kubelet journal | rules it out |

It also reads: \`kube/Node\`, \`aws/instance\`.

## How to fix it

- let it in

      kubectl edit

- wait

## How to be sure

Ask.

    kubectl get

## How to prevent it

Take care.

## When it is something else

It may be another.

## Sources

- a page
- a book
`;

test('the page of a cause has all that a person asks of it, in one order', () => {
  const cause = causeOf('aws-auth-missing', 'authenticated', {
    title: 'nobody let it in',
    needs: ['kube/Node', 'aws/instance'],
    signs: {
      a: sign('definite', /one/),
      b: sign('likely', /[Tt]wo|2/),
      c: sign('context', /three/),
      d: sign('withdraws', /four/),
      e: sign('clears', /five/),
    },
    remedy: () => [
      { text: 'let it in', command: 'kubectl edit' },
      { text: 'wait', command: null },
    ],
    decide: { text: 'Ask.', command: 'kubectl get' },
    page: { ...PAGE, alsoKnownAs: ['Unauthorized', 'no nodes'], refs: ['a page', 'a book'] },
  });
  assert.equal(renderCausePage(cause), WHOLE);
});

test('the page of a cause leaves out what the cause has not', () => {
  const text = renderCausePage(causeOf('plain', 'usable', { title: 'x', page: PAGE }));
  assert.equal(
    text,
    `# plain

X.
Stage: \`usable\`. Belongs to: machine.

## Why it happens

Because.

## How to fix it


## How to be sure



## How to prevent it

Take care.

## When it is something else

It may be another.

## Sources

`,
  );
});
