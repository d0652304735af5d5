import { LAB } from '../cli/declared/lab.ts';
import { parseCommandLine } from '../cli/options/parse.ts';
import { quoted } from '../cli/options/quoted.ts';
import { UsageError } from '../cli/context.ts';
import { nearest } from '../../evidence/nearest.ts';

export interface LabArguments {
  /** A story's name, or a file; null for the usual one. */
  readonly story: string | null;
  readonly isList: boolean;
  /** Seconds of the world for each second here. */
  readonly speed: number;
  /** Machines of the first group; null as the story says. */
  readonly nodes: number | null;
  readonly seed: number | null;
  /** 0 for any that is free. */
  readonly port: number;
  readonly awsPort: number;
  /** Where the kubeconfig is written; null for a new folder. */
  readonly folder: string | null;
  /** True to play the story to its end at once, without servers. */
  readonly isFast: boolean;
}

/** Throws `UsageError`. */
export function readLabArguments(args: readonly string[]): LabArguments {
  const { values, words } = parseCommandLine(LAB, args);
  const { list, speed, nodes, seed, port, folder, fast } = values;
  return {
    story: words[0] ?? null,
    isList: list,
    speed,
    nodes,
    seed,
    port,
    awsPort: values['aws-port'],
    folder,
    isFast: fast,
  };
}

/** What to say to a story that there is not. */
export function unknownStory(name: string, known: readonly string[]): UsageError {
  const close = nearest(name, known);
  const hint = close === null ? '; list them' : `; did you mean ${close}? List them`;
  return new UsageError(`no such story or file: ${quoted(name)}${hint}: rollcall lab --list`);
}
