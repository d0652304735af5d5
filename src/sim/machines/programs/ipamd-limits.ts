import { INSTANCE_TYPE } from '../../../evidence/aws/instance.ts';
import { project } from '../../../evidence/project.ts';
import type { Json } from '../../../evidence/json.ts';
import { eniBudget, type EniBudget } from '../../../capacity/eni.ts';
import { knownType } from '../../../capacity/known-type.ts';
import { DEFAULT_MODE } from '../../../capacity/mode.ts';
import { isAtLeast } from '../../../domain/version.ts';
import type { Ec2Calls } from './ec2-calls.ts';
import type { IpamdLog } from './ipamd-log.ts';

export interface IpamdSettings {
  /** `v1.20.4` */
  readonly version: string;
  readonly isPrefix: boolean;
  /** WARM_ENI_TARGET */
  readonly warmEnis: number;
}

/** First release that asks EC2 about a type which its table lacks (tag history). */
const ASKS_SINCE = '1.6.0';
const MAIN = 'aws-k8s-agent/main.go:28';
const LIMITS = 'ipamd/ipamd.go:360';

/** What a release knows of a type, by its table or by asking EC2; a text says why it gives up. */
export function limitsOf(
  instanceType: string,
  { isPrefix, version }: IpamdSettings,
  calls: Ec2Calls,
  log: IpamdLog,
): EniBudget | string {
  const firstCni = knownType(instanceType, [])?.tables.firstCni ?? null;
  const isInTable = firstCni !== null && isAtLeast(version, firstCni) === true;
  if (!isInTable && isAtLeast(version, ASKS_SINCE) === false) return unknownType(instanceType, log);
  const answer = isInTable ? null : asked(instanceType, calls, log);
  if (typeof answer === 'string') return answer;
  const described = project(INSTANCE_TYPE, answer);
  const type = knownType(instanceType, described === undefined ? [] : [described]);
  if (type === null) return unknownType(instanceType, log);
  const addressing = isPrefix ? 'prefix' : 'secondary';
  return eniBudget(type, { ...DEFAULT_MODE, addressing, cniVersion: version });
}

function unknownType(instanceType: string, log: IpamdLog): string {
  for (const what of ['eni limit', 'eni IP limit'])
    log.line('error', LIMITS, `Failed to get ${what} due to unknown instance type ${instanceType}`);
  return `vpc ip resource(eni ip limit): unknown instance type: ${instanceType}`;
}

/** The item of DescribeInstanceTypes, or why there is none. */
function asked(instanceType: string, calls: Ec2Calls, log: IpamdLog): Json {
  log.line(
    'debug',
    LIMITS,
    'Instance type limits are missing from vpc_ip_limits.go hence making an EC2 call to fetch the limits',
  );
  const answer = calls.describeType(instanceType);
  if (answer.ok && answer.item !== undefined) return answer.item;
  const text = answer.ok
    ? 'no such instance type'
    : log.refusal('DescribeInstanceTypes', answer.refusal);
  const failed = `calling DescribeInstanceTypes for \`${instanceType}\`: ${text}`;
  log.line('error', LIMITS, `Failed ${failed}`);
  log.line(
    'error',
    MAIN,
    `Failed to get ENI limits from file:vpc_ip_limits or EC2 for ${instanceType}`,
  );
  return `failed ${failed}`;
}
