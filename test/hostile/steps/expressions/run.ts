import type { Program, Step } from './program.ts';

/** Steps so far. */
export interface Tally {
  steps: number;
}

/** More steps than this are too many whatever the input. */
export const STEPS_MAX = 2_000_000;

/** A number to put back, or a place to go on from: `step`, `at`, and how often it may give way. */
interface Stack {
  numbers: Int32Array;
  size: number;
}

/** What the stack has of a choice: the step, where in the text, and how far it may give way. */
interface Choice {
  readonly index: number;
  readonly at: number;
  readonly least: number;
  readonly by: number;
}

const ENTRY = 4;
const DONE: Step = { kind: 'done' };
const UNDO = -1;

function push(stack: Stack, step: number, at: number, least: number, by: number): void {
  if (stack.size + ENTRY > stack.numbers.length) {
    const larger = new Int32Array(stack.numbers.length * 2);
    larger.set(stack.numbers);
    stack.numbers = larger;
  }
  const { numbers, size } = stack;
  numbers[size] = step;
  numbers[size + 1] = at;
  numbers[size + 2] = least;
  numbers[size + 3] = by;
  stack.size += ENTRY;
}

function isWord(code: number): boolean {
  return (
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    code === 95 ||
    (code >= 97 && code <= 122)
  );
}

function isLineEnd(code: number): boolean {
  return code === 10 || code === 13 || code === 0x2028 || code === 0x2029;
}

function holds(edge: string, text: string, at: number, multiline: boolean): boolean {
  if (edge === '^') return at === 0 || (multiline && isLineEnd(text.charCodeAt(at - 1)));
  if (edge === '$') return at === text.length || (multiline && isLineEnd(text.charCodeAt(at)));
  const isEdge =
    (at > 0 && isWord(text.charCodeAt(at - 1))) !==
    (at < text.length && isWord(text.charCodeAt(at)));
  return isEdge === (edge === 'b');
}

/** Runs a backtracking program at one place of a text and counts its steps, as V8 would take them. */
export class Run {
  readonly #program: Program;
  readonly #text: string;
  readonly #tally: Tally;
  readonly #slots: Int32Array;

  constructor(program: Program, text: string, tally: Tally) {
    this.#program = program;
    this.#text = text;
    this.#tally = tally;
    this.#slots = new Int32Array(program.slots);
  }

  /** @returns where the match that begins at `from` ends, -1 when there is none */
  at(from: number): number {
    this.#slots.fill(-1);
    return this.#run(this.#program.steps, from);
  }

  #run(steps: readonly Step[], from: number): number {
    const stack: Stack = { numbers: new Int32Array(64), size: 0 };
    let next = 0;
    let at = from;
    for (;;) {
      if (++this.#tally.steps > STEPS_MAX) return -1;
      const step = steps[next] ?? DONE;
      if (step.kind === 'done') return at;
      const to = this.#take(step, next, at, stack);
      if (to >= 0) {
        at = to;
        next = this.#next;
      } else {
        if (!this.#giveWay(steps, stack)) return -1;
        at = this.#at;
        next = this.#next;
      }
    }
  }

  /** Where to go on after a step was taken, or after the last choice was taken back. */
  #next = 0;
  #at = 0;

  /** @returns the place in the text after it, -1 when it does not match */
  #take(step: Step, index: number, at: number, stack: Stack): number {
    this.#next = index + 1;
    switch (step.kind) {
      case 'one':
        return this.#one(step, at);
      case 'many':
        return this.#many(step, index, at, stack);
      case 'fork':
        for (let rank = step.to.length - 1; rank > 0; rank--)
          push(stack, step.to[rank] ?? 0, at, at, 0);
        this.#next = step.to[0] ?? 0;
        return at;
      case 'go':
        this.#next = step.to;
        return at;
      case 'begin':
        this.#keep(step.slot, 0, stack);
        this.#keep(step.slot + 1, -1, stack);
        return at;
      case 'again':
        return this.#again(step, index, at, stack);
      case 'mark':
        this.#keep(step.slot, at, stack);
        return at;
      case 'look': {
        const [next] = [this.#next];
        const found = this.#run(step.steps, at) >= 0;
        this.#next = next;
        return found === step.wanted ? at : -1;
      }
      case 'edge':
        return holds(step.edge, this.#text, at, this.#program.multiline) ? at : -1;
      case 'same':
        return this.#same(step, at);
      default:
        return at;
    }
  }

  #keep(slot: number, value: number, stack: Stack): void {
    push(stack, UNDO, slot, this.#slots[slot] ?? 0, 0);
    this.#slots[slot] = value;
  }

  #one({ has, back }: Step & { kind: 'one' }, at: number): number {
    const place = back ? at - 1 : at;
    if (place < 0 || place >= this.#text.length || !has(this.#text.charCodeAt(place))) return -1;
    return back ? at - 1 : at + 1;
  }

  #many(step: Step & { kind: 'many' }, index: number, at: number, stack: Stack): number {
    const { has, back, min, max, greedy } = step;
    const by = back ? -1 : 1;
    const limit = greedy ? max : min;
    let place = at;
    for (let count = 0; count < limit; count++) {
      const read = back ? place - 1 : place;
      if (read < 0 || read >= this.#text.length || !has(this.#text.charCodeAt(read))) {
        if (count < min) return -1;
        break;
      }
      this.#tally.steps++;
      place += by;
    }
    const least = at + by * min;
    if (greedy && place !== least) push(stack, index, place, least, -by);
    if (!greedy && max > min)
      push(stack, index, place, max === Number.POSITIVE_INFINITY ? by * 1e9 : at + by * max, by);
    return place;
  }

  #again(step: Step & { kind: 'again' }, index: number, at: number, stack: Stack): number {
    const { slot, to, min, max, greedy } = step;
    const count = this.#slots[slot] ?? 0;
    const body = index + 1;
    const isEmpty = count > min && this.#slots[slot + 1] === at;
    if (isEmpty) return -1;
    const mayGoOn = count < max;
    if (count >= min && !mayGoOn) {
      this.#next = to;
      return at;
    }
    if (count >= min && !greedy) {
      push(stack, index, at, count, 2);
      this.#next = to;
      return at;
    }
    if (count >= min) push(stack, to, at, at, 0);
    this.#keep(slot, count + 1, stack);
    this.#keep(slot + 1, at, stack);
    this.#next = body;
    return at;
  }

  #same({ name, back }: Step & { kind: 'same' }, at: number): number {
    const slot = this.#program.groups.get(name) ?? -1;
    const [from = -1, to = -1] = [this.#slots[slot], this.#slots[slot + 1]];
    if (from < 0 || to < 0) return at;
    const words = this.#text.slice(from, to);
    this.#tally.steps += words.length;
    const place = back ? at - words.length : at;
    if (!this.#text.startsWith(words, place)) return -1;
    return back ? place : at + words.length;
  }

  /** Takes back the last choice; false when there is none. */
  #giveWay(steps: readonly Step[], stack: Stack): boolean {
    while (stack.size > 0) {
      this.#tally.steps++;
      stack.size -= ENTRY;
      const { numbers, size } = stack;
      const [index = 0, at = 0, least = 0, by = 0] = numbers.subarray(size, size + ENTRY);
      if (index === UNDO) {
        this.#slots[at] = least;
        continue;
      }
      const step = steps[index] ?? DONE;
      if (this.#resume(step, { index, at, least, by }, stack)) return true;
    }
    return false;
  }

  #resume(step: Step, { index, at, least, by }: Choice, stack: Stack): boolean {
    this.#at = at;
    this.#next = index;
    if (by === 0) return true;
    if (step.kind === 'again') {
      this.#keep(step.slot, least + 1, stack);
      this.#keep(step.slot + 1, at, stack);
      this.#next = index + 1;
      return true;
    }
    if (step.kind !== 'many') return true;
    this.#next = index + 1;
    if (step.greedy) {
      this.#at = at + by;
      if (this.#at !== least) push(stack, index, this.#at, least, by);
      return true;
    }
    if (at === least) return false;
    const read = by < 0 ? at - 1 : at;
    if (read < 0 || read >= this.#text.length || !step.has(this.#text.charCodeAt(read)))
      return false;
    this.#at = at + by;
    push(stack, index, this.#at, least, by);
    return true;
  }
}
