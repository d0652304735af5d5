/** `npm run new-cause STAGE ID`: writes the folder of a cause, ready to be filled and tested. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isStage, STAGES } from '../src/evidence/stage.ts';

const CAUSES = join(import.meta.dirname, '../src/causes');

function causeText(stage: string, id: string): string {
  return `import { defineCause, step } from '../../../diagnosis/cause.ts';
import { sentence } from '../../../diagnosis/sentence.ts';
import { definite } from '../../../diagnosis/sign.ts';

/** What is wrong, in one sentence. */
export default defineCause({
  id: '${id}',
  stage: '${stage}',
  title: '${id.replaceAll('-', ' ')}',
  scope: 'machine',
  signs: {
    refused: definite(['kubelet'], /words that every match contains: (?<object>\\S+)/),
  },
  needs: [],
  symptoms: [],
  summary: ({ machine, object }) => sentence\`\${machine ?? 'The machine'} cannot … \${object}.\`,
  remedy: () => [step('Do this.', 'true')],
  decide: step('Read this.', 'true'),
  page: { why: '', prevent: '', notThis: '', refs: [] },
});
`;
}

const EXAMPLES: readonly (readonly [name: string, meaning: string])[] = [
  ['found-first.txt', 'what real programs print, in which this cause is the one root'],
  [
    'clear-look-alike.txt',
    'looks alike and is not, or failed and then succeeded; where it is another cause, a second line `instead: ID`',
  ],
  ['unknown-not-collected.txt', 'the symptom without the line that decides'],
];

function exampleText(meaning: string): string {
  return `source: where this was seen, and how it is re-enacted (${meaning})\n-- kubelet.log --\n`;
}

function main(argv: readonly string[]): number {
  const [stage = '', id = ''] = argv;
  if (!isStage(stage) || !/^[a-z0-9]+(?:-[a-z0-9]+)+$/.test(id)) {
    console.error(`usage: npm run new-cause STAGE some-kebab-id   (stages: ${STAGES.join(', ')})`);
    return 64;
  }
  const folder = join(CAUSES, stage, id);
  if (existsSync(folder)) {
    console.error(`${folder} exists already`);
    return 64;
  }
  mkdirSync(join(folder, 'examples'), { recursive: true });
  writeFileSync(join(folder, 'cause.ts'), causeText(stage, id));
  for (const [name, meaning] of EXAMPLES)
    writeFileSync(join(folder, 'examples', name), exampleText(meaning));
  console.log(`src/causes/${stage}/${id}: fill cause.ts and its examples, then`);
  console.log(`npm run generate && ROLLCALL_CAUSES=${id} npm test -- test/causes`);
  return 0;
}

process.exitCode = main(process.argv.slice(2));
