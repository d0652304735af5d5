/**
 * The unit and the user data that `rollcall join` prints, run on a machine: a stand-in for
 * cloud-init writes the files and runs what `runcmd` says, and one for systemd the unit's ExecStart.
 */
import assert from 'node:assert/strict';
import { after, afterEach, describe, test } from 'node:test';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { USER_DATA_FLAVORS } from '../../src/controllers/join/install/user-data.ts';
import { capture } from '../cli/capture.ts';
import { type Program, until } from './bench.ts';
import { openStage } from './capture/stage.ts';
import { JOIN_PARTS_MISSING } from './join-parts.ts';
import { type JoinSite, KUBEADM_JOIN, openJoinSite } from './join-site.ts';
import { missingOnPath } from './parts.ts';

const skip = JOIN_PARTS_MISSING || missingOnPath('systemd-analyze');
const WITH_PARTS = { skip, timeout: 240_000 };
const MAIN = join(import.meta.dirname, '../../src/apps/cli/main.ts');
const UNIT = '/etc/systemd/system/rollcall-join.service';

const stage = openStage();
afterEach(() => stage.clear());
after(() => stage.close());

/** Notes that the unit is to run; anything else is the kubelet's. */
const SYSTEMCTL = `#!/bin/bash
case "$*" in
  daemon-reload) exit 0;;
  *start*rollcall-join.service|*--now*rollcall-join.service) touch /run/rollcall-join.want;;
  *rollcall-join.service) exit 0;;
  *) exec /run/sbin/systemctl-kubelet "$@";;
esac`;

/** ExecStart holds nothing here that systemd and a shell read differently. */
const UNIT_RUNNER = `until [ -f /run/rollcall-join.want ]; do sleep 0.1; done
eval "exec $(sed -n 's/^ExecStart=//p' ${UNIT})"`;

/** The program where the unit expects it, and a console of this machine alone. */
async function prepare({ machine }: JoinSite): Promise<void> {
  await machine.shell(
    'mount -t tmpfs tmpfs /usr/local/bin; touch /run/console; mount --bind /run/console /dev/console',
  );
  await machine.write(
    '/usr/local/bin/rollcall',
    `#!/bin/bash\nexec '${process.execPath}' '${MAIN}' "$@"\n`,
  );
  await machine.shell('mv /run/sbin/systemctl /run/sbin/systemctl-kubelet');
  await machine.write('/run/sbin/systemctl', SYSTEMCTL);
  await machine.shell('chmod +x /usr/local/bin/rollcall /run/sbin/systemctl');
}

interface CloudConfig {
  readonly write_files: readonly {
    readonly path: string;
    readonly permissions: string;
    readonly content: string;
  }[];
  readonly runcmd: readonly string[];
}

/** Of user data in several parts, the one for cloud-init. */
function cloudConfigIn(text: string): CloudConfig {
  const at = text.indexOf('#cloud-config');
  return load(text.slice(at).split('\n--')[0] ?? '') as CloudConfig;
}

/** Does with user data what cloud-init does. */
async function boot(site: JoinSite, text: string): Promise<void> {
  if (text.startsWith('#!')) {
    await site.machine.write('/run/user-data', text);
    await site.machine.shell('chmod +x /run/user-data');
    return;
  }
  const { write_files: files, runcmd } = cloudConfigIn(text);
  for (const { path, permissions, content } of files) {
    await site.machine.write(path, content);
    await site.machine.shell(`chmod ${permissions} ${path}`);
  }
  for (const line of runcmd) {
    const { code, text: said } = await site.run(['sh', '-c', line]);
    assert.equal(code, 0, said);
  }
}

function started(site: JoinSite, text: string): Program {
  const script = text.startsWith('#!') ? 'exec /run/user-data' : UNIT_RUNNER;
  return site.machine.start('user-data', {
    program: 'bash',
    args: ['-c', script],
    env: site.environment,
  });
}

async function printed(...words: readonly string[]): Promise<string> {
  const { code, out } = await capture(['join', ...words]);
  assert.equal(code, 0);
  return out;
}

function optionsOf({ instance, moto }: JoinSite): readonly string[] {
  return [
    `--instance=${instance.id}`,
    `--region=${moto.region}`,
    '--state-folder=/run/rollcall',
    '--kept=5s',
  ];
}

async function joins(site: JoinSite, text: string): Promise<void> {
  await site.addPodNetwork();
  await boot(site, text);
  const program = started(site, text);
  const end = await until(
    'the end of the join',
    async () => /^(?:not )?joined: .*$/m.exec(program.log())?.[0] ?? null,
  );
  assert.match(end, /^joined: Node ip-.* is Ready, initialized, and has stayed/, program.log());
  assert.notEqual(await site.node(), null);
  await until('the words on the console', async () => {
    const { text: said } = await site.machine.shell('cat /run/console');
    return /^rollcall join: joined: Node ip-/m.test(said) ? true : null;
  });
}

/** The values that the user fills in, and what this machine lacks as a node. */
function filledIn(text: string, configuration: string): string {
  const own = JSON.parse(configuration);
  const { token, apiServerEndpoint, caCertHashes } = own.discovery.bootstrapToken;
  const { name, criSocket, ignorePreflightErrors, kubeletExtraArgs } = own.nodeRegistration;
  const registration = JSON.stringify({ name, criSocket, ignorePreflightErrors, kubeletExtraArgs });
  return text
    .replace('ENDPOINT:6443', apiServerEndpoint)
    .replace('TOKEN', token)
    .replace('sha256:CA_HASH', caCertHashes[0])
    .replace(
      /nodeRegistration:\n(?: {6}.*\n)+?(?= {2}-|\S)/,
      `nodeRegistration: ${registration}\n`,
    );
}

describe('what rollcall join prints', { skip }, () => {
  test('a unit is one that systemd takes, and joins', WITH_PARTS, async () => {
    const site = await openJoinSite(stage, '1.34.3');
    await prepare(site);
    await site.addPodNetwork();
    const unit = await printed(
      '--print-unit',
      ...optionsOf(site),
      '--console=/dev/console',
      '--',
      ...KUBEADM_JOIN,
    );
    const runcmd = ['systemctl daemon-reload && systemctl enable --now rollcall-join.service'];
    const files = [{ path: UNIT, permissions: '0644', content: unit }];
    await joins(site, `#cloud-config\n${JSON.stringify({ write_files: files, runcmd })}`);
    const verified = await site.run(['systemd-analyze', 'verify', '--man=no', UNIT]);
    assert.equal(/rollcall-join\.service/.test(verified.text), false, verified.text);
  });

  test('user data for kubeadm joins once its capitals are filled in', WITH_PARTS, async () => {
    const site = await openJoinSite(stage, '1.34.3');
    await prepare(site);
    const { text: configuration } = await site.machine.shell(`cat ${KUBEADM_JOIN[2].slice(9)}`);
    const text = await printed('--print-user-data', 'kubeadm', ...optionsOf(site));
    await joins(site, filledIn(text, configuration));
  });

  for (const flavor of USER_DATA_FLAVORS.filter((one) => one !== 'kubeadm'))
    test(`user data for ${flavor} joins with a COMMAND that is there`, WITH_PARTS, async () => {
      const site = await openJoinSite(stage, '1.34.3');
      await prepare(site);
      const words = ['--print-user-data', flavor, ...optionsOf(site), '--', ...KUBEADM_JOIN];
      await joins(site, await printed(...words));
    });
});
