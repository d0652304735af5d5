import { createSeeded, type Seeded } from './seeded.ts';

/** What changes from line to line of one node. */
interface Said {
  readonly random: Seeded;
  /** `10:11:12` */
  readonly clock: string;
  readonly micros: string;
}

const HOST = 'ip-10-0-77-41.ec2.internal';
const BLOCK_LINES = 4096;

function two(value: number): string {
  return String(value).padStart(2, '0');
}

function journal({ clock }: Said, program: string): string {
  return `Nov 02 ${clock} ${HOST} ${program}: `;
}

function kubelet(said: Said, message: string): string {
  return `${journal(said, 'kubelet[4211]')}I1102 ${said.clock}.${said.micros}    4211 ${message}`;
}

/** Ordinary lines of a healthy node; two of the six hold an anchor. */
const LINES: readonly ((said: Said) => string)[] = [
  (said) => {
    const pod = said.random.hex(10);
    const uid = said.random.hex(32);
    return kubelet(
      said,
      `reconciler_common.go:250] "operationExecutor.VerifyControllerAttachedVolume started for volume \\"kube-api-access-${pod}\\" (UniqueName: \\"kubernetes.io/projected/${uid}\\") pod \\"app-${pod}\\" (UID: \\"${uid}\\")"`,
    );
  },
  (said) =>
    `${journal(said, 'containerd[3120]')}time="2026-11-02T${said.clock}.${said.micros}Z" level=info msg="StartContainer for \\"${said.random.hex(64)}\\" returns successfully"`,
  ({ random, clock, micros }) =>
    `{"level":"debug","ts":"2026-11-02T${clock}.${micros}Z","caller":"ipamd/ipamd.go:1315","msg":"IP pool stats: Total IPs/Prefixes = 29/0, AssignedIPs/CooldownIPs: ${random.below(250)}/0, c.maxIPsPerENI = 14"}`,
  (said) =>
    `${journal(said, 'systemd[1]')}run-containerd-runc-k8s.io-${said.random.hex(32)}.mount: Deactivated successfully.`,
  ({ clock, micros }) =>
    `I1102 ${clock}.${micros}       1 proxier.go:802] "SyncProxyRules complete" ipFamily="IPv4" elapsed="${micros}us"`,
  (said) =>
    kubelet(
      said,
      `kubelet.go:2453] "SyncLoop (PLEG): event for pod" pod="default/app-${said.random.hex(10)}" event={"ID":"${said.random.hex(32)}","Type":"ContainerStarted"}`,
    ),
];

/** Lines of a busy, healthy node without end, a third of them with an anchor. */
export function* busyNodeBlocks(seed: number): Generator<Buffer, never> {
  const random = createSeeded(seed);
  for (let first = 0; ; first += BLOCK_LINES) {
    let block = '';
    for (let rank = first; rank < first + BLOCK_LINES; rank++) {
      const clock = [Math.floor(rank / 3600) % 24, Math.floor(rank / 60) % 60, rank % 60];
      const micros = String(random.below(1e6)).padStart(6, '0');
      block += `${random.pick(LINES)({ random, clock: clock.map(two).join(':'), micros })}\n`;
    }
    yield Buffer.from(block);
  }
}
