import { BoundedLines } from './journal.ts';

/** The files of a machine that anybody may want to read: written ones and logs. */
export class MachineFiles {
  readonly #texts = new Map<string, string>();
  readonly #logs = new Map<string, BoundedLines<string>>();
  /** Grows with every file that is written or removed; lines of logs do not count. */
  revision = 0;

  write(path: string, text: string): void {
    this.revision += 1;
    this.#texts.set(path, text);
  }

  append(path: string, line: string): void {
    const log = this.#logs.get(path) ?? new BoundedLines<string>();
    this.#logs.set(path, log);
    log.push(line);
  }

  remove(path: string): void {
    this.revision += 1;
    this.#texts.delete(path);
    this.#logs.delete(path);
  }

  /** Removes every file below a folder. */
  removeBelow(folder: string): void {
    for (const path of [...this.#texts.keys(), ...this.#logs.keys()])
      if (path.startsWith(`${folder}/`)) this.remove(path);
  }

  has(path: string): boolean {
    return this.#texts.has(path) || this.#logs.has(path);
  }

  read(path: string): string | null {
    const log = this.#logs.get(path);
    if (log !== undefined)
      return log
        .all()
        .map((line) => `${line}\n`)
        .join('');
    return this.#texts.get(path) ?? null;
  }

  paths(): readonly string[] {
    return [...this.#texts.keys(), ...this.#logs.keys()];
  }

  all(): ReadonlyMap<string, string> {
    return new Map(this.paths().map((path) => [path, this.read(path) ?? '']));
  }
}
