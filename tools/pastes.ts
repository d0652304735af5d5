/**
 * `node tools/pastes.ts [PART/PARTS]`: pastes the evidence of test/metamorphic in every way, asks
 * Rollcall about it, and records which answers differ from those to the clean text. With a part, it
 * prints the part's record instead, for several processes; `--join FILE…` records such parts.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import {
  changedBy,
  headlineOf,
  PASTE_LOSSES_PATH,
  type PasteLosses,
  pastedPiles,
  readPasteLosses,
} from '../test/metamorphic/pastes.ts';
import { PASTE_KINDS } from '../test/metamorphic/paste-kinds.ts';

async function measure(part: number, parts: number): Promise<PasteLosses> {
  const kinds = PASTE_KINDS.map((kind) => ({
    kind,
    silent: [] as string[],
    named: {} as Record<string, string>,
  }));
  const piles = pastedPiles().filter((_, index) => index % parts === part);
  for (const pile of piles) {
    const clean = await headlineOf(pile.files);
    for (const { kind, silent, named } of kinds) {
      const said = await changedBy(kind, pile, clean);
      if (said === null) silent.push(pile.name);
      else if (said !== undefined) named[pile.name] = said;
    }
  }
  return {
    piles: piles.length,
    pilesBefore: 0,
    kinds: kinds.map(({ kind, silent, named }) => ({
      kind: kind.name,
      before: null,
      silent,
      named,
    })),
  };
}

function joined(parts: readonly PasteLosses[]): PasteLosses {
  const last = readPasteLosses();
  const before = new Map(last.kinds.map((one) => [one.kind, one.before]));
  return {
    piles: parts.reduce((sum, { piles }) => sum + piles, 0),
    pilesBefore: last.pilesBefore,
    kinds: PASTE_KINDS.map(({ name }) => {
      const own = parts.flatMap(({ kinds }) => kinds.filter(({ kind }) => kind === name));
      return {
        kind: name,
        before: before.get(name) ?? null,
        silent: own.flatMap(({ silent }) => silent).toSorted(),
        named: Object.fromEntries(
          own
            .flatMap(({ named }) => Object.entries(named))
            .toSorted(([one], [other]) => one.localeCompare(other)),
        ),
      };
    }),
  };
}

function record(losses: PasteLosses): void {
  writeFileSync(PASTE_LOSSES_PATH, `${JSON.stringify(losses, null, 2)}\n`);
}

const [first = '0/1', ...files] = process.argv.slice(2);
if (first === '--join') {
  record(joined(files.map((file) => JSON.parse(readFileSync(file, 'utf8')) as PasteLosses)));
} else {
  const [part = 0, parts = 1] = first.split('/').map(Number);
  const measured = await measure(part, parts);
  if (parts === 1) record(joined([measured]));
  else process.stdout.write(`${JSON.stringify(measured)}\n`);
}
