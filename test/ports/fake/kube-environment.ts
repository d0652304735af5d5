/** An environment of files and programs that the test writes. */
import type {
  KubeCommand,
  KubeCommandResult,
  KubeEnvironment,
} from '../../../src/adapters/kubernetes/environment.ts';

export interface FakeEnvironment extends KubeEnvironment {
  readonly files: Map<string, string>;
  readonly commands: KubeCommand[];
}

type Run = (command: KubeCommand, round: number) => Partial<KubeCommandResult> | Error;

export function fakeEnvironment(run: Run = () => systemError('ENOENT')): FakeEnvironment {
  const files = new Map<string, string>();
  const commands: KubeCommand[] = [];
  return {
    env: {},
    home: '/home/ubuntu',
    files,
    commands,
    readFile: async (path) => {
      const text = files.get(path);
      if (text === undefined) throw systemError('ENOENT');
      return new TextEncoder().encode(text);
    },
    run: async (command) => {
      commands.push(command);
      const result = run(command, commands.length);
      if (result instanceof Error) throw result;
      const whole = { exitCode: 0, stdout: '', stderr: '', isTimedOut: false, isCut: false };
      return { ...whole, ...result };
    },
  };
}

export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: said the system`), { code });
}
