/** What is asked of kubelets for the logs of their machines, and what is told where nothing comes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '../../src/adapters/system/clock.ts';
import type { CollectedDocument, CollectedEvidence } from '../../src/collection/document.ts';
import { collectNodeLogs } from '../../src/collection/node-logs.ts';
import { SIGN_TABLE } from '../../src/engine/signs.ts';
import { textAt } from '../../src/evidence/json.ts';
import type { Refusal } from '../../src/evidence/observations.ts';
import { PortError, type PortFailure } from '../../src/ports/port-error.ts';
import { savedContent } from '../../src/readers/saved/content.ts';
import { FakeKubeApi } from '../ports/fake/kube-api.ts';

const { signal } = new AbortController();

function page(...names: readonly string[]): string {
  return `<pre>\n${names.map((name) => `<a href="${name}">${name}</a>\n`).join('')}</pre>\n`;
}

function failure(kind: PortFailure): PortError {
  return new PortError({
    failure: kind,
    message: `The server says ${kind}.`,
    permission: kind === 'denied' ? 'get nodes/proxy' : null,
  });
}

/** A kubelet that serves these files, and no journals unless they are given. */
function kubeWith(served: Readonly<Record<string, string | PortError>>, node = 'n1'): FakeKubeApi {
  const kube = new FakeKubeApi({ clock: systemClock });
  kube.setNodeLog(node, '?kubelet', failure('unsupported'));
  for (const [place, text] of Object.entries(served)) kube.setNodeLog(node, place, text);
  return kube;
}

interface Collected {
  readonly documents: readonly CollectedDocument[];
  readonly refusals: readonly Refusal[];
  readonly shortened: ReadonlyMap<string, number>;
}

async function collected(
  kube: FakeKubeApi,
  ...nodes: readonly (string | null)[]
): Promise<Collected> {
  const [documents, refusals]: [CollectedDocument[], Refusal[]] = [[], []];
  const shortened = new Map<string, number>();
  const evidence: CollectedEvidence = {
    add: (document) => documents.push(document),
    refuse: (refusal) => refusals.push(refusal),
    shorten: (what, count) => shortened.set(what, count),
  };
  const machines = nodes.map((node) => ({ node, instanceId: null }));
  await collectNodeLogs(kube, machines, evidence, signal);
  return { documents, refusals, shortened };
}

function textsOf({ documents }: Collected): Readonly<Record<string, string | null>> {
  return Object.fromEntries(
    documents.map(({ content }) => [
      textAt(content, 'file') ?? textAt(content, 'unit'),
      textAt(content, 'text'),
    ]),
  );
}

describe('the logs of a machine', () => {
  test('are read where a kubelet serves them, with the command that shows each', async () => {
    const kube = kubeWith({
      '': page('aws-routed-eni/', 'cloud-init-output.log', 'syslog', 'wtmp'),
      'aws-routed-eni/': page('ipamd.log', 'plugin.log'),
      'aws-routed-eni/ipamd.log': 'of ipamd\n',
      'aws-routed-eni/plugin.log': 'of the plugin\n',
      'cloud-init-output.log': 'of cloud-init\n',
      syslog: 'of syslog\n',
    });
    const seen = await collected(kube, 'n1');
    assert.deepEqual(textsOf(seen), {
      '/var/log/aws-routed-eni/ipamd.log': 'of ipamd\n',
      '/var/log/aws-routed-eni/plugin.log': 'of the plugin\n',
      '/var/log/cloud-init-output.log': 'of cloud-init\n',
      '/var/log/syslog': 'of syslog\n',
    });
    assert.deepEqual([seen.refusals, seen.shortened.size], [[], 0]);
    assert.equal(
      seen.documents.find(({ name }) => name.includes('ipamd'))?.locator,
      'kubectl get --raw /api/v1/nodes/n1/proxy/logs/aws-routed-eni/ipamd.log',
    );
  });

  test('are journals where those are served, and syslog is not read besides', async () => {
    const kube = kubeWith({
      '': page('syslog'),
      syslog: 'of syslog\n',
      '?kubelet': 'of the kubelet\n',
      '?containerd':
        '\noptions present and query resolved to log files for [containerd]\ntry without specifying options\n',
    });
    const seen = await collected(kube, 'n1');
    assert.deepEqual(textsOf(seen), { kubelet: 'of the kubelet\n' });
    assert.match(seen.documents[0]?.locator ?? '', /\?query=kubelet&tailLines=\d+'$/);
  });

  test('end where they are cut, and begin with a whole line', async () => {
    const line = `${'x'.repeat(99)}\n`;
    const kube = kubeWith({ '': page('syslog'), syslog: `${line.repeat(20_000)}the end\n` });
    const text = textsOf(await collected(kube, 'n1'))['/var/log/syslog'] ?? '';
    assert.ok(text.length <= 512 * 1024 && text.length > 500 * 1024, String(text.length));
    assert.ok(text.startsWith(line) && text.endsWith('the end\n'));
  });
});

describe('the logs of a machine are bounded', () => {
  test('by names that are known, whatever a machine calls its files', async () => {
    const kube = kubeWith({
      '': page('../', '../../etc/shadow', '..%2fsecret', 'aws-routed-eni/', 'cloud-init.log/'),
      'aws-routed-eni/': page('../../kubelet/pki.log', '..', '.hidden', 'a%2fb.log', 'ipamd.log'),
      'aws-routed-eni/ipamd.log': 'of ipamd\n',
    });
    const seen = await collected(kube, 'n1');
    assert.deepEqual(Object.keys(textsOf(seen)), ['/var/log/aws-routed-eni/ipamd.log']);
    // Two folders, the journal that is off, and one file.
    assert.equal(kube.requests().get('nodeLog'), 4);
  });

  test('by a number of files and of machines', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `plugin-${index}.log`);
    const files = names.map((name) => [`aws-routed-eni/${name}`, 'a line\n'] as const);
    const kube = kubeWith({
      '': page('aws-routed-eni/', 'syslog'),
      'aws-routed-eni/': page(...names),
      ...Object.fromEntries(files),
    });
    const one = await collected(kube, 'n1');
    assert.equal(one.documents.length, 20);
    assert.deepEqual([...one.shortened], [['files of n1 beyond the first 20', 11]]);
    const many = await collected(kube, ...Array.from({ length: 12 }, () => 'n1'));
    assert.deepEqual(many.shortened.get('logs of machines beyond the first 10'), 2);
  });

  test('by the Nodes that there are', async () => {
    const kube = kubeWith({});
    assert.deepEqual((await collected(kube, null)).refusals, []);
    assert.equal(kube.requests().get('nodeLog'), undefined);
  });

  test('by what may be saved: no secrets', async () => {
    const key = 'AKIAIOSFODNN7EXAMPLE';
    const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
    const text = `export AWS_ACCESS_KEY_ID=${key} AWS_SECRET_ACCESS_KEY=${secret}\n`;
    const kube = kubeWith({ '': page('user-data.log', 'syslog'), 'user-data.log': text });
    const [document] = (await collected(kube, 'n1')).documents;
    assert.ok(document !== undefined);
    const kept = JSON.stringify(savedContent(document.content, SIGN_TABLE, new Map()));
    assert.match(kept, /AWS_SECRET_ACCESS_KEY/);
    assert.ok(!kept.includes(secret));
  });
});

describe('reports what keeps logs away with the flag and the permission', () => {
  const told = /^Logs of machines \(--node-logs, permission get nodes\/proxy\): The server says /;

  test('denied: once, and no other machine is asked', async () => {
    const kube = new FakeKubeApi({ clock: systemClock });
    for (const node of ['n1', 'n2', 'n3']) kube.setNodeLog(node, '', failure('denied'));
    const { refusals, documents } = await collected(kube, 'n1', 'n2', 'n3');
    assert.equal(kube.requests().get('nodeLog'), 1);
    assert.deepEqual(documents, []);
    assert.deepEqual(
      refusals.map(({ call, failure: kind, permission }) => [call, kind, permission]),
      [['get nodes/proxy', 'denied', 'get nodes/proxy']],
    );
    assert.match(refusals[0]?.message ?? '', told);
  });

  for (const kind of ['unsupported', 'unavailable', 'timeout', 'unreachable'] as const)
    test(`${kind}: for the one machine, and the others are read`, async () => {
      const kube = kubeWith({ '': page('syslog'), syslog: 'a line\n' }, 'n2');
      kube.setNodeLog('n1', '', failure(kind));
      const { refusals, documents } = await collected(kube, 'n1', 'n2');
      assert.deepEqual(
        refusals.map(({ call }) => call),
        ['get nodes/proxy of n1'],
      );
      assert.match(refusals[0]?.message ?? '', told);
      assert.equal(documents.length, 1);
    });

  test('journals that are off, where no file has their lines', async () => {
    const { refusals } = await collected(kubeWith({ '': page('cloud-init.log') }), 'n1');
    assert.deepEqual(
      refusals.map(({ failure: kind }) => kind),
      ['unsupported'],
    );
    assert.match(refusals[0]?.message ?? '', told);
  });

  test('a file that broke off', async () => {
    const served = { '': page('syslog'), syslog: failure('unreachable') };
    const { refusals } = await collected(kubeWith(served), 'n1');
    assert.deepEqual(
      refusals.map(({ failure: kind }) => kind),
      ['unreachable'],
    );
  });
});
