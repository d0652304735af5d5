/** The parser of aws-auth that aws-iam-authenticator has. */
import { spawnSync } from 'node:child_process';
import { partPath } from './parts.ts';

export const PARSER = 'aws-auth-parser';

/** A mapping as the authenticator's parser prints it. */
export interface Mapping {
  readonly arn: string;
  readonly username: string | null;
  readonly groups: readonly string[] | null;
}

export interface Parsed {
  readonly roles: readonly Mapping[];
  readonly error: string;
}

/** What the authenticator makes of texts of `mapRoles`. */
export function parsedByAuthenticator(texts: readonly string[]): readonly Parsed[] {
  const input = texts.map((mapRoles) => JSON.stringify({ mapRoles })).join('\n');
  const { stdout } = spawnSync(partPath(PARSER), { input, maxBuffer: 1 << 30 });
  const lines = stdout.toString().trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Parsed);
}
