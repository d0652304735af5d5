/** `rollcall fix auth` on a real API server, and judged by the real authenticator's parser. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { fixMap } from '../../src/controllers/fix/auth/fix-map.ts';
import { mappingOf } from '../../src/controllers/fix/auth/node-mapping.ts';
import type { FixTools } from '../../src/controllers/fix/fix.ts';
import { readRoles, withoutInserted, withRole } from '../../src/readers/kube/aws-auth-edit.ts';
import { entryOf, isSingleSignOn, readMapText } from '../../src/readers/kube/aws-auth-yaml.ts';
import { TURN } from '../share.ts';
import { type Mapping, PARSER, parsedByAuthenticator } from './aws-auth-parser.ts';
import { awsAuthText, chanceOf } from './aws-auth-texts.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { fixToolsAt } from './fix-tools.ts';
import type { KubeObject } from './kube-client.ts';
import { CONTROL_PLANE, missing } from './parts.ts';

const EDITOR = { readRoles, withRole, withoutInserted };
const ADDED = mappingOf('arn:aws:iam::444455556666:role/added', 'linux');

/** The same words for nothing on both sides. */
function plain(mappings: readonly Mapping[]): readonly Mapping[] {
  return mappings.map(({ arn, username, groups }) => ({
    arn,
    username: username ?? '',
    groups: (groups ?? []).filter((group) => group !== ''),
  }));
}

function readByUs(text: string): readonly Mapping[] | null {
  const read = readMapText(text);
  if (!read.ok) return null;
  const elements = (read.list ?? []).filter((element) => !isSingleSignOn(element));
  return elements.map((element) => entryOf(element, 'rolearn')).filter((one) => one !== null);
}

describe('texts of aws-auth', { skip: missing(PARSER) }, () => {
  const count = TURN === null ? 10_000 : 500;
  // One of four hundred sets, each of them once in as many turns.
  const chance = chanceOf(TURN === null ? 1 : 100 + (TURN % 400));
  const texts = Array.from({ length: count }, () => awsAuthText(chance));

  test('are read as the authenticator reads them, or refused', () => {
    const theirs = parsedByAuthenticator(texts);
    assert.equal(theirs.length, texts.length);
    let agreed = 0;
    for (const [index, text] of texts.entries()) {
      const ours = readByUs(text);
      if (ours === null) continue;
      agreed += 1;
      assert.deepEqual(plain(ours), plain(theirs[index]?.roles ?? []), text);
    }
    assert.ok(agreed > count / 2, `${agreed} of ${count}`);
  });

  test('have all former mappings and the new one after an edit', (t) => {
    const edits = texts.flatMap((text) => {
      const edit = withRole(text, ADDED);
      return edit.ok ? [{ text, edited: edit.text }] : [];
    });
    const former = parsedByAuthenticator(edits.map(({ text }) => text));
    const afterwards = parsedByAuthenticator(edits.map(({ edited }) => edited));
    for (const [index, { edited }] of edits.entries()) {
      const wanted = [...(former[index]?.roles ?? []), ADDED];
      assert.deepEqual(plain(afterwards[index]?.roles ?? []), plain(wanted), edited);
    }
    t.diagnostic(`${edits.length} of ${count} texts were edited`);
    assert.ok(edits.length > count / 4);
  });
});

const skip = missing(...CONTROL_PLANE);
const AWS_AUTH = '/api/v1/namespaces/kube-system/configmaps/aws-auth';

interface AwsAuthMap extends KubeObject {
  readonly data: Readonly<Record<string, string>>;
}

/** Another program's way: it reads, adds its user, and writes the version that it read. */
async function addUser(
  plane: ControlPlane,
  { clock, random }: FixTools,
  name: string,
): Promise<void> {
  for (;;) {
    const found = await plane.client.get<AwsAuthMap>(AWS_AUTH);
    const user = `- userarn: arn:aws:iam::111122223333:user/${name}\n  username: ${name}\n`;
    const change = {
      metadata: { resourceVersion: found.metadata.resourceVersion },
      data: { mapUsers: `${found.data['mapUsers'] ?? ''}${user}` },
    };
    const isWritten = await plane.client.patch(AWS_AUTH, change).then(
      () => true,
      () => false,
    );
    if (isWritten) return;
    await clock.sleep(20 + random.next() * 400);
  }
}

/** The command; it is killed once the server has the write, or after a time. */
async function runFix(
  { plane, folder }: { readonly plane: ControlPlane; readonly folder: string },
  role: string,
  killAfterMs: number | null,
): Promise<number | null> {
  const words = ['fix', 'auth', '--yes', '--cluster', 'real', '--into', 'aws-auth'];
  const child = spawn(
    join(import.meta.dirname, '../../bin/rollcall'),
    [...words, '--role', role, '--record', join(folder, 'fixes.db')],
    {
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: folder,
        KUBECONFIG: plane.kubeconfigPath,
        AWS_EC2_METADATA_DISABLED: 'true',
      },
      stdio: 'ignore',
      detached: true,
    },
  );
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => resolve(code));
  });
  if (killAfterMs !== null && child.pid !== undefined) {
    const pid = child.pid;
    await systemClock.sleep(killAfterMs);
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It was faster than the kill.
    }
  }
  return await ended;
}

describe('on a real API server', { skip, timeout: 240_000 }, () => {
  let plane: ControlPlane;
  let folder = '';

  before(async () => {
    plane = await startControlPlane();
    folder = mkdtempSync(join(tmpdir(), 'rollcall-fix-'));
  });
  after(async () => {
    rmSync(folder, { recursive: true, force: true });
    await plane.stop();
  });

  test('a hundred editors at once lose nothing', async () => {
    const own = '# ours\n- rolearn: arn:aws:iam::111122223333:role/Admins\n  username: admin\n';
    const metadata = { name: 'aws-auth', namespace: 'kube-system' };
    const configMaps = '/api/v1/namespaces/kube-system/configmaps';
    await plane.client.create(configMaps, { metadata, data: { mapRoles: own } });
    const { tools, close } = await fixToolsAt(plane);
    const numbers = Array.from({ length: 50 }, (_, number) => number);
    const fixes = numbers.map(async (number) => {
      const mapping = mappingOf(`arn:aws:iam::111122223333:role/nodes-${number}`, 'linux');
      const why = { kind: 'request', name: 'test', text: 'The test asks for it.' } as const;
      const order = { id: `auth-${number}`, isDryRun: false, why, mapping, editor: EDITOR };
      for (;;) {
        const { outcome, why: said } = await fixMap(order, tools());
        if (outcome === 'written' || outcome === 'not-needed') return;
        assert.equal(outcome, 'conflict', said);
      }
    });
    const others = numbers.map(async (number) => addUser(plane, tools(), `user-${number}`));
    await Promise.all([...fixes, ...others]);
    await close();
    const { data } = await plane.client.get<AwsAuthMap>(AWS_AUTH);
    assert.ok(data['mapRoles']?.startsWith(own));
    assert.equal(readByUs(data['mapRoles'] ?? '')?.length, 51);
    assert.equal(data['mapUsers']?.match(/userarn/g)?.length, 50);
  });

  test('a run that is killed anywhere is completed by the next one', async () => {
    for (const killAfterMs of [150, 300, 450, 600]) {
      const role = `arn:aws:iam::111122223333:role/killed-${killAfterMs}`;
      await runFix({ plane, folder }, role, killAfterMs);
      assert.equal(await runFix({ plane, folder }, role, null), 0);
      const { data } = await plane.client.get<AwsAuthMap>(AWS_AUTH);
      const arns = readByUs(data['mapRoles'] ?? '')?.map(({ arn }) => arn) ?? [];
      assert.equal(arns.filter((arn) => arn === role).length, 1, `after ${killAfterMs} ms`);
    }
  });
});
