import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../src/apps/cli/run.ts';

const EXAMPLES = join(import.meta.dirname, '../examples');

/** Diagnoses the shipped stories one after another, as `npm start` shows them. */
async function main(): Promise<void> {
  const stories = readdirSync(EXAMPLES, { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  process.chdir(join(EXAMPLES, '..'));
  for (const { name } of stories) {
    process.stdout.write(`\n$ rollcall diagnose examples/${name}\n\n`);
    await run(['diagnose', `examples/${name}`]);
  }
  process.stdout.write(
    '\nYour own evidence: bin/rollcall diagnose PATH…   More: bin/rollcall help\n',
  );
}

await main();
