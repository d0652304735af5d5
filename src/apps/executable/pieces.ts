/** The program of the single executable in pieces, which load one another when they are needed. */
import { Script } from 'node:vm';

/** Where the pieces are. */
export interface PieceStore {
  /** The CommonJS of a piece, as UTF-8. */
  source(name: string): Uint8Array;
  /** What V8 compiled of it before, or undefined. */
  compiled(name: string): Uint8Array | undefined;
}

type Place = readonly [from: number, length: number];

/** Where each piece is in the one file that has them all. */
export type PieceIndex = Readonly<
  Record<string, { readonly source: Place; readonly compiled?: Place }>
>;

interface Module {
  exports: object;
}

type Run = (exports: object, require: (id: string) => unknown, module: Module) => void;

/** Loads pieces of a store, each once. */
export class Pieces {
  readonly #store: PieceStore;
  readonly #builtIn: (id: string) => unknown;
  readonly #modules = new Map<string, Module>();
  readonly #scripts = new Map<string, Script>();

  /** @param builtIn gives a module of Node.js */
  constructor(store: PieceStore, builtIn: (id: string) => unknown) {
    this.#store = store;
    this.#builtIn = builtIn;
  }

  /** What a piece exports. @throws Error when there is no such piece */
  load(name: string): object {
    const known = this.#modules.get(name);
    if (known !== undefined) return known.exports;
    const loaded: Module = { exports: {} };
    this.#modules.set(name, loaded);
    const run = this.script(name).runInThisContext() as Run;
    run(loaded.exports, (id) => this.#required(id), loaded);
    return loaded.exports;
  }

  /** The scripts of the pieces that were loaded, by name. */
  scripts(): ReadonlyMap<string, Script> {
    return this.#scripts;
  }

  /** The script of a piece, with what was compiled of it. */
  script(name: string): Script {
    const source = Buffer.from(this.#store.source(name)).toString('utf8');
    const compiled = this.#store.compiled(name);
    const script = new Script(`(function (exports, require, module) {${source}\n})`, {
      filename: name,
      ...(compiled === undefined ? {} : { cachedData: compiled }),
    });
    this.#scripts.set(name, script);
    return script;
  }

  /** Pieces lie in one folder, whatever path one names another by. */
  #required(id: string): unknown {
    return id.startsWith('.') ? this.load(id.slice(id.lastIndexOf('/') + 1)) : this.#builtIn(id);
  }
}
