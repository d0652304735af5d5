import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRandom } from '../../src/adapters/system/random.ts';
import { createKernel } from '../../src/sim/kernel/kernel.ts';
import { randomStream } from '../../src/sim/kernel/random.ts';
import { randomContract } from './random.contract.ts';

randomContract('the generator of the engine', () => systemRandom);

let streams = 0;
randomContract('streams of other names', () => randomStream(7, `actor-${streams++}`));

let seeds = 0;
randomContract('streams of other seeds', () => randomStream(seeds++, 'actor'));

const kernel = createKernel({ seed: 11, startMs: 0 });
let actors = 0;
randomContract('streams of a kernel', () => kernel.random(`kubelet/${actors++}`));

test('a stream of the same seed and name draws the same', () => {
  const draw = (): readonly number[] => {
    const stream = randomStream(3, 'scheduler');
    return Array.from({ length: 100 }, () => stream.next());
  };
  assert.deepEqual(draw(), draw());
});
