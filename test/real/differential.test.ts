/** Random programs of requests get the same answers from the simulated and a real API server. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import type { Json } from '../../src/evidence/json.ts';
import { until } from './bench.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { type Answered, differences, real, simulated, type Target } from './differential.ts';
import { KNOWN_DIFFERENCES } from './differential-known.ts';
import { PROGRAM, type Step } from './differential-programs.ts';
import { runProgram } from './differential-run.ts';
import { missing } from './parts.ts';
import { RULE_DEFINITION } from './differential-definition.ts';

const skip = missing('kube-apiserver', 'etcd');
/** A program takes about a second; more of them are asked for by the environment. */
const RUNS = Number(process.env['ROLLCALL_DIFFERENTIAL_RUNS'] ?? 12);
/** A new seed is for a search by hand: what stands between a change and its landing is repeatable. */
const SEED = Number(process.env['ROLLCALL_DIFFERENTIAL_SEED'] ?? 610_841_900);
const TIME_LIMIT_MS = Number(process.env['ROLLCALL_DIFFERENTIAL_LIMIT_MS'] ?? 60_000);

let plane: ControlPlane | null = null;
let programs = 0;
/** Requests by their kind, and by whether the real server did what was asked. */
const counts = new Map<string, number>();

before(async () => {
  if (skip === false) plane = await startControlPlane();
});

after(async () => {
  await plane?.stop();
});

function told(
  steps: readonly Step[],
  one: readonly Answered[],
  other: readonly Answered[],
): string {
  return steps
    .flatMap((step, index) => {
      const [mine, theirs] = [one[index], other[index]];
      if (mine === undefined || theirs === undefined) return [];
      if (KNOWN_DIFFERENCES.some(({ isIt }) => isIt(step, mine, theirs))) return [];
      const found = differences(mine as unknown as Json, theirs as unknown as Json);
      if (found.length === 0) return [];
      const { verb, resource, name = '', subresource = '' } = step;
      return [`step ${index + 1}: ${verb} ${resource} ${name} ${subresource}`, ...found];
    })
    .slice(0, 12)
    .join('\n');
}

function count(what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}

function counted(steps: readonly Step[], answers: readonly Answered[]): void {
  for (const [index, step] of steps.entries()) {
    const { verb, patchType = '', subresource = '' } = step;
    count([verb, patchType, subresource].filter((part) => part !== '').join(' '));
    count((answers[index]?.code ?? 0) < 300 ? '(done)' : '(refused)');
  }
}

function table(): string {
  const rows = [...counts].toSorted(([, a], [, b]) => b - a);
  return rows.map(([what, times]) => `${what} ${times}`).join(', ');
}

async function define(target: Target): Promise<void> {
  const resource = 'customresourcedefinitions.apiextensions.k8s.io';
  await target.ask({ verb: 'create', resource, body: RULE_DEFINITION }, '');
  await until('the custom resource to be served', async () => {
    const { code } = await target.ask({ verb: 'list', resource: 'rules.rollcall.test' }, '');
    return code === 200 ? true : null;
  });
}

test('random programs are answered alike', { skip, timeout: 600_000 }, async (context) => {
  assert.ok(plane !== null);
  const actual = real(plane.url, plane.caPath, plane.admin);
  const model = simulated();
  context.after(() => actual.close());
  await define(actual);
  await define(model);
  const repeat = `ROLLCALL_DIFFERENTIAL_SEED=${SEED} ROLLCALL_DIFFERENTIAL_RUNS=${RUNS}`;
  context.diagnostic(`repeat: ${repeat} node --test test/real/differential.test.ts`);
  let steps = 0;
  const property = fc.asyncProperty(PROGRAM, async (program) => {
    const prefix = `d${++programs}-`;
    const [one, other] = await Promise.all([
      runProgram(model, program, prefix),
      runProgram(actual, program, prefix),
    ]);
    steps += program.length;
    counted(program, other.answers);
    assert.equal(told(program, one.answers, other.answers), '');
    assert.equal(differences(one.histories, other.histories, 'watch').slice(0, 8).join('\n'), '');
  });
  const limit = { interruptAfterTimeLimit: TIME_LIMIT_MS, markInterruptAsFailure: false };
  await fc.assert(property, { seed: SEED, numRuns: RUNS, ...limit });
  context.diagnostic(`${programs} programs, ${steps} requests to each server`);
  context.diagnostic(table());
});
