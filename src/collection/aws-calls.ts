import type { Json, JsonObject } from '../evidence/json.ts';
import type { AwsService } from '../ports/aws-api.ts';

/** One planned call; `rollcall permissions` is made from these. */
export interface PlannedCall {
  readonly service: AwsService;
  readonly operation: string;
  readonly input: JsonObject;
  /** True where being refused says nothing: the feature may not be used here. */
  readonly isOptional?: boolean;
  /** Pages that are read at most; all when not given. */
  readonly pagesMax?: number;
}

export function filters(entries: Readonly<Record<string, readonly string[]>>): Json {
  return Object.entries(entries).map(([Name, Values]) => ({ Name, Values: [...Values] }));
}

/** The words of the command that shows the same: `aws ec2 describe-instances`. */
export function commandOf({ service, operation, input }: PlannedCall): string {
  const verb = dashed(operation.replace('OpenIDConnect', 'OpenIdConnect'));
  const flags = Object.entries(input).flatMap(([key, value]) =>
    typeof value === 'string' ? [` --${dashed(key)} ${value}`] : [],
  );
  return `aws ${service} ${verb}${flags.join('')}`;
}

function dashed(name: string): string {
  return name.replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();
}

/** A name for the file of one answer: `aws/ec2-DescribeInstances-1.json`. */
export function fileOf({ service, operation }: PlannedCall, index: number): string {
  return `aws/${service}-${operation}${index === 0 ? '' : `-${index}`}.json`;
}
