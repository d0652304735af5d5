/** How long functions, files and paths may become. */
import { functionsOf } from './functions.ts';
import {
  at,
  type Check,
  isGenerated,
  isTypeScript,
  productFiles,
  type SourceFile,
  type Violation,
} from './sources.ts';

const FUNCTION_LINES_MAX = 70;
const FUNCTION_LINES_MEDIAN_MAX = 8;
const FILE_LINES_MAX = 400;
const PATH_DEPTH_MAX = 4;

/** Below this many functions a median says more about one file than about the style. */
const MEDIAN_NEEDS = 30;

export const functionSizes: Check = {
  title: `no function is over ${FUNCTION_LINES_MAX} lines, half are under ${FUNCTION_LINES_MEDIAN_MAX + 1}`,
  run: (files) => [
    ...written(files).flatMap(longFunctions),
    ...median(productFiles(files).filter((file) => !isGenerated(file))),
  ],
};

export const fileSizes: Check = {
  title: `no file is over ${FILE_LINES_MAX} lines`,
  run: (files) => written(files).flatMap(longFile),
};

/** What may be lost by a wrong decision is decided in files that are reviewed by themselves. */
const DECISIONS: Readonly<Record<string, number>> = { 'src/controllers/gate/decide.ts': 80 };

export const decisionSizes: Check = {
  title: 'what the gate decides is read in one look',
  run: (files) =>
    files.flatMap((file) => {
      const most = DECISIONS[file.path] ?? Infinity;
      const lines = file.text.split('\n').length - 1;
      return lines > most ? [at(file, 1, `has ${lines} lines; move all but the decision out`)] : [];
    }),
};

export const pathDepths: Check = {
  title: `no path is over ${PATH_DEPTH_MAX} names deep under src`,
  run: (files) => files.flatMap(deepPath),
};

function written(files: readonly SourceFile[]): readonly SourceFile[] {
  return files.filter((file) => isTypeScript(file) && !isGenerated(file));
}

function longFunctions(file: SourceFile): readonly Violation[] {
  return functionsOf(file)
    .filter(({ lines }) => lines > FUNCTION_LINES_MAX)
    .map(({ name, line, lines }) =>
      at(file, line, `${name} has ${lines} lines; move its leaves into functions of their own`),
    );
}

function median(files: readonly SourceFile[]): readonly Violation[] {
  const lines = files.flatMap((file) => functionsOf(file).map((one) => one.lines));
  const half = lines.toSorted((a, b) => a - b)[Math.floor(lines.length / 2)] ?? 0;
  if (lines.length < MEDIAN_NEEDS || half <= FUNCTION_LINES_MEDIAN_MAX) return [];
  const what = `half of the ${lines.length} functions have ${half} lines or more; split the longest`;
  return [{ where: 'src', what }];
}

function longFile(file: SourceFile): readonly Violation[] {
  const lines = file.text.split('\n').length - 1;
  if (lines <= FILE_LINES_MAX) return [];
  return [at(file, lines, `has ${lines} lines; give a part of it a file of its own`)];
}

const EXAMPLES = /^src\/causes\/[^/]+\/[^/]+\/(?:examples|plans)\//;

function deepPath(file: SourceFile): readonly Violation[] {
  if (!file.path.startsWith('src/') || EXAMPLES.test(file.path)) return [];
  const depth = file.path.split('/').length - 1;
  if (depth <= PATH_DEPTH_MAX) return [];
  return [at(file, 1, `is ${depth} names deep under src; flatten its folder`)];
}
