import type { JsonObject } from '../../evidence/json.ts';
import type { AwsCall } from '../../ports/aws-api.ts';

/** An identity of IAM that signs calls: `arn:aws:iam::…:role/…`, `…:user/…`. */
export interface AwsIdentity {
  readonly arn: string;
  readonly accessKeyId: string;
}

/** What AWS refuses with; `code` is the API's own (`UnauthorizedOperation`, `RequestLimitExceeded`). */
export interface AwsRefusal {
  readonly code: string;
  readonly message: string;
  /** HTTP status. */
  readonly status: number;
}

export type AwsAnswer =
  | { readonly ok: true; readonly output: JsonObject }
  | { readonly ok: false; readonly refusal: AwsRefusal };

/** What happened in EC2 that others react to. */
export type AwsEvent =
  | { readonly kind: 'instance-pending'; readonly instanceId: string }
  | { readonly kind: 'instance-running'; readonly instanceId: string }
  | { readonly kind: 'instance-stopping'; readonly instanceId: string }
  | { readonly kind: 'instance-stopped'; readonly instanceId: string }
  | { readonly kind: 'instance-rebooting'; readonly instanceId: string }
  | { readonly kind: 'instance-terminated'; readonly instanceId: string }
  | { readonly kind: 'spot-interruption-notice'; readonly instanceId: string };

/** An EC2 instance as it truly is, whatever the API shows of it at the moment. */
export interface TrueInstance {
  readonly instanceId: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly subnetId: string;
  readonly vpcId: string;
  readonly imageId: string;
  readonly privateIp: string;
  /** As EC2 shows it: `ip-10-0-1-5.ec2.internal` or under the DHCP domain. */
  readonly privateDnsName: string;
  readonly state: 'pending' | 'running' | 'stopping' | 'stopped' | 'shutting-down' | 'terminated';
  readonly launchedMs: number;
  /** ARN of the role of its instance profile; null without one. */
  readonly roleArn: string | null;
  /** Decoded; empty without. */
  readonly userData: string;
  readonly isSpot: boolean;
  readonly tags: Readonly<Record<string, string>>;
  /** Attached interfaces, the first one first, with their addresses, the primary one first. */
  readonly interfaces: readonly TrueInterface[];
  readonly metadataOptions: {
    readonly httpTokens: 'required' | 'optional';
    readonly httpPutResponseHopLimit: number;
  };
}

export interface TrueInterface {
  readonly networkInterfaceId: string;
  readonly subnetId: string;
  /** Its place at the instance; 0 is the interface that came with it. */
  readonly deviceIndex: number;
  readonly addresses: readonly string[];
  /** /28 prefixes. */
  readonly prefixes: readonly string[];
}

/**
 * AWS of one account and region: state with its own life, asked through the calls of its APIs. All
 * that happens by itself (an instance boots, a tag becomes visible) is an event of the kernel.
 */
export interface AwsCloud {
  readonly region: string;
  readonly accountId: string;
  /**
   * One page of one call, checked against the identity's policies, throttled, and answered from
   * what the API shows by now; shapes as `aws … --output json` prints them.
   */
  answer(identity: AwsIdentity, call: AwsCall): AwsAnswer;
  /** The identity behind an access key, null for a key that nobody has. */
  identityOf(accessKeyId: string): AwsIdentity | null;
  /**
   * Temporary credentials of a role, as STS and the instance metadata service give them, of an
   * identity `arn:aws:sts::…:assumed-role/ROLE/SESSION`.
   */
  credentialsOf(
    roleArn: string,
    sessionName?: string,
  ): {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken: string;
  };
  /** The secret of an access key, with which the doors check signatures; null for an unknown key. */
  secretOf(accessKeyId: string): string | null;
  instance(instanceId: string): TrueInstance | null;
  instances(): readonly TrueInstance[];
  onEvent(listener: (event: AwsEvent) => void): void;
  /** What the instance's serial console shows, written by the machine. */
  appendConsole(instanceId: string, text: string): void;
}

/**
 * Runs a script as root on a machine.
 *
 * @returns false where no agent is there to take it
 */
export type RunByAgent = (
  instanceId: string,
  script: string,
  done: (stdout: string) => void,
) => boolean;

/** A line that somebody wrote to a stream. */
export interface WrittenLine {
  readonly atMs: number;
  readonly text: string;
}
