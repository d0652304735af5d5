import { readFileSync, statSync } from 'node:fs';
import { readNidhogg } from '../../controllers/gate/policies/nidhogg.ts';
import type { PolicyReading } from '../../controllers/gate/policy.ts';
import { parseLinedYaml } from '../../readers/text/yaml-lines.ts';
import { UsageError } from '../cli/context.ts';

const BYTES_MAX = 1024 * 1024;

/** @throws UsageError */
function textOf(path: string): string {
  try {
    if (statSync(path).size > BYTES_MAX) throw new UsageError(`${path} is larger than 1 MiB`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? 'failed';
    throw new UsageError(code === 'ENOENT' ? `no such file: ${path}` : `${path}: ${code}`);
  }
}

/**
 * Reads a configuration file of nidhogg. One of which nothing can be followed ends the program
 * before it looks at a node.
 *
 * @throws UsageError
 */
export function nidhoggReading(path: string): PolicyReading {
  const parsed = parseLinedYaml(textOf(path));
  if (!parsed.ok) throw new UsageError(`${path}, line ${parsed.line}: ${parsed.why}`);
  const reading = readNidhogg(parsed);
  if (reading.policies.length > 0 || reading.refusals.length === 0) return reading;
  throw new UsageError(`${path}\n${reading.refusals.map(({ why }) => `  ${why}`).join('\n')}`);
}
