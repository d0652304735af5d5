/** The Terraform of the fourth story: stopped, applied all the same, failing as told, mended. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { DiagnosisDocument } from '../../src/diagnosis/document.ts';
import type { PreflightDocument } from '../../src/diagnosis/preflight.ts';
import type { RollCallDocument } from '../../src/diagnosis/roll-call/document.ts';
import { documentOf, rollcall, type Run } from '../live/rollcall.ts';
import { PARSER } from './aws-auth-parser.ts';
import {
  apply,
  CLUSTER,
  collect,
  fillInterfaces,
  growGroup,
  layDaemons,
  layPod,
  type Machine,
  machinesOf,
  movePods,
  openSite,
  PLAN,
  prefixesOf,
  register,
  sendUpdate,
  type Site,
} from './fourth-story.ts';
import type { KubeRefusal } from './kube-client.ts';
import { CONTROL_PLANE, missing } from './parts.ts';

const skip = missing(...CONTROL_PLANE, 'moto', PARSER);
/** A machine that also runs other tests takes its time. */
const WITH_PARTS = { timeout: 240_000 };
const WAITING = ['orders-28', 'orders-29'];
let opening: Promise<Site> | null = null;
let site: Site;
let machine: Machine;
/** That the interfaces of the machine have for Pods. */
let addresses: readonly string[] = [];
let refusal: KubeRefusal | null = null;
/** What the plan was stopped for. */
let foreseen: readonly string[] = [];

before(async () => {
  if (skip !== false) return;
  opening = openSite();
  site = await opening;
}, WITH_PARTS);
after(async () => {
  await (await opening)?.stop();
});

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/fourth-story.md'), 'utf8');

/** Ids of one run, as the page writes them. */
function asOnPage(text: string): string {
  return text
    .replaceAll(/\bi-[0-9a-f]{17}\b/g, 'i-0123456789abcdef0')
    .replaceAll(/\bip-10-60-\d+-\d+\./g, 'ip-10-60-0-4.');
}

/** That the lines of a block of the page are printed, in their order. */
function assertOnPage(block: string, printed: string): void {
  const [, text = ''] = new RegExp(`^\`\`\`text ${block}\\n([^]*?)^\`\`\`$`, 'm').exec(PAGE) ?? [];
  assert.notEqual(text, '', `docs/fourth-story.md has no block ${block}`);
  let rest = asOnPage(printed);
  for (const part of text.split('…\n')) {
    const found = rest.indexOf(part);
    assert.ok(found >= 0, `docs/fourth-story.md shows of ${block}:\n${part}\nprinted:\n${rest}`);
    rest = rest.slice(found + part.length);
  }
}

function run(...words: readonly string[]): Promise<Run> {
  return rollcall(words, site.env);
}

/** Waits longer for answers than people have to. */
function runLive(...words: readonly string[]): Promise<Run> {
  return run(...words, '--timeout', '140s');
}

function headlineOf({ headline }: DiagnosisDocument): readonly (string | null)[] {
  return [headline?.cause ?? null, headline?.confidence ?? null];
}

async function verdicts(): Promise<readonly (string | null)[]> {
  const { stdout } = await runLive('status', '-o', 'json');
  const { rows } = JSON.parse(stdout) as RollCallDocument;
  return rows.map(({ verdict }) => verdict);
}

describe('the fourth story, of a node that is never let in,', { skip, timeout: 600_000 }, () => {
  test('is stopped by preflight for both of its causes', WITH_PARTS, async () => {
    const { code, stdout } = await run('preflight', PLAN, '-o', 'json');
    const { subjects } = JSON.parse(stdout) as PreflightDocument;
    foreseen = subjects.flatMap(({ findings }) => findings.map(({ cause }) => cause));
    assert.deepEqual(foreseen, ['aws-auth-missing', 'max-pods-above-address-capacity']);
    assert.equal(code, 1);
    assertOnPage('preflight', (await run('preflight', PLAN)).stdout);
  });

  test(
    'applied all the same, gives a machine that the API server does not let in',
    WITH_PARTS,
    async () => {
      const made = await apply(site);
      assert.ok(made.includes('aws_autoscaling_group.nodes'));
      const machines = await machinesOf(site);
      assert.equal(machines.length, 1);
      machine = machines[0] ?? assert.fail();
      refusal = await register(site, machine);
      assert.equal(refusal?.status, 401, String(refusal));
      assert.deepEqual(await site.plane.client.list('/api/v1/nodes'), []);
    },
  );

  test(
    'is diagnosed by the first cause of the plan, live and by the journal',
    WITH_PARTS,
    async () => {
      const live = await runLive('diagnose', machine.id, '-o', 'json');
      assert.deepEqual(headlineOf(documentOf(live)), [foreseen[0], 'definite'], live.stdout);
      assert.equal(live.code, 1);
      assertOnPage('diagnose', (await runLive('diagnose', machine.id)).stdout);
      const folder = collect(site, machine, refusal ?? assert.fail());
      const journal = documentOf(await run('diagnose', folder, '-o', 'json'));
      assert.equal(journal.headline?.cause, foreseen[0]);
    },
  );

  test(
    'lets the machine in once rollcall fix auth --yes has mapped its role',
    WITH_PARTS,
    async () => {
      assert.equal((await register(site, machine))?.status, 401);
      const fixed = await runLive('fix', 'auth', '--cluster', CLUSTER, '--yes');
      assert.equal(fixed.code, 0, fixed.stdout + fixed.stderr);
      assert.ok(fixed.stdout.startsWith(`${foreseen[0]}: `), fixed.stdout);
      assertOnPage('fix auth', fixed.stdout);
      assert.equal(await register(site, machine), null);
      await layDaemons(site, machine);
      addresses = await fillInterfaces(site, machine);
      assert.equal(addresses.length, 27);
      await layPod(site, machine, 'orders-1', addresses[0] ?? null);
      assert.deepEqual(await verdicts(), ['usable']);
    },
  );
});

describe('and then has no addresses,', { skip, timeout: 600_000 }, () => {
  test('is diagnosed by the second cause of the plan', WITH_PARTS, async () => {
    for (const [index, address] of addresses.slice(1).entries())
      await layPod(site, machine, `orders-${index + 2}`, address);
    for (const name of WAITING) await layPod(site, machine, name, null);
    const { code, ...live } = await runLive('diagnose', machine.name, '-o', 'json');
    assert.deepEqual(headlineOf(documentOf({ code, ...live })), [foreseen[1], 'definite']);
    assertOnPage('diagnose again', (await runLive('diagnose', machine.name)).stdout);
    assert.equal(code, 1);
  });

  test(
    'has more addresses once the command that rollcall fix cni prints is sent',
    WITH_PARTS,
    async () => {
      const { stdout, stderr } = await runLive('fix', 'cni', '--cluster', CLUSTER, '--yes');
      assert.ok(stdout.startsWith(`${foreseen[1]}: `), stdout + stderr);
      assertOnPage('fix cni', stdout);
      await sendUpdate(site, stdout);
      assert.equal(await prefixesOf(site), 'true');
    },
  );

  test('ends with usable nodes, and the next one is let in at once', WITH_PARTS, async () => {
    const next = await growGroup(site);
    assert.equal(await register(site, next), null);
    await layDaemons(site, next);
    await movePods(site, WAITING, next);
    assert.deepEqual(await verdicts(), ['usable', 'usable']);
    const { code, stdout } = await runLive('status', '--cluster', CLUSTER);
    assert.equal(code, 0, stdout);
    assertOnPage('status', stdout);
  });
});
