/** One folder per cause, named by its stage and id, with examples of all three verdicts. */
import { STAGES } from '../../src/evidence/stage.ts';
import { at, type Check, codeTokens, type SourceFile, type Violation } from './sources.ts';

export const causeFolders: Check = {
  title: 'a cause is one folder: src/causes/<stage>/<id>/{cause.ts,examples/,plans/}',
  run: (files) => {
    const folders = Map.groupBy(files.filter(isInFolder), ({ path }) => folderOf(path));
    const all = [...folders].flatMap(([folder, contents]) => folderViolations(folder, contents));
    return [...all, ...twice([...folders.keys()])];
  },
};

const ROOM = 'src/causes/';

/** The catalogue itself lies directly in the room. */
function isInFolder({ path }: SourceFile): boolean {
  return path.startsWith(ROOM) && path.slice(ROOM.length).includes('/');
}

function folderOf(path: string): string {
  return path.slice(ROOM.length).split('/').slice(0, 2).join('/');
}

function folderViolations(folder: string, files: readonly SourceFile[]): readonly Violation[] {
  const [stage = '', id = ''] = folder.split('/');
  const where = `${ROOM}${folder}`;
  const stages: readonly string[] = STAGES;
  if (!stages.includes(stage))
    return [
      { where, what: `is under ${stage}, which is no stage; the stages are ${stages.join(', ')}` },
    ];
  const cause = files.find(({ path }) => path === `${where}/cause.ts`);
  return [
    ...(/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(id)
      ? []
      : [{ where, what: 'is not kebab-case; name the folder after what is found' }]),
    ...(cause === undefined
      ? [{ where, what: 'has no cause.ts; write it, or move its files away' }]
      : declares(cause, stage, id)),
    ...strangers(where, files),
    ...VERDICTS.flatMap((verdict) => lacksExample(where, files, verdict)),
  ];
}

const VERDICTS = ['found', 'clear', 'unknown'];
const EXAMPLE =
  /^(?:examples\/(?=.*\.txt$)|plans\/(?=.*\.(?:json|yaml)$))(?:found|clear|unknown)-[a-z0-9]+(?:-[a-z0-9]+)*\.(?:txt|json|yaml)$/;

function strangers(where: string, files: readonly SourceFile[]): readonly Violation[] {
  const what =
    'does not belong in the folder of a cause; keep cause.ts, examples/{found,clear,unknown}-….txt and plans/{found,clear,unknown}-….{json,yaml}';
  return files
    .filter(({ path }) => path !== `${where}/cause.ts`)
    .filter(({ path }) => !EXAMPLE.test(path.slice(where.length + 1)))
    .map(({ path }) => ({ where: path, what }));
}

function lacksExample(
  where: string,
  files: readonly SourceFile[],
  verdict: string,
): readonly Violation[] {
  const prefix = `${where}/examples/${verdict}-`;
  if (files.some(({ path }) => path.startsWith(prefix))) return [];
  return [{ where, what: `has no example ${verdict}-….txt; add evidence with that verdict` }];
}

function declares(cause: SourceFile, stage: string, id: string): readonly Violation[] {
  return [...declared(cause, 'id', id), ...declared(cause, 'stage', stage)];
}

/** The first value of a key, which is that of the cause, as `defineCause` comes first. */
function declared(cause: SourceFile, key: string, folder: string): readonly Violation[] {
  const tokens = codeTokens(cause);
  const start = tokens.findIndex(({ text }, index) => {
    return text === 'defineCause' && tokens[index + 1]?.text === '(';
  });
  const index = tokens.findIndex(({ kind, text }, place) => {
    return place > start && kind === 'name' && text === key && tokens[place + 1]?.text === ':';
  });
  const value = start < 0 || index < 0 ? undefined : tokens[index + 2];
  if (value?.kind === 'string' && value.text === folder) return [];
  const what = `its ${key} is ${value?.text ?? 'missing'}, its folder says ${folder}; make them equal`;
  return [at(cause, value?.line ?? 1, what)];
}

function twice(folders: readonly string[]): readonly Violation[] {
  const byId = Map.groupBy(folders, (folder) => folder.split('/')[1] ?? '');
  return [...byId]
    .filter(([, places]) => places.length > 1)
    .map(([id, places]) => {
      const what = `${id} also stands in ${places.slice(1).join(' and ')}; give each cause one stage`;
      return { where: `${ROOM}${places[0] ?? ''}`, what };
    });
}
