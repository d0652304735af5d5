import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { collectHost, type HostDocument, isLoss } from '../../src/collection/host/collect.ts';
import { diagnoseObservations } from '../../src/engine/diagnose.ts';
import { readPile } from '../../src/engine/pile.ts';
import type { DiagnosisDocument } from '../../src/diagnosis/document.ts';
import type { InputLoss } from '../../src/evidence/observations.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { PortError } from '../../src/ports/port-error.ts';
import { createFakeHost, type FakeMachine } from '../ports/fake/host.ts';
import * as machines from './machines.ts';
import { createVirtualClock } from './virtual-clock.ts';

interface Collected {
  readonly documents: readonly HostDocument[];
  readonly losses: readonly InputLoss[];
  /** These losses and what the readers could not use. */
  readonly observed: readonly InputLoss[];
  readonly diagnosis: DiagnosisDocument;
}

async function collect(machine: FakeMachine, clock = createVirtualClock()): Promise<Collected> {
  const documents: HostDocument[] = [];
  const losses: InputLoss[] = [];
  for await (const item of collectHost(createFakeHost(machine), clock)) {
    if (isLoss(item)) losses.push(item.loss);
    else documents.push(item);
  }
  const observations = await readPile(documents, losses);
  const diagnosis = await diagnoseObservations(observations);
  return { documents, losses, observed: observations.losses, diagnosis };
}

function textOf(documents: readonly HostDocument[], name: string): string {
  const found = documents.find((document) => document.name === name);
  return (found?.chunks ?? []).map((chunk) => new TextDecoder().decode(chunk)).join('');
}

/** The one document that needs nothing but the host's own name. */
const NAMES = 'rollcall/machine-names.json';

function namesOf(documents: readonly HostDocument[]): readonly string[] {
  return documents.map(({ name }) => name);
}

function said(losses: readonly InputLoss[]): readonly string[] {
  return losses.map(({ what }) => what);
}

describe('a healthy AL2023 node', () => {
  test('has no cause, no loss, and one name', async () => {
    const { diagnosis, losses } = await collect(machines.HEALTHY);
    assert.equal(diagnosis.headline, null);
    assert.deepEqual(losses, []);
    assert.deepEqual(
      diagnosis.subjects.map(({ node, instanceId, findings }) => [node, instanceId, findings]),
      [[machines.NODE, machines.INSTANCE_ID, []]],
    );
  });

  test('gives what a person would have pasted', async () => {
    const { documents } = await collect(machines.HEALTHY);
    assert.equal(textOf(documents, 'system/instance-id.txt'), `${machines.INSTANCE_ID}\n`);
    assert.deepEqual(JSON.parse(textOf(documents, 'rollcall/machine-names.json')), {
      apiVersion: 'evidence.rollcall.dev/v1alpha1',
      kind: 'MachineNames',
      instanceId: machines.INSTANCE_ID,
      hostname: machines.NODE,
      localHostname: machines.NODE,
      privateIp: '10.60.3.88',
    });
    assert.equal(textOf(documents, 'sysctls/sysctl_all.txt'), 'net.ipv4.ip_forward = 1\n');
    assert.match(textOf(documents, 'kubelet/kubelet.log'), /Successfully registered node/);
    assert.match(textOf(documents, 'imds/meta-data.txt'), /^local-ipv4: 10\.60\.3\.88$/m);
    const probes = textOf(documents, 'rollcall/probes.log');
    const line = `2026-11-22T02:00:00.000Z ${machines.NODE} rollcall: https://${machines.SERVER}: connected in 1 ms\n`;
    assert.ok(probes.includes(line), probes);
    assert.equal(new Set(namesOf(documents)).size, documents.length);
  });

  test('says whose the client certificate is, and keeps the key to itself', async () => {
    const { documents } = await collect(machines.HEALTHY);
    const name = `O=system:nodes, CN=system:node:${machines.NODE}`;
    const text = `subject=${name}\nissuer=${name}\n${machines.CLIENT_CERTIFICATE_DATES}`;
    assert.equal(textOf(documents, 'kubelet/client-certificate.txt'), text);
    const all = namesOf(documents).map((path) => textOf(documents, path));
    assert.ok(!all.join('').includes(machines.KEY_MARK));
  });

  test('marks what holds secrets, and the diagnosis shows none', async () => {
    const { documents, diagnosis } = await collect(machines.HEALTHY);
    const secret = machines.SECRET.slice(22);
    const holding = documents.filter(({ name }) => textOf(documents, name).includes(secret));
    assert.equal(holding.length, 2);
    assert.ok(holding.every(({ holdsSecrets }) => holdsSecrets));
    assert.ok(!JSON.stringify(diagnosis).includes(secret));
  });
});

describe('a kubelet that is not authorized', () => {
  test('is at authenticated, as its journal alone shows', async () => {
    const { diagnosis, documents } = await collect(machines.UNAUTHORIZED_NODE);
    const [subject, ...others] = diagnosis.subjects;
    assert.equal(others.length, 0);
    assert.deepEqual([subject?.stage, subject?.verdict], ['authenticated', 'not-usable']);
    const pasted = documents.filter(({ name }) => name === 'kubelet/kubelet.log');
    const alone = await diagnoseObservations(await readPile(pasted));
    assert.deepEqual(diagnosis.headline, alone.headline);
    const causes = (document: DiagnosisDocument): readonly string[] =>
      document.subjects.flatMap(({ findings }) => findings.map(({ cause }) => cause));
    assert.deepEqual(causes(diagnosis), causes(alone));
    assert.ok(causes(alone).includes('aws-auth-missing'));
  });
});

describe('clocks and leases', () => {
  test('are collected from whichever program keeps them', async () => {
    const { documents, losses } = await collect(machines.LEASED);
    const names = namesOf(documents);
    for (const [name, text] of Object.entries(machines.LEASES))
      assert.equal(textOf(documents, `networking/leases${name}`), text, name);
    assert.match(textOf(documents, 'system/timesync.txt'), /Offset: /);
    assert.match(textOf(documents, 'system/ntpq.txt'), /refid/);
    assert.equal(names.filter((name) => name.startsWith('networking/leases')).length, 4);
    assert.deepEqual(losses, []);
  });

  test('are read', async () => {
    const { documents } = await collect(machines.LEASED);
    const { facts } = await readPile(documents);
    const count = (wanted: string): number => facts.filter(({ kind }) => kind === wanted).length;
    // The healthy node's chronyd speaks too.
    assert.deepEqual([count('host/dhcp-lease'), count('host/clock')], [4, 3]);
  });
});

describe('which machine this is', () => {
  const silent = { ...machines.HEALTHY, replies: machines.UNREADABLE.replies ?? {} };

  for (const path of ['/sys/class/dmi/id/board_asset_tag', '/var/lib/cloud/data/instance-id']) {
    test(`is known from ${path} when instance metadata is silent`, async () => {
      const files = { ...machines.HEALTHY.files, [path]: `${machines.INSTANCE_ID}\n` };
      const { documents } = await collect({ ...silent, files });
      const found = documents.find(({ name }) => name === 'system/instance-id.txt');
      assert.equal(found?.locator, path);
    });
  }

  test('is not guessed from an asset tag of another maker', async () => {
    const files = {
      '/sys/class/dmi/id/board_asset_tag': 'Not Specified',
      '/sys/class/dmi/id/sys_vendor': 'Amazon EC2',
    };
    const { documents, losses } = await collect({ ...silent, files });
    assert.equal(textOf(documents, 'system/instance-id.txt'), '');
    assert.ok(said(losses).some((what) => /is an EC2 instance, but neither/.test(what)));
  });

  test('user data comes from instance metadata when its file may not be read', async () => {
    const refused = { '/var/lib/cloud/instance/user-data.txt': { failure: 'denied' } } as const;
    const address = 'http://169.254.169.254/latest/user-data';
    const replies = { ...machines.IMDS_OF_NODE, [address]: { body: '#!/bin/sh\nexit 1\n' } };
    const { documents, losses } = await collect({ ...machines.HEALTHY, files: refused, replies });
    const found = documents.find(({ name }) => name === 'cloud-init/user-data.txt');
    assert.deepEqual([found?.locator, found?.holdsSecrets], [address, true]);
    assert.ok(!said(losses).some((what) => what.includes('user-data')));
  });
});

describe('user data that was given as gzip', () => {
  const path = '/var/lib/cloud/instance/user-data.txt';
  const script = '#!/bin/bash\n/etc/eks/bootstrap.sh my-cluster\n';

  test('is unpacked', async () => {
    const files = { ...machines.HEALTHY.files, [path]: gzipSync(script) };
    const { documents } = await collect({ ...machines.HEALTHY, files });
    assert.equal(textOf(documents, 'cloud-init/user-data.txt'), script);
  });

  test('and is damaged, is reported as unreadable', async () => {
    const files = { ...machines.HEALTHY.files, [path]: gzipSync(script).subarray(0, 20) };
    const { observed } = await collect({ ...machines.HEALTHY, files });
    assert.ok(observed.some(({ locator, what }) => locator === path && /is binary/.test(what)));
  });
});

describe('what instance metadata says', () => {
  test('holds tags where they are allowed, and a spot notice', async () => {
    const notice = '{"action":"terminate","time":"2026-11-22T02:02:00Z"}';
    const address = 'http://169.254.169.254/latest/meta-data';
    const replies = {
      ...machines.IMDS_OF_NODE,
      [`${address}/tags/instance`]: { body: 'Name\nteam/of one' },
      [`${address}/tags/instance/Name`]: { body: 'web\nkubelet[1]: forged' },
      [`${address}/tags/instance/team%2Fof%20one`]: { body: 'blue' },
      [`${address}/spot/instance-action`]: { body: notice },
      [`${address}/iam/info`]: { status: 404 },
    };
    const { documents } = await collect({ ...machines.HEALTHY, replies });
    const lines = textOf(documents, 'imds/meta-data.txt').split('\n');
    assert.ok(lines.includes('tags/instance/Name: web kubelet[1]: forged'), lines.join('\n'));
    assert.ok(lines.includes('tags/instance/team/of one: blue'));
    assert.ok(lines.includes('iam/info: none (404)'));
    assert.equal(textOf(documents, 'imds/spot-instance-action.json'), `${notice}\n`);
  });

  test('that is disabled is reported as disabled', async () => {
    const token = 'PUT http://169.254.169.254/latest/api/token';
    const { losses } = await collect({
      ...machines.HEALTHY,
      replies: { [token]: { status: 403 } },
    });
    assert.ok(said(losses).some((what) => /answered 403: the endpoint is disabled/.test(what)));
  });

  test('a role that may not be assumed is a cause', async () => {
    const address = 'http://169.254.169.254/latest/meta-data/iam/info';
    const body = '{\n  "Code" : "AssumeRoleUnauthorizedAccess",\n  "Message" : "EC2 cannot"\n}';
    const replies = { ...machines.IMDS_OF_NODE, [address]: { body } };
    const { diagnosis } = await collect({ ...machines.UNAUTHORIZED_NODE, replies });
    const found = diagnosis.subjects.flatMap(({ findings }) => findings);
    assert.ok(found.some(({ cause }) => cause === 'no-aws-credentials'));
  });
});

describe('what the probes saw', () => {
  const silent = { ...machines.UNAUTHORIZED_NODE, names: {} };

  test('reports a name that does not resolve as a cause', async () => {
    const { diagnosis } = await collect(silent);
    assert.equal(diagnosis.headline?.cause, 'api-name-unresolvable');
  });

  test('a certificate of another authority is a cause', async () => {
    const tls = { ...machines.TLS, isTrusted: false, why: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' };
    const servers = { '10.60.9.9:443': { tls } };
    const { diagnosis } = await collect({ ...machines.UNAUTHORIZED_NODE, servers });
    assert.equal(diagnosis.headline?.cause, 'untrusted-api-certificate');
  });

  test('a clock before the certificate is a cause', async () => {
    const validFrom = 'Nov 23 00:00:00 2026 GMT';
    const tls = { ...machines.TLS, isTrusted: false, why: 'CERT_NOT_YET_VALID', validFrom };
    const servers = { '10.60.9.9:443': { tls, clockOffsetMs: 90_000_000 } };
    const { diagnosis, documents } = await collect({ ...machines.UNAUTHORIZED_NODE, servers });
    assert.equal(diagnosis.headline?.cause, 'wrong-node-clock');
    assert.match(textOf(documents, 'rollcall/probes.log'), /minus this machine's is 90000\.0 s/);
  });
});

describe('a machine that allows no reads', () => {
  test('reports gaps with the command that fills them', async () => {
    const { diagnosis, documents, losses } = await collect(machines.UNREADABLE);
    assert.equal(diagnosis.headline, null);
    assert.deepEqual(namesOf(documents), [NAMES]);
    const words = said(losses);
    const journals = words.filter((what) => what.includes('systemd-journal'));
    assert.equal(journals.length, 1);
    assert.match(journals[0] ?? '', /Run: sudo rollcall diagnose --host$/);
    assert.ok(words.some((what) => /iptables-save -c needs root/.test(what)));
    assert.ok(words.some((what) => /user-data\.txt .*Run: sudo/.test(what)));
    assert.ok(words.some((what) => /hop limit is 1/.test(what)));
    assert.equal(new Set(words).size, words.length);
  });

  test('asks instance metadata no more after its first silence', async () => {
    const asked: string[] = [];
    const before = async (object: string): Promise<void> => {
      if (object.startsWith('http:')) asked.push(object);
    };
    await collect({ ...machines.UNREADABLE, before });
    assert.deepEqual(asked, ['http://169.254.169.254/latest/api/token']);
  });
});

describe('a machine without any program', () => {
  test('reports each missing program once, and that this is not an EC2 instance', async () => {
    const { diagnosis, documents, losses } = await collect(machines.EMPTY);
    assert.deepEqual([diagnosis.headline, namesOf(documents)], [null, [NAMES]]);
    const words = said(losses);
    assert.equal(words.filter((what) => what.startsWith('journalctl ')).length, 1);
    assert.equal(words.filter((what) => what.startsWith('ip ')).length, 1);
    assert.ok(words.some((what) => /\(box\) does not look like an EC2 instance/.test(what)));
    assert.ok(words.some((what) => /No kubelet journal.* on box/.test(what)));
  });

  test('is still diagnosed by what its syslog says', async () => {
    const kubelet = machines.UNAUTHORIZED_NODE.programs?.[machines.KUBELET_LOCATOR];
    const text = kubelet !== undefined && 'stdout' in kubelet ? (kubelet.stdout ?? '') : '';
    const { diagnosis } = await collect({
      ...machines.EMPTY,
      files: { '/var/log/messages': text },
    });
    assert.equal(diagnosis.subjects[0]?.stage, 'authenticated');
  });
});

/** What runs at the same time. */
const PARALLEL = 6;

/** Every call takes its whole time limit, and calls without one never end. */
function hanging(clock: Clock): FakeMachine {
  const before = async (object: string, timeoutMs: number | null): Promise<void> => {
    if (timeoutMs === null) return;
    await clock.sleep(timeoutMs + 1_000_000);
    assert.fail(`${object} was waited for`);
  };
  return { ...machines.UNAUTHORIZED_NODE, before };
}

describe('a machine on which every command hangs', () => {
  test('ends at the limit with the files it has read', async () => {
    const clock = createVirtualClock();
    const { documents, losses } = await collect(hanging(clock), clock);
    assert.equal(clock.monotonicMs(), 20_000);
    assert.ok(said(losses).includes(`${machines.KUBELET_LOCATOR} was not read within 20 s.`));
    assert.ok(said(losses).includes('Instance metadata was not read within 20 s.'));
    assert.deepEqual(documents, []);
  });

  test('loses only what hangs when the limits of the port hold', async () => {
    const clock = createVirtualClock();
    const before = async (object: string, timeoutMs: number | null): Promise<void> => {
      if (!object.startsWith('crictl') && !object.startsWith('http:')) return;
      await clock.sleep(timeoutMs ?? 0);
      throw new PortError({ failure: 'timeout', message: `${object} did not answer in time.` });
    };
    const { losses } = await collect({ ...machines.HEALTHY, before }, clock);
    assert.deepEqual(
      said(losses).filter((what) => what.startsWith('crictl')),
      ['ps -a', 'pods', 'info'].map((words) => `crictl ${words} did not answer in time.`),
    );
    assert.equal(clock.monotonicMs(), 5000);
  });

  test('asks a program that hung no more', async () => {
    const clock = createVirtualClock();
    const asked: string[] = [];
    const before = async (object: string, timeoutMs: number | null): Promise<void> => {
      if (!object.startsWith('journalctl')) return;
      asked.push(object);
      await clock.sleep(timeoutMs ?? 0);
      throw new PortError({ failure: 'timeout', message: 'journalctl did not answer in time.' });
    };
    const { losses, documents } = await collect({ ...machines.HEALTHY, before }, clock);
    assert.equal(asked.length, PARALLEL);
    const told = said(losses).filter((what) => what.startsWith('journalctl'));
    assert.deepEqual(told, ['journalctl did not answer in time.']);
    assert.ok(namesOf(documents).includes('networking/iprule.txt'));
  });
});
