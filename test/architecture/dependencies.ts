/** A package that users install is one that the product imports, and the other way round. */
import { importsOf } from './imports.ts';
import {
  at,
  type Check,
  isTest,
  productFiles,
  type SourceFile,
  type Violation,
} from './sources.ts';

export const dependencies: Check = {
  title: 'the packages that users install are the ones that the product imports',
  run: (files) => {
    const product = productFiles(files).filter(({ path }) => !isTest(path));
    const listed = listedIn(files);
    const used = product.flatMap((file) =>
      importsOf(file).flatMap(({ specifier, line }) => {
        const name = packageOf(specifier);
        return name === null ? [] : [{ name, file, line }];
      }),
    );
    return [
      ...used.filter(({ name }) => !listed.includes(name)).map(unlisted),
      ...listed.filter((name) => !used.some((one) => one.name === name)).map(unused),
    ];
  },
};

function listedIn(files: readonly SourceFile[]): readonly string[] {
  const manifest = files.find(({ path }) => path === 'package.json');
  const { dependencies: listed = {} } = JSON.parse(manifest?.text ?? '{}');
  return Object.keys(listed);
}

/** The package behind `name/file` or `@scope/name/file`. */
function packageOf(specifier: string | null): string | null {
  if (specifier === null || /^(?:\.|node:)/.test(specifier)) return null;
  const names = specifier.split('/');
  return names.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
}

function unlisted(use: {
  readonly name: string;
  readonly file: SourceFile;
  readonly line: number;
}): Violation {
  const what = `imports ${use.name}, which users do not get; list it in dependencies or do without`;
  return at(use.file, use.line, what);
}

function unused(name: string): Violation {
  const what = `gives users ${name}, which nothing imports; move it to devDependencies or remove it`;
  return { where: 'package.json', what };
}
