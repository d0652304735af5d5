import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { diagnoseTexts } from './pile.ts';

const folder = process.argv[3] ?? '.';
const names = await readdir(folder);
const texts = await Promise.all(names.map(async (name) => ({ name, text: await readFile(join(folder, name), 'utf8') })));
const document = await diagnoseTexts(texts);
process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
process.exitCode = document.subjects.some((s) => s.verdict === 'not-usable') ? 1 : document.subjects.length > 0 && document.subjects.every((s) => s.verdict === 'usable') ? 0 : 2;
