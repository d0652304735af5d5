import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { UsageError } from '../cli/context.ts';
import { nearest } from '../../evidence/nearest.ts';

const FLAGS = {
  list: { type: 'boolean', default: false },
  speed: { type: 'string' },
  nodes: { type: 'string' },
  seed: { type: 'string' },
  port: { type: 'string' },
  'aws-port': { type: 'string' },
  folder: { type: 'string' },
  fast: { type: 'boolean', default: false },
} satisfies ParseArgsOptionsConfig;

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

const SPEED_MAX = 1000;
const NODES_MAX = 5000;
const PORT_MAX = 65_535;
const SEED_MAX = 0xffffffff;

function numberOf(
  flag: string,
  text: string | undefined,
  { from, to, isWhole = true }: { from: number; to: number; isWhole?: boolean },
): number | null {
  if (text === undefined) return null;
  const value = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= from && value <= to && (!isWhole || Number.isInteger(value))) return value;
  throw new UsageError(
    `--${flag} takes a ${isWhole ? 'whole ' : ''}number from ${from} to ${to}; ${JSON.stringify(text.slice(0, 40))} is none.`,
  );
}

/** Throws `UsageError`. */
export function readLabArguments(args: readonly string[]): LabArguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: FLAGS,
  });
  if (positionals.length > 1)
    throw new UsageError('The lab plays one story at a time; see them: rollcall lab --list');
  const ports = { from: 0, to: PORT_MAX };
  return {
    story: positionals[0] ?? null,
    isList: values.list,
    speed: numberOf('speed', values.speed, { from: 0.1, to: SPEED_MAX, isWhole: false }) ?? 1,
    nodes: numberOf('nodes', values.nodes, { from: 1, to: NODES_MAX }),
    seed: numberOf('seed', values.seed, { from: 0, to: SEED_MAX }),
    port: numberOf('port', values.port, ports) ?? 0,
    awsPort: numberOf('aws-port', values['aws-port'], ports) ?? 0,
    folder: values.folder ?? null,
    isFast: values.fast,
  };
}

/** What to say to a story that there is not. */
export function unknownStory(name: string, known: readonly string[]): UsageError {
  const close = nearest(name, known);
  const hint = close === null ? '' : ` Did you mean ${close}?`;
  return new UsageError(
    `There is no story ${JSON.stringify(name.slice(0, 60))} and no such file.${hint} See: rollcall lab --list`,
  );
}
