/** Tools of the operating system on a machine that is broken: what a person pastes from a shell. */
import type { Scenario, Truth } from '../scenario.ts';

interface Look extends Truth {
  readonly what: string;
  readonly broken: string;
  readonly before?: string;
  readonly commands: readonly string[];
  readonly system?: readonly string[];
}

const API = '3F9A7C51D0E24B86A1C5D7E9F0B2A4C6.gr7.eu-west-1.eks.amazonaws.com';
const METADATA = '169.254.169.254';

/** A second namespace behind the machine, as a pod is behind its node. */
const POD = `echo 1 > /proc/sys/net/ipv4/ip_forward
unshare -n sleep 60 & pod=$!; sleep 0.3
ip link add veth0 type veth peer name podeth; ip link set podeth netns $pod
ip addr add 10.244.3.1/24 dev veth0; ip link set veth0 up
nsenter -t $pod -n sh -c 'ip link set lo up; ip addr add 10.244.3.9/24 dev podeth; ip link set podeth up; ip route add default via 10.244.3.1'`;

/** A file system of a device that df lists. */
function fullDisk(path: string): string {
  return `dd if=/dev/zero of=/run/disk bs=1M count=24 2>/dev/null; mkfs.ext4 -q /run/disk; loop=$(losetup -f --show /run/disk)
mount -t tmpfs dev /dev; mknod /dev/nvme1n1 b 7 \${loop#/dev/loop}; mknod /dev/zero c 1 5; mknod /dev/null c 1 3
mkdir -p ${path}; mount /dev/nvme1n1 ${path}; losetup -d /dev/nvme1n1 2>/dev/null; head -c 40M /dev/zero > ${path}/layers 2>/dev/null`;
}

const CHRONY = (offset: string): string => `cat > /run/server.conf <<C
local stratum 3
allow 127.0.0.0/8
port 1123
cmdport 0
pidfile /run/server.pid
C
cat > /run/client.conf <<C
server 127.0.0.1 port 1123 iburst minpoll 0 maxpoll 1
pidfile /run/client.pid
C
${offset === '' ? '' : `timeout 60 faketime -f '${offset}' chronyd -x -n -u root -f /run/server.conf >/dev/null 2>&1 &`}
timeout 60 chronyd -x -n -u root -f /run/client.conf >/dev/null 2>&1 & sleep 6`;

const LOOKS: readonly Look[] = [
  {
    what: 'disk-full',
    broken: 'the disk of the container runtime is full',
    before: fullDisk('/var/lib/containerd'),
    commands: ['df -h /var/lib/containerd'],
    cause: 'node-disk-full',
    expect: 'found',
  },
  {
    what: 'disk-full-kubelet',
    broken: 'the disk of the kubelet is full',
    before: fullDisk('/var/lib/kubelet'),
    commands: ['df -hT /var/lib/kubelet', 'df -i /var/lib/kubelet'],
    cause: 'node-disk-full',
    expect: 'found',
  },
  {
    what: 'metadata-dropped',
    broken: 'a firewall rule of the host drops calls to instance metadata',
    before: `iptables -A OUTPUT -d ${METADATA} -j DROP`,
    commands: ['iptables-save'],
    cause: 'imds-unreachable-on-host',
    expect: 'found',
  },
  {
    what: 'metadata-rejected',
    broken: 'a firewall rule of the host rejects calls to instance metadata',
    before: `iptables -A OUTPUT -d ${METADATA}/32 -p tcp -j REJECT`,
    commands: ['iptables -S', `curl -sS -m 3 http://${METADATA}/latest/meta-data/`],
    system: ['curl'],
    cause: 'imds-unreachable-on-host',
    expect: 'found',
  },
  {
    what: 'metadata-kept-from-pods',
    broken: 'a firewall rule keeps pods from instance metadata',
    before: `iptables -A FORWARD -d ${METADATA}/32 -j DROP`,
    commands: ['iptables-save'],
    cause: 'imds-unreachable-from-pods',
    expect: 'unknown',
  },
  {
    what: 'root-only-metadata',
    broken: 'only root may call instance metadata, on purpose',
    before: `iptables -A OUTPUT -d ${METADATA} -m owner ! --uid-owner 0 -j DROP`,
    commands: ['iptables-save'],
    cause: 'imds-unreachable-on-host',
    expect: 'unknown',
  },
  {
    what: 'forward-dropped',
    broken: 'the policy of FORWARD is DROP and pods send packets',
    before: `${POD}; iptables -P FORWARD DROP; for one in 1 2 3; do nsenter -t $pod -n bash -c 'echo x > /dev/udp/10.0.16.9/53'; done; kill $pod`,
    commands: ['iptables -L FORWARD -v -n'],
    cause: 'firewall-drops-pod-traffic',
    expect: 'found',
  },
  {
    what: 'forward-dropped-saved',
    broken: 'the policy of FORWARD is DROP and pods send packets',
    before: `${POD}; iptables -P FORWARD DROP; for one in 1 2 3; do nsenter -t $pod -n bash -c 'echo x > /dev/udp/10.0.16.9/53'; done; kill $pod`,
    commands: ['iptables-save -c', 'ip route'],
    cause: 'firewall-drops-pod-traffic',
    expect: 'found',
  },
  {
    what: 'forward-policy-unused',
    broken: 'the policy of FORWARD is DROP and nothing was dropped',
    before: 'iptables -P FORWARD DROP',
    commands: ['iptables-save -c'],
    cause: 'firewall-drops-pod-traffic',
    expect: 'unknown',
  },
  {
    what: 'redirect-on-docker0',
    broken: 'the metadata redirect of kiam stands on docker0',
    before: `iptables -t nat -A PREROUTING -p tcp -d ${METADATA} --dport 80 -i docker0 -j DNAT --to-destination 10.0.31.7:8181`,
    commands: ['iptables-save -t nat'],
    cause: 'metadata-redirect-on-wrong-interface',
    expect: 'unknown',
  },
  {
    what: 'docker-bridge',
    broken: 'the range of the docker bridge is up',
    before:
      'ip link add docker0 type bridge; ip addr add 172.17.0.1/16 dev docker0; ip link set docker0 up',
    commands: ['ip route', 'ip -brief addr'],
    cause: 'overlapping-network-ranges',
    expect: 'unknown',
  },
  {
    what: 'api-name-unresolvable',
    broken: 'the name of the API server does not resolve',
    commands: [`curl -sS -m 5 https://${API}/healthz`],
    system: ['curl'],
    cause: 'api-name-unresolvable',
    expect: 'found',
  },
  {
    what: 'api-refused',
    broken: 'nothing listens at the address of the API server',
    before: `echo '10.0.31.7 ${API}' >> /etc/hosts`,
    commands: [`curl -sS -m 5 https://${API}/healthz`],
    system: ['curl'],
    cause: 'control-plane-down',
    expect: 'unknown',
  },
  {
    what: 'api-silent',
    broken: 'packets to the API server are dropped',
    before: `echo '10.0.31.7 ${API}' >> /etc/hosts; iptables -A INPUT -p tcp --dport 443 -j DROP`,
    commands: [`curl -sS -m 5 https://${API}/healthz`],
    system: ['curl'],
    cause: 'api-port-blocked',
    expect: 'unknown',
  },
  {
    what: 'api-certificate',
    broken: 'somebody between answers for the API server',
    before: `echo '10.0.31.7 ${API}' >> /etc/hosts; cd /run; openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout k.pem -out c.pem -days 2 -subj /CN=proxy.corp.example 2>/dev/null; timeout 60 openssl s_server -accept 443 -key k.pem -cert c.pem -quiet </dev/null >/dev/null 2>&1 & sleep 0.5`,
    commands: [`curl -sS -m 5 https://${API}/healthz`],
    system: ['curl', 'openssl'],
    cause: 'untrusted-api-certificate',
    expect: 'unknown',
  },
  {
    what: 'nodeadm-not-executable',
    broken: 'nodeadm lost its permission to run',
    before:
      'mkdir -p /opt/usr/bin; mount -t tmpfs tmpfs /usr/local/bin; echo x > /usr/local/bin/nodeadm; chmod 644 /usr/local/bin/nodeadm',
    commands: ['ls -l /usr/local/bin/nodeadm'],
    cause: 'nodeadm-units-not-runnable',
    expect: 'unknown',
  },
  {
    what: 'clock-ahead',
    broken: 'the clock is 21 min off what the time server says',
    before: CHRONY('-21m'),
    commands: ['chronyc tracking'],
    system: ['chronyd', 'faketime'],
    cause: 'wrong-node-clock',
    expect: 'unknown',
  },
  {
    what: 'clock-alone',
    broken: 'no time server answers',
    before: CHRONY(''),
    commands: ['chronyc tracking', 'chronyc sources'],
    system: ['chronyd'],
    cause: 'wrong-node-clock',
    expect: 'unknown',
  },
  {
    what: 'no-forwarding',
    broken: 'the kernel forwards no packets',
    before: 'echo 0 > /proc/sys/net/ipv4/ip_forward',
    commands: ['sysctl net.ipv4.ip_forward'],
    cause: 'firewall-drops-pod-traffic',
    expect: 'unknown',
  },
  {
    what: 'certificate-expired',
    broken: 'the client certificate of the kubelet has run out',
    before:
      'mkdir -p /var/lib/kubelet/pki; openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout /dev/null -out /var/lib/kubelet/pki/kubelet-client-current.pem -days -1 -subj /O=system:nodes/CN=system:node:ip-10-0-31-7.eu-west-1.compute.internal 2>/dev/null',
    commands: [
      'openssl x509 -noout -subject -dates -in /var/lib/kubelet/pki/kubelet-client-current.pem',
    ],
    system: ['openssl'],
    cause: 'expired-kubelet-client-certificate',
    expect: 'unknown',
  },
];

export const HOST_TOOLS: readonly Scenario[] = LOOKS.map(
  ({ what, broken, before = 'true', commands, system = [], ...truth }) => ({
    ...truth,
    id: `host/${what}`,
    source: `Debian 12 in which ${broken}; ${commands.map((words) => words.split(' ')[0]).join(', ')}`,
    needs: [],
    system: ['unshare', 'iptables', ...system],
    run: async (stage) => {
      const machine = await stage.machine();
      const script = commands.map((words) => `echo '$ ${words}'; ${words} 2>&1`).join('; ');
      const { text } = await machine.shell(`${before}\n${script}`);
      return [{ name: 'shell.txt', text: text.slice(text.indexOf('$ ')) }];
    },
  }),
);
