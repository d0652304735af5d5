import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { followStartedPrograms } from './started-programs.ts';

/** What Node.js reports of a program that starts, without one. */
class Child extends EventEmitter {
  readonly let: string[] = [];
  readonly stdio: readonly ({ unref(): void } | null)[];

  constructor(...streams: readonly (string | null)[]) {
    super();
    this.stdio = streams.map((name) =>
      name === null ? null : { unref: () => this.let.push(name) },
    );
  }

  unref(): void {
    this.let.push('program');
  }
}

function start(child: Child): void {
  channel('child_process').publish({ process: child });
}

test('lets go of each program that still runs, and of its streams', () => {
  const letGo = followStartedPrograms();
  const [piped, other, ended] = [new Child('in', null, 'out'), new Child(), new Child('in')];
  for (const child of [piped, other, ended]) start(child);
  ended.emit('close');
  letGo();
  assert.deepEqual(
    [piped, other, ended].map((child) => child.let),
    [['program', 'in', 'out'], ['program'], []],
  );
});

test('holds nothing of programs that started before', () => {
  const early = new Child();
  start(early);
  followStartedPrograms()();
  assert.deepEqual(early.let, []);
});
