import { joinUnit, PROGRAM } from './unit.ts';

export const USER_DATA_FLAVORS = [
  'kubeadm',
  'eks-nodeadm',
  'eks-al2',
  'kops',
  'cloud-init',
] as const;

export type UserDataFlavor = (typeof USER_DATA_FLAVORS)[number];

export interface UserDataOptions {
  readonly flavor: UserDataFlavor;
  /** Words behind `rollcall join`, without COMMAND. */
  readonly options: readonly string[];
  /** Empty for the usual one of the flavor. */
  readonly command: readonly string[];
}

const UNIT_PATH = '/etc/systemd/system/rollcall-join.service';
const START = 'systemctl daemon-reload && systemctl enable --now rollcall-join.service';
const CONSOLE = ['--console', '/dev/console'];

/** User data that joins a machine; names in capitals are to be filled in. */
export function joinUserData(options: UserDataOptions): string {
  return FLAVORS[options.flavor](options);
}

type Writer = (options: UserDataOptions) => string;

const FLAVORS: Readonly<Record<UserDataFlavor, Writer>> = {
  kubeadm: ({ options, command }) =>
    cloudConfig(
      [
        { path: '/etc/kubeadm/join.yaml', permissions: '0600', text: JOIN_CONFIGURATION },
        unitFile(
          options,
          given(command, ['kubeadm', 'join', '--config', '/etc/kubeadm/join.yaml']),
          ['containerd.service'],
        ),
      ],
      START,
    ),
  'cloud-init': ({ options, command }) =>
    cloudConfig([unitFile(options, given(command, ['/usr/local/bin/join-command']), [])], START),
  // The image starts nodeadm-run itself; started again it does nothing where it has run.
  'eks-nodeadm': ({ options, command }) =>
    multipart([
      ['application/node.eks.aws', NODE_CONFIG],
      [
        'text/cloud-config',
        cloudConfig(
          [
            unitFile(options, given(command, ['systemctl', 'start', 'nodeadm-run.service']), [
              'nodeadm-config.service',
            ]),
          ],
          'systemctl daemon-reload && systemctl enable rollcall-join.service && systemctl start --no-block rollcall-join.service',
        ),
      ],
    ]),
  'eks-al2': ({ options, command }) => {
    const usual = [
      '/etc/eks/bootstrap.sh',
      'CLUSTER',
      '--apiserver-endpoint',
      'ENDPOINT',
      '--b64-cluster-ca',
      'CA_BASE64',
    ];
    const words = [PROGRAM, 'join', ...CONSOLE, ...options, '--', ...given(command, usual)];
    return `#!/bin/bash\nexec ${words.map(shellQuoted).join(' ')}\n`;
  },
  // For `additionalUserData` of an InstanceGroup.
  kops: ({ options, command }) =>
    cloudConfig(
      [unitFile(options, given(command, ['systemctl', 'start', 'kops-configuration.service']), [])],
      'systemctl daemon-reload && systemctl start --no-block rollcall-join.service',
    ),
};

function given(command: readonly string[], usual: readonly string[]): readonly string[] {
  return command.length === 0 ? usual : command;
}

interface WrittenFile {
  readonly path: string;
  readonly permissions: string;
  readonly text: string;
}

function unitFile(
  options: readonly string[],
  command: readonly string[],
  after: readonly string[],
): WrittenFile {
  const text = joinUnit({ options: [...CONSOLE, ...options], command, after });
  return { path: UNIT_PATH, permissions: '0644', text };
}

function cloudConfig(files: readonly WrittenFile[], start: string): string {
  const written = files.flatMap(({ path, permissions, text }) => [
    `  - path: ${path}`,
    `    permissions: "${permissions}"`,
    '    content: |',
    ...text
      .trimEnd()
      .split('\n')
      .map((line) => (line === '' ? '' : `      ${line}`)),
  ]);
  return ['#cloud-config', 'write_files:', ...written, 'runcmd:', `  - ${start}`, ''].join('\n');
}

const BOUNDARY = 'rollcall-join-part';

function multipart(parts: readonly (readonly [type: string, text: string])[]): string {
  const each = parts.flatMap(([type, text]) => [
    `--${BOUNDARY}`,
    `Content-Type: ${type}`,
    '',
    text,
  ]);
  const head = ['MIME-Version: 1.0', `Content-Type: multipart/mixed; boundary="${BOUNDARY}"`, ''];
  return [...head, ...each, `--${BOUNDARY}--`, ''].join('\n');
}

function shellQuoted(word: string): string {
  return /^[A-Za-z0-9_./:=@,+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

const JOIN_CONFIGURATION = `apiVersion: kubeadm.k8s.io/v1beta4
kind: JoinConfiguration
discovery:
  bootstrapToken:
    apiServerEndpoint: ENDPOINT:6443
    token: TOKEN
    caCertHashes: ["sha256:CA_HASH"]
nodeRegistration:
  kubeletExtraArgs:
    - name: cloud-provider
      value: external
`;

const NODE_CONFIG = `apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  cluster:
    name: CLUSTER
    apiServerEndpoint: ENDPOINT
    certificateAuthority: CA_BASE64
    cidr: SERVICE_CIDR
`;
