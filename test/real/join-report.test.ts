/** The NodeReport that a join leaves on a real API server, with exactly the rights of its role. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { featuresNamed, joined, rolesOf } from '../../src/collection/permissions.ts';
import { PERMISSIONS } from '../../src/collection/permissions.generated.ts';
import { type JsonObject, textAt } from '../../src/evidence/json.ts';
import { nodeReportDefinition } from '../../src/manifests/node-report-definition.ts';
import { type Captured, capture } from '../cli/capture.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { GateSite } from './gate-site.ts';
import { CONTROL_PLANE, missing } from './parts.ts';

const REPORTS = '/apis/rollcall.dev/v1alpha1/nodereports';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const INSTANCE = 'i-0123456789abcdef0';
const REPORTER = 'reporter';
const skip = missing(...CONTROL_PLANE);
const folder = mkdtempSync(join(tmpdir(), 'rollcall-join-report-'));

let plane: ControlPlane;
let site: GateSite;
let joins = 0;

/** A join whose COMMAND fails, which reports with the credentials of this user. */
async function failedJoin(user: string): Promise<Captured> {
  const kubeconfig = await plane.writeKubeconfig(user);
  const own = ['--no-cloud', '--tries', '1', '--kubeconfig', join(folder, 'none')];
  const place = ['--state-folder', join(folder, `state-${++joins}`), '--instance', INSTANCE];
  return capture(['join', ...own, ...place, '--node-report', kubeconfig, '--', 'false']);
}

async function status(field: string): Promise<string | null> {
  return textAt(await site.get(`${REPORTS}/${INSTANCE}`), `status.${field}`);
}

before(async () => {
  if (skip !== false) return;
  plane = await startControlPlane();
  site = new GateSite(plane);
  await site.define(nodeReportDefinition(), REPORTS);
  const [role] = rolesOf(joined(featuresNamed(PERMISSIONS, ['join-report'])).kubernetes);
  assert.equal(textAt(role, 'kind'), 'ClusterRole');
  const name = textAt(role, 'metadata.name') ?? '';
  await site.create(`${RBAC}/clusterroles`, role as JsonObject);
  await site.create(`${RBAC}/clusterrolebindings`, {
    metadata: { name: REPORTER },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: REPORTER }],
  });
});
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  if (skip === false) await plane.stop();
});

describe('the NodeReport of a join', { skip, timeout: 120_000 }, () => {
  test('is not written without the right, and the join reports that and ends as it would', async () => {
    const { code, err } = await failedJoin('nobody');
    assert.equal(code, 1);
    assert.match(err, /The NodeReport was not written: .*nodereports/);
    await assert.rejects(site.get(`${REPORTS}/${INSTANCE}`));
  });

  test('has the verdict not-usable, and what came of COMMAND', async () => {
    const { code, err } = await failedJoin(REPORTER);
    assert.equal(code, 1, err);
    assert.doesNotMatch(err, /NodeReport/);
    assert.equal(await status('verdict'), 'not-usable');
    assert.equal(await status('instanceId'), INSTANCE);
    assert.match((await status('note')) ?? '', /^rollcall join: COMMAND was run 1 time/);
  });

  test('is the one that is there already, with the time since which it holds', async () => {
    const since = await status('since');
    await failedJoin(REPORTER);
    assert.equal(await status('since'), since);
    const change = { status: { verdict: 'usable', goneSince: null } };
    await site.patch(`${REPORTS}/${INSTANCE}/status`, change);
    await failedJoin(REPORTER);
    assert.equal(await status('verdict'), 'not-usable');
  });
});
