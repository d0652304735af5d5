/** What exists in an account. Records are immutable; the histories and maps around them change. */
import type { JsonObject } from '../../evidence/json.ts';
import type { TrueInstance } from './contract.ts';

export type Tags = Readonly<Record<string, string>>;

export interface Zone {
  /** `us-west-2a`. */
  readonly name: string;
  /** `usw2-az1`. */
  readonly id: string;
}

export interface Subnet {
  readonly subnetId: string;
  readonly vpcId: string;
  readonly zone: Zone;
  readonly cidr: string;
  readonly mapPublicIp: boolean;
  readonly hostnameType: HostnameType;
}

export type HostnameType = 'ip-name' | 'resource-name';

export interface NetworkInterface {
  readonly networkInterfaceId: string;
  readonly subnetId: string;
  readonly description: string;
  /** The primary one first. */
  readonly addresses: readonly string[];
  readonly prefixes: readonly string[];
  readonly groupIds: readonly string[];
  readonly status: 'available' | 'attaching' | 'in-use' | 'detaching';
  readonly attachment: Attachment | null;
  readonly macAddress: string;
  readonly publicIp: string | null;
  readonly sourceDestCheck: boolean;
  readonly interfaceType: 'interface' | 'trunk' | 'branch' | 'nat_gateway';
}

export interface Attachment {
  readonly attachmentId: string;
  readonly instanceId: string;
  readonly deviceIndex: number;
  readonly attachedMs: number;
  readonly deleteOnTermination: boolean;
}

export type InstanceState = TrueInstance['state'];

export interface MetadataOptions {
  readonly httpTokens: 'required' | 'optional';
  readonly httpPutResponseHopLimit: number;
  readonly httpEndpoint: 'enabled' | 'disabled';
  readonly instanceMetadataTags: 'enabled' | 'disabled';
}

/** Why an instance is going or gone. */
export interface StateReason {
  readonly Code: string;
  readonly Message: string;
}

export interface Instance {
  readonly instanceId: string;
  readonly reservationId: string;
  readonly instanceType: string;
  readonly imageId: string;
  readonly subnetId: string;
  readonly keyName: string | null;
  readonly state: InstanceState;
  readonly stateReason: StateReason | null;
  /** `User initiated (2026-11-22 08:00:00 GMT)`; empty while nothing ended it. */
  readonly transition: string;
  readonly launchedMs: number;
  /** When it began to run last, null before. */
  readonly runningMs: number | null;
  readonly profileArn: string | null;
  /** Decoded. */
  readonly userData: string;
  readonly spotRequestId: string | null;
  readonly hostnameType: HostnameType;
  readonly metadataOptions: MetadataOptions;
  readonly groupIds: readonly string[];
  readonly launchTemplate: JsonObject | null;
  readonly clientToken: string;
  /** From when on the two status checks pass, ms; Infinity where they fail. */
  readonly checkedMs: number;
  readonly rootVolumeId: string;
}

export interface SpotRequest {
  readonly spotRequestId: string;
  readonly instanceId: string | null;
  readonly instanceType: string;
  readonly imageId: string;
  readonly subnetId: string;
  readonly createdMs: number;
  readonly state: 'open' | 'active' | 'closed' | 'cancelled' | 'failed';
  /** `fulfilled`, `instance-terminated-no-capacity`, … */
  readonly statusCode: string;
  readonly statusMessage: string;
  readonly changedMs: number;
}

export interface AutoScalingGroup {
  readonly name: string;
  readonly arn: string;
  readonly minSize: number;
  readonly maxSize: number;
  readonly desiredCapacity: number;
  readonly subnetIds: readonly string[];
  readonly launchTemplateId: string;
  /** A number, `$Latest` or `$Default`. */
  readonly launchTemplateVersion: string;
  /** Instance types of a mixed group, tried in this order; empty for that of the template. */
  readonly instanceTypes: readonly string[];
  readonly isSpot: boolean;
  readonly createdMs: number;
  readonly members: readonly Member[];
  readonly suspended: readonly string[];
  readonly tags: Tags;
  readonly hooks: readonly JsonObject[];
}

export interface Member {
  readonly instanceId: string;
  readonly lifecycleState: 'Pending' | 'InService' | 'Terminating' | 'Terminated';
  readonly healthStatus: 'Healthy' | 'Unhealthy';
  readonly isProtected: boolean;
}

/** Policies of a role or user. */
export interface Grants {
  /** ARNs. */
  readonly attached: readonly string[];
  /** Documents by name. */
  readonly inline: Readonly<Record<string, JsonObject>>;
}

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

/** Keys with what belongs to them. */
export interface Keys extends Credentials {
  /** `…:user/…`, or `…:assumed-role/ROLE/SESSION`. */
  readonly arn: string;
  /** `AIDA…`, or `AROA…:SESSION`. */
  readonly userId: string;
  /** The name of the user or role, whose policies judge. */
  readonly principal: string;
  /** Infinity for keys of a user. */
  readonly expiresMs: number;
}

/** Who signs tokens, as AWS finds it at the address of the issuer. */
export interface Issuer {
  /** Whether it has signed this token. */
  readonly hasSigned: (token: string) => boolean;
  /** Until when it does not answer, ms. */
  readonly silentUntilMs: number;
}

export interface Bucket {
  readonly size: number;
  readonly perSecond: number;
}

/** What is left of a bucket at a moment. */
export interface Level {
  readonly tokens: number;
  readonly atMs: number;
}

/**
 * `unavailable` answers 503; `silent` nothing at all; `no-credentials` knows of no role, as in the
 * first seconds of some machines.
 */
export interface MetadataFault {
  readonly kind: 'unavailable' | 'silent' | 'no-credentials';
  readonly untilMs: number;
}
