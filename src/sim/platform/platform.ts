import type { ApiUser } from '../kube/contract.ts';
import type { World } from '../world.ts';
import {
  type AuthenticationMode,
  type Authenticator,
  startAuthenticator,
} from './authenticator/authenticator.ts';
import { bootstrapUser } from './certificates/bootstrap-tokens.ts';
import { type CloudController, startCloudController } from './cloud-controller/cloud-controller.ts';
import type { CloudControllerVersion } from './cloud-controller/dialect.ts';
import { createKlog, type LoggedLine } from './cloud-controller/klog.ts';
import { startControllerManager } from './controller-manager.ts';
import { startNidhogg } from './gates/nidhogg.ts';
import { type NodeReadinessOptions, startNodeReadiness } from './gates/node-readiness.ts';
import type { NidhoggConfig } from './gates/nidhogg-rules.ts';
import { type KarpenterOptions, startKarpenter } from './karpenter/karpenter.ts';
import { type ActorOptions, componentUser, type Running } from './running/actor.ts';
import { startScheduler } from './scheduler/scheduler.ts';

export type Gate =
  | { readonly kind: 'nidhogg'; readonly config: NidhoggConfig }
  | (Omit<NodeReadinessOptions, keyof ActorOptions> & {
      readonly kind: 'node-readiness-controller';
    });

export interface PlatformOptions {
  readonly clusterName: string;
  readonly kind: 'kubeadm' | 'eks';
  /** Minor of Kubernetes; 34 when not given. */
  readonly minor?: number;
  /** `none` leaves it out, as clusters do whose kubelets have no external provider. */
  readonly cloudController?: CloudControllerVersion | 'none';
  readonly cloudControllerRoleArn?: string;
  /** Of EKS; `CONFIG_MAP` when not given. */
  readonly authenticationMode?: AuthenticationMode;
  /** False leaves certificate requests pending. */
  readonly approvesCertificates?: boolean;
  /** `--cluster-cidr`, where Nodes are given pod addresses by the control plane: `10.244.0.0/16`. */
  readonly podCidr?: string;
  readonly gate?: Gate | null;
  /** null leaves it out. */
  readonly karpenter?: Omit<KarpenterOptions, 'clusterName'> | null;
}

export const PROGRAMS = [
  'kube-scheduler',
  'kube-controller-manager',
  'cloud-controller-manager',
  'aws-iam-authenticator',
  'gate',
  'karpenter',
] as const;
export type Program = (typeof PROGRAMS)[number];

/** The control plane of a cluster and what watches over its nodes. */
export interface Platform extends Running {
  /** What the cloud controller printed, of all releases that ran here; empty without one. */
  cloudControllerLog(): readonly LoggedLine[];
  authenticatorLog(): readonly LoggedLine[];
  /** Tokens that the API server asks others about: those of EKS, and bootstrap tokens. */
  authenticate(token: string): ApiUser | null;
  /** A crash, or replicas set to zero. */
  stopProgram(program: Program): void;
  /** With cold caches; nothing when it runs, or is no part of this cluster. */
  startProgram(program: Program): void;
  isRunning(program: Program): boolean;
  setCloudController(version: CloudControllerVersion | 'none'): void;
}

type Started = ReadonlyMap<Program, () => Running>;

const MINOR = 34;

/** Starts every controller of the platform that the options ask for. */
export function startPlatform(world: World, options: PlatformOptions): Platform {
  const klog = createKlog(() => world.kernel.nowMs());
  let version = options.cloudController ?? '1.34';
  let authenticator: Authenticator | null = null;
  const authenticatorLines: LoggedLine[][] = [];
  const keepAuthenticator = (): Authenticator => {
    const mode = options.authenticationMode ?? 'CONFIG_MAP';
    authenticator = startAuthenticator(world, { clusterName: options.clusterName, mode });
    authenticatorLines.push(authenticator.log() as LoggedLine[]);
    return authenticator;
  };
  const programs: Started = new Map<Program, () => Running>([
    ...corePrograms(world, options),
    ['cloud-controller-manager', () => cloudController(world, options, version, klog)],
    ...(options.kind === 'eks' ? ([['aws-iam-authenticator', keepAuthenticator]] as const) : []),
  ]);
  const running = new Map<Program, Running>();
  const stopProgram = (program: Program): void => {
    running.get(program)?.stop();
    running.delete(program);
  };
  const startProgram = (program: Program): void => {
    const start = programs.get(program);
    if (start === undefined || running.has(program)) return;
    if (program === 'cloud-controller-manager' && version === 'none') return;
    running.set(program, start());
  };
  for (const program of PROGRAMS) startProgram(program);
  const admin = world.client(componentUser('system:apiserver'));
  return {
    stop: () => PROGRAMS.forEach(stopProgram),
    stopProgram,
    startProgram,
    isRunning: (program) => running.has(program),
    cloudControllerLog: () => klog.lines(),
    authenticatorLog: () => authenticatorLines.flat(),
    authenticate: (token) => {
      const isEks = running.has('aws-iam-authenticator');
      const user = isEks ? (authenticator?.authenticate(token) ?? null) : null;
      if (user !== null || !BOOTSTRAP_TOKEN.test(token)) return user;
      const secrets = admin.list('Secret', { namespace: 'kube-system' });
      return bootstrapUser(token, secrets, world.kernel.nowMs());
    },
    setCloudController: (next) => {
      version = next;
      stopProgram('cloud-controller-manager');
      startProgram('cloud-controller-manager');
    },
  };
}

const BOOTSTRAP_TOKEN = /^[a-z0-9]{6}\.[a-z0-9]{16}$/;

function cloudController(
  world: World,
  { clusterName, cloudControllerRoleArn }: PlatformOptions,
  version: CloudControllerVersion | 'none',
  klog: ReturnType<typeof createKlog>,
): CloudController | Running {
  if (version === 'none') return { stop: () => {} };
  const role = cloudControllerRoleArn === undefined ? {} : { roleArn: cloudControllerRoleArn };
  return startCloudController(world, { clusterName, version, klog, ...role });
}

function corePrograms(
  world: World,
  options: PlatformOptions,
): readonly (readonly [Program, () => Running])[] {
  const minor = options.minor ?? MINOR;
  const { gate, karpenter, clusterName } = options;
  const controllers = {
    minor,
    isApproving: options.approvesCertificates ?? true,
    approvesServing: options.kind === 'eks',
    ...(options.podCidr === undefined ? {} : { podCidr: options.podCidr }),
  };
  const programs: (readonly [Program, () => Running])[] = [
    ['kube-scheduler', () => startScheduler(world, { minor })],
    ['kube-controller-manager', () => startControllerManager(world, controllers)],
  ];
  if (gate?.kind === 'nidhogg')
    programs.push(['gate', () => startNidhogg(world, { config: gate.config })]);
  if (gate?.kind === 'node-readiness-controller')
    programs.push(['gate', () => startNodeReadiness(world, gate)]);
  if (karpenter !== undefined && karpenter !== null)
    programs.push(['karpenter', () => startKarpenter(world, { clusterName, ...karpenter })]);
  return programs;
}
