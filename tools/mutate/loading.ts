/** How a worker loads modules: mutants switched in, node:test stood in for, loaded again on demand. */
import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const STAND_IN = pathToFileURL(join(import.meta.dirname, 'node-test.ts')).href;

/** Modules that are loaded again for a mutant that acts while its module is loaded. */
export interface Edition {
  readonly number: number;
  readonly paths: ReadonlySet<string>;
}

export class Loading {
  readonly #root: string;
  readonly #sources: Readonly<Record<string, string>>;
  readonly #stripped = new Map<string, string>();
  /** Importers by what they import, from the root. */
  readonly importers = new Map<string, Set<string>>();
  edition: Edition | null = null;

  constructor(root: string, sources: Readonly<Record<string, string>>) {
    this.#root = root;
    this.#sources = sources;
  }

  /** From here on every import of the process goes through it. */
  start(): void {
    registerHooks({
      resolve: (specifier, context, nextResolve) => {
        if (specifier === 'node:test' && !isOwn(context.parentURL))
          return { url: STAND_IN, shortCircuit: true };
        const found = nextResolve(specifier, context);
        const path = this.#pathOf(found.url);
        if (path === null) return found;
        this.#remember(path, context.parentURL);
        return { ...found, url: this.#edited(found.url, path) };
      },
      load: (url, context, nextLoad) => {
        const path = this.#pathOf(url);
        if (path === null || !path.endsWith('.ts')) return nextLoad(url, context);
        return { format: 'module', source: this.#sourceOf(path), shortCircuit: true };
      },
    });
  }

  async import(path: string): Promise<void> {
    const url = pathToFileURL(join(this.#root, path)).href;
    await import(this.#edited(url, path));
  }

  /** @returns the file, and all that import it, directly or through others */
  dependents(path: string): ReadonlySet<string> {
    const found = new Set([path]);
    for (const one of found) this.importers.get(one)?.forEach((importer) => found.add(importer));
    return found;
  }

  #edited(url: string, path: string): string {
    const { edition } = this;
    return edition?.paths.has(path) === true ? `${url}?edition=${edition.number}` : url;
  }

  #remember(path: string, parent: string | undefined): void {
    const importer = parent === undefined ? null : this.#pathOf(parent);
    if (importer === null) return;
    const importers = this.importers.get(path) ?? new Set();
    this.importers.set(path, importers.add(importer));
  }

  /** From the root, without an edition; null for packages, built-ins and this tool. */
  #pathOf(url: string): string | null {
    if (!url.startsWith('file:') || isOwn(url)) return null;
    const path = relative(this.#root, fileURLToPath(url.replace(/\?.*$/, '')));
    return /^\.\.|(?:^|\/)node_modules\//.test(path) ? null : path;
  }

  #sourceOf(path: string): string {
    const known = this.#sources[path] ?? this.#stripped.get(path);
    if (known !== undefined) return known;
    const source = stripTypeScriptTypes(readFileSync(join(this.#root, path), 'utf8'));
    this.#stripped.set(path, source);
    return source;
  }
}

/** Modules of this tool are never mutated, and never loaded again. */
function isOwn(url: string | undefined): boolean {
  return url?.startsWith(pathToFileURL(import.meta.dirname).href) ?? false;
}
