import type { JsonObject } from '../evidence/json.ts';

export const AWS_SERVICES = [
  'ec2',
  'autoscaling',
  'eks',
  'iam',
  'sts',
  'cloudformation',
  'kms',
  'route53',
  'ecr',
  'cloudtrail',
  'ssm',
  'logs',
] as const;

/** The one document of Systems Manager that is run to read; its commands only print. */
export const READING_DOCUMENT = 'Rollcall-ReadLogs';
/** The one that is run as a write: it restarts the kubelet. */
export const RESTART_DOCUMENT = 'Rollcall-RestartKubelet';

/** Services by the names which IAM gives them in actions. */
export type AwsService = (typeof AWS_SERVICES)[number];

/** One API call; its IAM action is `service:operation` where IAM does not call it otherwise. */
export interface AwsCall {
  readonly service: AwsService;
  /** As in the API reference: `DescribeInstances`. */
  readonly operation: string;
  readonly input: JsonObject;
}

/**
 * AWS as one identity sees it in one region, read only: the one command that is sent to machines
 * is the document above. Throws `PortError`; `denied` names the
 * IAM action as its permission. Throttled calls are retried inside, within one budget a service.
 */
export interface AwsApi {
  /** null when no region is configured. */
  readonly region: string | null;
  /** `aws`, `aws-cn`, `aws-us-gov`, by the region. */
  readonly partition: string;
  /**
   * Answers page by page, each of the shape which `aws … --output json` prints: dates as ISO
   * text, no metadata. A call without pages gives one.
   */
  pages(call: AwsCall, signal?: AbortSignal): AsyncIterable<JsonObject>;
  /** How many HTTP requests were sent so far, by `service:Operation`, retries included. */
  requests(): ReadonlyMap<string, number>;
}
