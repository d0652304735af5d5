import type { FakeMachine, FakeProgram } from '../ports/fake/host.ts';

export const INSTANCE_ID = 'i-0a1b2c3d4e5f60718';
export const NODE = 'ip-10-60-3-88.us-west-2.compute.internal';
export const SERVER = 'A1B2C3D4E5F60718293A4B5C6D7E8F90.gr7.us-west-2.eks.amazonaws.com';
/** Base64 of nothing that is a key; what matters is that it is never shown. */
export const SECRET = 'aws_secret_access_key=wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY01';

const IMDS = 'http://169.254.169.254/latest';

/** A journal of one unit, as `journalctl -o short-iso` prints it. */
export function journal(unit: string, lines: readonly string[]): Record<string, FakeProgram> {
  const text = lines.map((line) => `2026-11-22T01:5${line}`).join('\n');
  return { [`journalctl -u ${unit} -o short-iso --no-pager -n 5000`]: { stdout: `${text}\n` } };
}

function kubelet(second: string, line: string): string {
  return `${second}+0000 ${NODE} kubelet[3100]: ${line}`;
}

const STARTED = [
  `0:01+0000 ${NODE} systemd[1]: Started kubelet.service - Kubernetes Kubelet.`,
  kubelet(
    '0:02',
    'I1122 01:50:02.204410    3100 server.go:467] "Kubelet version" kubeletVersion="v1.31.2-eks-94953ac"',
  ),
  kubelet(
    '0:03',
    `I1122 01:50:03.700313    3100 kubelet_node_status.go:72] "Attempting to register node" node="${NODE}"`,
  ),
];

const READY = [
  kubelet(
    '0:05',
    `I1122 01:50:05.100313    3100 kubelet_node_status.go:75] "Successfully registered node" node="${NODE}"`,
  ),
  kubelet(
    '0:31',
    'I1122 01:50:31.100313    3100 kubelet_node_status.go:488] "Fast updating node status as it just became ready"',
  ),
];

const UNAUTHORIZED = [
  `"Unable to register node with API server" err="Unauthorized" node="${NODE}"`,
  `"Error getting node" err="node \\"${NODE}\\" not found"`,
  '"Failed to ensure lease exists, will retry" err="Unauthorized" interval="400ms"',
  'Failed to contact API server when waiting for CSINode publishing: Unauthorized',
  `"Unable to register node with API server" err="Unauthorized" node="${NODE}"`,
].map((line, index) =>
  kubelet(`1:0${index}`, `E1122 01:51:0${index}.000000    3100 kubelet_node_status.go:95] ${line}`),
);

/** A certificate without its key. */
const CLIENT_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIICATCCAaegAwIBAgIUOIa+ExI44sbnHy+WXta0+3Qmv1EwCgYIKoZIzj0EAwIw
VjEVMBMGA1UECgwMc3lzdGVtOm5vZGVzMT0wOwYDVQQDDDRzeXN0ZW06bm9kZTpp
cC0xMC02MC0zLTg4LnVzLXdlc3QtMi5jb21wdXRlLmludGVybmFsMB4XDTI2MTEy
MjAyMTI1OFoXDTI3MTEyMjAyMTI1OFowVjEVMBMGA1UECgwMc3lzdGVtOm5vZGVz
MT0wOwYDVQQDDDRzeXN0ZW06bm9kZTppcC0xMC02MC0zLTg4LnVzLXdlc3QtMi5j
b21wdXRlLmludGVybmFsMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE+LG5SvYe
VerYl3b/J6Dp8cO0fU/JN970eF2b2pkIx8kM1YPu1ItpobYp8o0C1AKJDKDLX1Im
7dU+7888zb0DX6NTMFEwHQYDVR0OBBYEFJbL93x1xQhIix1q4tSPQXhp8ZMpMB8G
A1UdIwQYMBaAFJbL93x1xQhIix1q4tSPQXhp8ZMpMA8GA1UdEwEB/wQFMAMBAf8w
CgYIKoZIzj0EAwIDSAAwRQIhALChTnO+4E5NszcNVmpdumTUbZ2xhTflqP7iJgva
yuUYAiBcfx0acfHUyfnuevTV7Lh/oIwo59idzJ6CcCIel9LQ0A==
-----END CERTIFICATE-----
`;
export const CLIENT_CERTIFICATE_DATES = `notBefore=Nov 22 02:12:58 2026 GMT
notAfter=Nov 22 02:12:58 2027 GMT
`;

/** The file holds the key too, which must never be seen in a document. */
export const KEY_MARK = 'the-key-itself';
const PRIVATE_KEY = `-----BEGIN PRIVATE KEY-----\n${KEY_MARK}\n-----END PRIVATE KEY-----\n`;

const KUBECONFIG = `apiVersion: v1
kind: Config
clusters:
- name: kubernetes
  cluster:
    certificate-authority: /etc/kubernetes/pki/ca.crt
    server: https://${SERVER}
users:
- name: kubelet
  user:
    token: ${SECRET.slice(22)}
`;

export const TLS = {
  isTrusted: true,
  why: null,
  subject: 'CN=kube-apiserver',
  issuer: 'CN=kubernetes',
  validFrom: 'Nov  1 00:00:00 2026 GMT',
  validTo: 'Nov  1 00:00:00 2027 GMT',
  names: [SERVER],
};

const IP_RULES = `0:\tfrom all lookup local
512:\tfrom all to 10.60.9.1 lookup main
32766:\tfrom all lookup main
`;

const SERVICES = ['ec2', 'sts', 'api.ecr'].map((name) => `${name}.us-west-2.amazonaws.com`);

/** Every program is there; journals are empty where nothing is said of them. */
const PROGRAMS: Record<string, FakeProgram> = {
  journalctl: { stdout: '-- No entries --\n' },
  systemctl: { stdout: 'Id=kubelet.service\nLoadState=loaded\nActiveState=active\n' },
  ip: { stdout: 'default via 10.60.3.1 dev ens5 proto dhcp src 10.60.3.88 metric 512\n' },
  'ip rule': { stdout: IP_RULES },
  'iptables-save': { stdout: '*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\nCOMMIT\n' },
  nft: { stdout: '' },
  df: {
    stdout: 'Filesystem Size Used Avail Use% Mounted on\n/dev/nvme0n1p1 20G 5.0G 15G 25% /\n',
  },
  free: { stdout: '       total used free\nMem:  7741 512 5120\n' },
  uname: { stdout: `Linux ${NODE} 6.1.112 x86_64 GNU/Linux\n` },
  timedatectl: { stdout: 'System clock synchronized: yes\n' },
  chronyc: { stdout: 'Leap status     : Normal\n' },
  ls: { stdout: '-rwxr-xr-x. 1 root root 31000000 Oct 25 10:00 /usr/bin/nodeadm\n' },
  crictl: { stdout: 'CONTAINER IMAGE CREATED STATE NAME\n' },
  ethtool: { stdout: 'NIC statistics:\n     conntrack_allowance_exceeded: 0\n' },
};

const FILES: Record<string, string> = {
  '/var/lib/kubelet/kubeconfig': KUBECONFIG,
  '/etc/kubernetes/pki/ca.crt': '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
  '/var/lib/kubelet/pki/kubelet-client-current.pem': `${CLIENT_CERTIFICATE}${PRIVATE_KEY}`,
  '/etc/resolv.conf': 'nameserver 10.60.0.2\nsearch us-west-2.compute.internal\n',
  '/etc/os-release': 'NAME="Amazon Linux"\nVERSION_ID="2023"\n',
  '/var/lib/cloud/instance/user-data.txt': `#!/bin/bash\nexport ${SECRET}\n`,
  '/proc/sys/net/ipv4/ip_forward': '1\n',
  '/sys/class/net/ens5/mtu': '9001\n',
  '/var/log/aws-routed-eni/ipamd.log': `{"level":"info","ts":"2026-11-22T01:50:10.585Z","caller":"awsutils/awsutils.go:444","msg":"Found instance ID: ${INSTANCE_ID} "}
{"level":"info","ts":"2026-11-22T01:50:10.586Z","caller":"awsutils/awsutils.go:412","msg":"Discovered the instance primary ip address: 10.60.3.88"}
`,
};

function imds(values: Readonly<Record<string, string>>): NonNullable<FakeMachine['replies']> {
  const answers = Object.entries(values).map(([path, body]) => [`${IMDS}/${path}`, { body }]);
  return { [`PUT ${IMDS}/api/token`]: { body: 'token' }, ...Object.fromEntries(answers) };
}

const ABSENT = [
  'hostname',
  'instance-type',
  'instance-life-cycle',
  'ami-id',
  'mac',
  'placement/availability-zone',
  'services/domain',
  'spot/instance-action',
  'tags/instance',
].map((path) => `meta-data/${path}`);

/** What instance metadata says on the node; the rest answers 404. */
export const IMDS_OF_NODE: NonNullable<FakeMachine['replies']> = {
  ...imds({
    'meta-data/instance-id': INSTANCE_ID,
    'meta-data/local-hostname': NODE,
    'meta-data/local-ipv4': '10.60.3.88',
    'meta-data/placement/region': 'us-west-2',
    'dynamic/instance-identity/document': `{"instanceId":"${INSTANCE_ID}","region":"us-west-2"}`,
    'meta-data/iam/info': '{"Code":"Success","InstanceProfileArn":"arn:aws:iam::111122223333:x"}',
  }),
  ...Object.fromEntries(
    [...ABSENT, 'user-data'].map((path) => [`${IMDS}/${path}`, { status: 404 }]),
  ),
};

const NETWORK = {
  names: Object.fromEntries([SERVER, ...SERVICES].map((name) => [name, ['10.60.9.9']])),
  servers: { '10.60.9.9:443': { tls: TLS, clockOffsetMs: 20 } },
};

/** An AL2023 node of EKS that joined and is Ready. */
export const HEALTHY: FakeMachine = {
  hostname: NODE,
  files: FILES,
  replies: IMDS_OF_NODE,
  ...NETWORK,
  programs: { ...PROGRAMS, ...journal('kubelet', [...STARTED, ...READY]) },
};

/** The same machine, which the API server answers with 401. */
export const UNAUTHORIZED_NODE: FakeMachine = {
  ...HEALTHY,
  programs: { ...PROGRAMS, ...journal('kubelet', [...STARTED, ...UNAUTHORIZED]) },
};

const DHCLIENT_LEASE = `lease {
  interface "ens5";
  fixed-address 10.60.3.88;
  option domain-name "us-west-2.compute.internal";
}
`;
const NETWORKD_LEASE = `# This is private data. Do not parse.
ADDRESS=10.60.3.88
NETMASK=255.255.255.0
DOMAINNAME=us-west-2.compute.internal
`;

/** Leases by the files that three programs keep. */
export const LEASES: Readonly<Record<string, string>> = {
  '/run/systemd/netif/leases/2': NETWORKD_LEASE,
  '/var/lib/dhclient/dhclient--ens5.lease': DHCLIENT_LEASE,
  '/var/lib/dhcp/dhclient.ens5.leases': DHCLIENT_LEASE,
  '/var/lib/NetworkManager/internal-0a-ens5.lease': NETWORKD_LEASE,
};

/** The same machine, whose clients of DHCP and NTP leave traces; other files lie beside them. */
export const LEASED: FakeMachine = {
  ...HEALTHY,
  files: {
    ...FILES,
    ...LEASES,
    '/var/lib/NetworkManager/secret_key': 'not for anybody',
    '/run/systemd/netif/leases/.#2': NETWORKD_LEASE,
  },
  programs: {
    ...HEALTHY.programs,
    'timedatectl timesync-status': {
      stdout: `       Server: 169.254.169.123 (169.254.169.123)
Poll interval: 1min 4s (min: 32s; max 34min 8s)
         Leap: normal
      Version: 4
      Stratum: 3
       Offset: +1.2ms
        Delay: 310us
       Jitter: 0
 Packet count: 12
`,
    },
    'ntpq -pn': {
      stdout: `     remote           refid      st t when poll reach   delay   offset  jitter
==============================================================================
*169.254.169.123 10.66.15.72      3 u   33   64  377    0.310    1.213   0.020
`,
    },
  },
};

export const KUBELET_LOCATOR = 'journalctl -u kubelet -o short-iso --no-pager -n 5000';

/** Everything is there, and nothing may be read by this user. */
export const UNREADABLE: FakeMachine = {
  hostname: NODE,
  files: Object.fromEntries(Object.keys(FILES).map((path) => [path, { failure: 'denied' }])),
  programs: {
    ...Object.fromEntries(Object.keys(PROGRAMS).map((name) => [name, { failure: 'denied' }])),
    journalctl: {
      stdout: '-- No entries --\n',
      stderr:
        'Hint: You are currently not seeing messages from other users and the system.\n      Users in groups can see all messages.\n',
    },
    'iptables-save': {
      stderr:
        'iptables-save v1.8.8: Could not fetch rule set generation id: Permission denied (you must be root)\n',
      exitCode: 4,
    },
  },
  replies: { [`PUT ${IMDS}/api/token`]: { failure: 'timeout' } },
};

/** A container image of nothing: no program, no file, no metadata. */
export const EMPTY: FakeMachine = { hostname: 'box' };
