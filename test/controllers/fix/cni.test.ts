/** Settings of the VPC CNI: what is decided, who owns them, what is written and taken back. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { eniBudget, podAddresses } from '../../../src/capacity/eni.ts';
import { cniSetupBy } from '../../../src/capacity/cluster/aws-node.ts';
import { knownType } from '../../../src/capacity/known-type.ts';
import { heldAddresses } from '../../../src/capacity/warm.ts';
import { decideLeaner } from '../../../src/controllers/fix/cni/decide.ts';
import { fixCni } from '../../../src/controllers/fix/cni/fix-cni.ts';
import type { CniOrder } from '../../../src/controllers/fix/cni/order.ts';
import { ownerOf } from '../../../src/controllers/fix/cni/owner.ts';
import { undoCni } from '../../../src/controllers/fix/cni/undo-cni.ts';
import type { FixStep } from '../../../src/controllers/fix/fix.ts';
import { PortError } from '../../../src/ports/port-error.ts';
import { type CniScene, cniOrder, cniScene, MANIFEST_ENV } from './cni-scene.ts';

const FULL_MACHINE = 'max-pods-above-address-capacity';
const FULL_SUBNET = 'subnet-out-of-pod-addresses';
const UNKNOWN_TYPE = 'instance-type-unknown-to-cni';

async function onlyStep(order: CniOrder, at: CniScene): Promise<FixStep> {
  const [step, ...others] = await fixCni(order, at.tools(order.isDryRun));
  assert.deepEqual(others, []);
  assert.ok(step !== undefined);
  return step;
}

async function refusal(order: CniOrder, at: CniScene): Promise<FixStep> {
  const before = await at.variables();
  const step = await onlyStep(order, at);
  assert.equal(step.outcome, 'refused', step.why);
  assert.deepEqual([await at.variables(), at.notes], [before, []]);
  return step;
}

describe('a machine without room for its pods', () => {
  test('gets prefix delegation, and its former settings back', async () => {
    const at = cniScene();
    const step = await onlyStep(cniOrder(FULL_MACHINE), at);
    assert.equal(step.outcome, 'written', step.why);
    assert.match(step.why, /A m5\.large then has addresses for 432 pods instead of 27\./);
    assert.deepEqual(step.diff, [
      '- ENABLE_PREFIX_DELEGATION=false',
      '+ ENABLE_PREFIX_DELEGATION=true',
    ]);
    assert.deepEqual(await at.variables(), { ...MANIFEST_ENV, ENABLE_PREFIX_DELEGATION: 'true' });
    const undone = await undoCni(at.notes[0] ?? {}, cniOrder(FULL_MACHINE), at.tools());
    assert.equal(undone.outcome, 'written', undone.why);
    assert.deepEqual(await at.variables(), MANIFEST_ENV);
  });

  test('gets a warm target for blocks where there is none', async () => {
    const at = cniScene();
    at.putAwsNode({ WARM_PREFIX_TARGET: '0' });
    await onlyStep(cniOrder(FULL_MACHINE), at);
    const wanted = { WARM_PREFIX_TARGET: '1', ENABLE_PREFIX_DELEGATION: 'true' };
    assert.deepEqual(await at.variables(), wanted);
    await undoCni(at.notes[0] ?? {}, cniOrder(FULL_MACHINE), at.tools());
    assert.deepEqual(await at.variables(), { WARM_PREFIX_TARGET: '0' });
  });

  test('keeps its targets for addresses', async () => {
    const at = cniScene();
    at.putAwsNode({ WARM_IP_TARGET: '5' });
    await onlyStep(cniOrder(FULL_MACHINE), at);
    const wanted = { WARM_IP_TARGET: '5', ENABLE_PREFIX_DELEGATION: 'true' };
    assert.deepEqual(await at.variables(), wanted);
  });

  test('stays as it is in a dry run', async () => {
    const at = cniScene();
    const step = await onlyStep(cniOrder(FULL_MACHINE, { isDryRun: true }), at);
    assert.equal(step.outcome, 'would-write', step.why);
    assert.deepEqual([await at.variables(), at.notes], [MANIFEST_ENV, []]);
  });
});

describe('prefix delegation for a full machine', () => {
  for (const [title, world, said] of [
    ['of a Xen type', { type: 'm4.large' }, /as Nitro types do/],
    ['of a type that nobody knows', { type: 'zz9.large' }, /as Nitro types do/],
    ['in a subnet without room for a block', { free: 15 }, /has 15 free addresses/],
  ] as const)
    test(`${title} is refused`, async () => {
      assert.match((await refusal(cniOrder(FULL_MACHINE), cniScene(world))).why, said);
    });

  for (const [title, env, more, said] of [
    ['prefix delegation already', { ENABLE_PREFIX_DELEGATION: 'true' }, {}, /is on already/],
    ['IPv6', { ENABLE_IPv6: 'true' }, {}, /IPv6/],
    ['custom networking', { AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG: 'true' }, {}, /ENIConfigs/],
    ['a release before prefixes', {}, { image: 'v1.8.0' }, /needs v1\.9\.0/],
    ['an image of another name', {}, { image: 'latest' }, /needs v1\.9\.0/],
    ['a value from elsewhere', {}, { from: 'ENABLE_PREFIX_DELEGATION' }, /valueFrom/],
  ] as const)
    test(`with ${title} is refused`, async () => {
      const at = cniScene();
      at.putAwsNode(env, more);
      assert.match((await refusal(cniOrder(FULL_MACHINE), at)).why, said);
    });

  test('is refused where AWS cannot be asked about the subnet', async () => {
    const at = cniScene();
    const [step] = await fixCni(cniOrder(FULL_MACHINE), { ...at.tools(), aws: null });
    assert.match(step?.why ?? '', /Nobody knows whether the subnets/);
    at.aws.refuse('ec2:DescribeSubnets', 'denied');
    assert.equal((await refusal(cniOrder(FULL_MACHINE), at)).outcome, 'refused');
  });

  test('beside a full subnet gets no blocks', async () => {
    const at = cniScene();
    const full = cniOrder(FULL_SUBNET).machines;
    const order = cniOrder(FULL_MACHINE);
    await onlyStep({ ...order, machines: [...order.machines, ...full] }, at);
    assert.equal((await at.variables())['ENABLE_PREFIX_DELEGATION'], 'false');
  });
});

describe('a full subnet', () => {
  test('gets spare addresses back', async () => {
    const at = cniScene();
    const step = await onlyStep(cniOrder(FULL_SUBNET), at);
    assert.equal(step.outcome, 'written', step.why);
    assert.match(step.why, /with 10 pods then holds 14 addresses of its subnet instead of 30\./);
    const wanted = { ...MANIFEST_ENV, WARM_IP_TARGET: '2', MINIMUM_IP_TARGET: '9' };
    assert.deepEqual(await at.variables(), wanted);
    await undoCni(at.notes[0] ?? {}, cniOrder(FULL_SUBNET), at.tools());
    assert.deepEqual(await at.variables(), MANIFEST_ENV);
  });

  for (const [title, env] of [
    ['few warm addresses', { WARM_IP_TARGET: '2', MINIMUM_IP_TARGET: '5' }],
    ['none at all', { MINIMUM_IP_TARGET: '1' }],
  ] as const)
    test(`with ${title} is refused`, async () => {
      const at = cniScene();
      at.putAwsNode(env);
      assert.match((await refusal(cniOrder(FULL_SUBNET), at)).why, /other settings free none/);
    });
});

describe('fewer spare addresses', () => {
  const TYPES = ['t3.nano', 't3.micro', 't3.medium', 'm5.large', 'm5.4xlarge', 'c5n.18xlarge'];
  const target = fc.option(fc.integer({ min: 0, max: 40 }).map(String), { nil: undefined });

  test('never makes a node hold more than before, whatever runs on it', () => {
    let changes = 0;
    fc.assert(
      fc.property(
        fc.subarray(TYPES, { minLength: 1 }),
        fc.record({
          WARM_ENI_TARGET: target,
          WARM_IP_TARGET: target,
          MINIMUM_IP_TARGET: target,
          WARM_PREFIX_TARGET: target,
          ENABLE_PREFIX_DELEGATION: fc.constantFrom('true', 'false'),
        }),
        (types, given) => {
          const env = new Map(
            Object.entries(given).flatMap(([name, value]) =>
              value === undefined ? [] : [[name, value] as const],
            ),
          );
          const setup = cniSetupBy(env, 'x/amazon-k8s-cni:v1.20.4');
          const nodes = types.map((name) => ({
            name,
            type: knownType(name, []),
            maxPods: 110,
            isTroubled: true,
          }));
          const decision = decideLeaner({ setup, nodes, freeAddresses: null });
          if (decision.do === 'refuse') return;
          changes += 1;
          const now = new Map(env);
          for (const [name, value] of decision.variables)
            if (value === null) now.delete(name);
            else now.set(name, value);
          const after = cniSetupBy(now, 'x/amazon-k8s-cni:v1.20.4');
          for (const { type } of nodes) {
            assert.ok(type !== null);
            const budget = eniBudget(type, setup.mode);
            for (let pods = 0; pods <= Math.min(108, podAddresses(budget)); pods += 1) {
              const [held, left] = [setup, after].map(
                ({ targets }) => heldAddresses(budget, targets, pods, 110).addresses,
              );
              assert.ok((left ?? 0) <= (held ?? 0), `${type.name} with ${pods} pods`);
            }
          }
        },
      ),
      { numRuns: 150 },
    );
    assert.ok(changes > 20, `${changes} changes`);
  });
});

describe('a release that does not know the type', () => {
  test('is named and left to whoever installs it', async () => {
    const at = cniScene({ type: 'm7i.large' });
    at.putAwsNode({}, { image: 'v1.5.7' });
    const step = await refusal(cniOrder(UNKNOWN_TYPE), at);
    assert.match(step.why, /is v1\.5\.7; v1\.\d+\.\d+ is the first that knows the type/);
    assert.match(step.commands[0] ?? '', /^kubectl apply -f https:\/\/\S+\/v1\.\d+\.\d+\/config/);
  });

  test('of an add-on gets the command of EKS', async () => {
    const step = await refusal(cniOrder(UNKNOWN_TYPE), cniScene({ addOn: '' }));
    assert.match(
      step.commands[0] ?? '',
      /^aws eks update-addon --cluster-name shop .*version "\$\(/,
    );
  });
});

describe('an add-on of EKS', () => {
  const update = 'aws eks update-addon --cluster-name shop --addon-name vpc-cni';

  test('is not changed behind its back', async () => {
    const step = await refusal(cniOrder(FULL_SUBNET), cniScene({ addOn: '' }));
    assert.deepEqual(step.commands, [
      `${update} --resolve-conflicts PRESERVE --configuration-values '{"env":{"WARM_IP_TARGET":"2","MINIMUM_IP_TARGET":"9"}}'`,
    ]);
  });

  const skip = spawnSync('jq', ['--version']).status === 0 ? false : 'jq is not installed';

  test('keeps its own values, which the command does not show', { skip }, async () => {
    const addOn = '{"env":{"WARM_ENI_TARGET":"2","SECRET":"hunter2"},"init":{"x":1}}';
    const step = await refusal(cniOrder(FULL_SUBNET), cniScene({ addOn }));
    const [command = ''] = step.commands;
    assert.doesNotMatch(command, /hunter2/);
    // The command itself, with an aws that answers the values and shows what it is given.
    const aws = `aws() { case "$2" in describe-addon) printf '%s' '${addOn}';; *) shift; printf '%s\\n' "$@";; esac; }`;
    const said = execFileSync('bash', ['-c', `${aws}; ${command}`], { encoding: 'utf8' });
    assert.deepEqual(JSON.parse(said.trim().split('\n').at(-1) ?? ''), {
      env: { WARM_ENI_TARGET: '2', SECRET: 'hunter2', WARM_IP_TARGET: '2', MINIMUM_IP_TARGET: '9' },
      init: { x: 1 },
    });
  });

  test('with values in YAML is shown, for a person to edit', async () => {
    const step = await refusal(cniOrder(FULL_SUBNET), cniScene({ addOn: 'tolerations: []\n' }));
    assert.match(step.why, /are YAML/);
    assert.match(step.commands[0] ?? '', /^aws eks describe-addon/);
  });

  test('is suspected by the writer of the object where EKS does not answer', async () => {
    const at = cniScene();
    at.aws.refuse('eks:DescribeAddon', 'denied');
    at.putAwsNode(MANIFEST_ENV, { managers: ['eks', 'kubelet'] });
    assert.match((await refusal(cniOrder(FULL_SUBNET), at)).why, /Nobody knows whether/);
    at.putAwsNode(MANIFEST_ENV, { managers: [] });
    assert.match((await refusal(cniOrder(FULL_SUBNET), at)).why, /Nobody knows whether/);
    at.putAwsNode(MANIFEST_ENV, { managers: ['helm'] });
    assert.equal((await onlyStep(cniOrder(FULL_SUBNET), at)).outcome, 'written');
  });

  test('of another cluster does not count', async () => {
    const at = cniScene();
    const endpoint = 'https://B.gr7.us-west-2.eks.amazonaws.com';
    at.aws.answer('eks:DescribeCluster', () => [{ cluster: { endpoint } }]);
    const server = 'https://A.gr7.us-west-2.eks.amazonaws.com';
    const owner = await ownerOf({}, 'shop', { aws: at.aws, server });
    assert.match(owner.by === 'unknown' ? owner.why : owner.by, /names another cluster/);
  });
});

describe('other writers', () => {
  test('meanwhile are kept, and the change is decided again', async () => {
    const at = cniScene();
    at.before.push(() => at.putAwsNode({ ...MANIFEST_ENV, WARM_ENI_TARGET: '3' }));
    const step = await onlyStep(cniOrder(FULL_SUBNET), at);
    assert.equal(step.outcome, 'written', step.why);
    assert.equal((await at.variables())['WARM_ENI_TARGET'], '3');
  });

  test('who set a variable since keep it when the fix is taken back', async () => {
    const at = cniScene();
    await onlyStep(cniOrder(FULL_SUBNET), at);
    const [note = {}] = at.notes;
    at.putAwsNode({ ...(await at.variables()), WARM_IP_TARGET: '7' });
    const undone = await undoCni(note, cniOrder(FULL_SUBNET), at.tools());
    assert.equal(undone.outcome, 'written', undone.why);
    assert.deepEqual(await at.variables(), { ...MANIFEST_ENV, WARM_IP_TARGET: '7' });
  });

  test('that made another DaemonSet keep it as it is', async () => {
    const at = cniScene();
    await onlyStep(cniOrder(FULL_SUBNET), at);
    const note = { ...at.notes[0], uid: 'another' };
    const undone = await undoCni(note, cniOrder(FULL_SUBNET), at.tools());
    assert.match(undone.why, /another DaemonSet/);
  });

  test('whose source takes the values back are named', async () => {
    const at = cniScene();
    at.putAwsNode(MANIFEST_ENV, { annotations: { 'meta.helm.sh/release-name': 'cni' } });
    assert.match((await onlyStep(cniOrder(FULL_SUBNET), at)).why, /the Helm release cni/);
  });

  test('do not matter where an answer is lost: the object is read', async () => {
    const at = cniScene();
    at.writes.loseNext(new PortError({ failure: 'unclear', message: 'No answer.' }));
    assert.equal((await onlyStep(cniOrder(FULL_SUBNET), at)).outcome, 'written');
  });
});
