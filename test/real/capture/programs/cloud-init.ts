/** cloud-init 22.4, as Debian has it, with user data that it or the image cannot use. */
import type { Scenario, Truth } from '../scenario.ts';
import { NODE_NAME } from '../stage.ts';

interface Broken extends Truth {
  readonly what: string;
  readonly broken: string;
  readonly userData: string;
  readonly before?: string;
}

const MIME_HEAD = 'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="//"\n\n';
const SCRIPT_PART = '--//\nContent-Type: text/x-shellscript; charset="us-ascii"\n\n';
const NODECONFIG = `apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  cluster:
    name: orders
`;

const BROKEN: readonly Broken[] = [
  {
    what: 'bootstrap-absent',
    broken: 'user data calls bootstrap.sh, which the image does not have',
    userData:
      '#!/bin/bash\nset -o xtrace\n/etc/eks/bootstrap.sh orders --kubelet-extra-args --node-labels=team=orders\n',
    cause: 'failed-user-script',
    expect: 'found',
  },
  {
    what: 'script-exits',
    broken: 'the user-data script ends with an error',
    userData:
      '#!/bin/bash\nset -euxo pipefail\nsystemctl-is-absent enable --now docker\n/etc/eks/bootstrap.sh orders\n',
    cause: 'failed-user-script',
    expect: 'found',
  },
  {
    what: 'script-syntax',
    broken: 'the user-data script has a syntax error',
    userData: '#!/bin/bash\nif [ -z "$CLUSTER" ]; then\n  /etc/eks/bootstrap.sh orders\n',
    cause: 'failed-user-script',
    expect: 'found',
  },
  {
    what: 'script-download',
    broken: 'the user-data script cannot load its agent',
    userData:
      '#!/bin/bash\nset -e\ncurl -sSfLO https://downloads.example.com/agent.tgz\n/etc/eks/bootstrap.sh orders\n',
    cause: 'failed-user-script',
    expect: 'found',
  },
  {
    what: 'script-without-shebang',
    broken: 'the user data is a script without its first line',
    userData: 'set -ex\n/etc/eks/bootstrap.sh orders\n',
    cause: 'failed-user-script',
    expect: 'unknown',
  },
  {
    what: 'interpreter-absent',
    broken: 'the interpreter of the script is not in the image',
    userData: '#!/usr/bin/env zsh-5.9\n/etc/eks/bootstrap.sh orders\n',
    cause: 'failed-user-script',
    expect: 'found',
  },
  {
    what: 'mime-without-boundary',
    broken: 'the user data is MIME whose boundary never comes',
    userData: `${MIME_HEAD}#!/bin/bash\n/etc/eks/bootstrap.sh orders\n`,
    cause: 'malformed-mime-user-data',
    expect: 'unknown',
  },
  {
    what: 'mime-unknown-type',
    broken: 'a part of the MIME is NodeConfig for an image that has no nodeadm',
    userData: `${MIME_HEAD}--//\nContent-Type: application/node.eks.aws\n\n${NODECONFIG}--//--\n`,
    cause: 'nodeconfig-missing',
    expect: 'unknown',
  },
  {
    what: 'mime-script-fails',
    broken: 'the script in the MIME ends with an error',
    userData: `${MIME_HEAD}${SCRIPT_PART}#!/bin/bash\nset -ex\nmount /dev/nvme1n1 /var/lib/containerd\n--//--\n`,
    cause: 'failed-user-script',
    expect: 'found',
  },
  {
    what: 'cloud-config-not-yaml',
    broken: 'the cloud-config is no YAML',
    userData: '#cloud-config\nruncmd:\n - [ /etc/eks/bootstrap.sh, orders\nwrite_files:\n',
    cause: 'failed-user-script',
    expect: 'unknown',
  },
  {
    what: 'runcmd-fails',
    broken: 'a command of runcmd ends with an error',
    userData: '#cloud-config\nruncmd:\n - set -e\n - /usr/local/bin/join-cluster --token abcdef\n',
    cause: 'failed-user-script',
    expect: 'found',
  },
  {
    what: 'script-succeeds',
    broken: 'nothing is broken: the script ends well',
    userData: '#!/bin/bash\nset -ex\necho joined\n',
    cause: 'failed-user-script',
    expect: 'unknown',
  },
];

/** Stages as systemd starts them one by one. */
const STAGES = [
  'cloud-init init --local',
  'cloud-init init',
  'cloud-init modules --mode=config',
  'cloud-init modules --mode=final',
];

const CONFIG = `datasource_list: [NoCloud]
datasource: {NoCloud: {fs_label: null}}
network: {config: disabled}
disable_root: false
users: []
cloud_init_modules: [write-files]
cloud_config_modules: [runcmd]
cloud_final_modules: [scripts-user, final-message]
output: {all: '| tee -a /var/log/cloud-init-output.log'}
system_info: {distro: debian}
`;

export const CLOUD_INIT: readonly Scenario[] = BROKEN.map(
  ({ what, broken, userData, before = 'true', ...truth }) => ({
    ...truth,
    id: `cloud-init/${what}`,
    source: `cloud-init 22.4.2 in which ${broken}; /var/log/cloud-init-output.log`,
    needs: [],
    system: ['cloud-init', 'unshare'],
    run: async (stage) => {
      const machine = await stage.machine();
      await machine.write('/etc/cloud/cloud.cfg', CONFIG);
      await machine.write('/var/lib/cloud/seed/nocloud/user-data', userData);
      await machine.write(
        '/var/lib/cloud/seed/nocloud/meta-data',
        `instance-id: i-0a1b2c3d4e5f60718\nlocal-hostname: ${NODE_NAME}\n`,
      );
      await machine.shell(`${before}; ${STAGES.join('; ')}`);
      const { text } = await machine.shell('cat /var/log/cloud-init-output.log');
      return [{ name: 'cloud-init-output.log', text }];
    },
  }),
);
