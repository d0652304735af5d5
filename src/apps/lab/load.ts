import { existsSync, readFileSync, statSync } from 'node:fs';
import { parseLinedYaml } from '../../readers/text/yaml-lines.ts';
import { readScenario, type Scenario } from '../../sim/stories/scenario.ts';
import { SCENARIOS } from '../../sim/stories/index.generated.ts';
import { UsageError } from '../cli/context.ts';
import { unknownStory } from './arguments.ts';

/** Played when none is named. */
const USUAL_STORY = 'joined-and-was-gone';
const FILE_BYTES_MAX = 1024 * 1024;
const MISTAKES_SHOWN = 10;

/** Names and titles of the stories that are shipped, in the order in which they are told. */
export function shippedStories(): readonly { readonly name: string; readonly title: string }[] {
  return Object.keys(SCENARIOS).map((name) => ({ name, title: loadScenario(name).title }));
}

/**
 * A shipped story by its name, or one of a file.
 *
 * @throws UsageError with every mistake of the file and its line
 */
export function loadScenario(story: string | null): Scenario {
  const name = story ?? USUAL_STORY;
  const shipped = Object.hasOwn(SCENARIOS, name) ? SCENARIOS[name] : undefined;
  return scenarioOf(name, shipped ?? readStory(name));
}

function readStory(path: string): string {
  if (!existsSync(path)) throw unknownStory(path, Object.keys(SCENARIOS));
  if (!statSync(path).isFile() || statSync(path).size > FILE_BYTES_MAX)
    throw new UsageError(`${path} is not a scenario; a scenario is a YAML file of at most 1 MiB.`);
  return readFileSync(path, 'utf8');
}

function scenarioOf(name: string, text: string): Scenario {
  const yaml = parseLinedYaml(text);
  if (!yaml.ok) throw new UsageError(`${name}:${yaml.line}: ${yaml.why}`);
  const read = readScenario(yaml.value);
  if (read.ok) return read.scenario;
  const lines = read.mistakes
    .map(({ path, reason }) => ({ line: yaml.lineOf(path), reason }))
    .toSorted((one, other) => one.line - other.line)
    .map(({ line, reason }) => `${name}:${line}: ${reason}`);
  const more = lines.length - MISTAKES_SHOWN;
  const rest = more > 0 ? [`and ${more} more`] : [];
  throw new UsageError([...lines.slice(0, MISTAKES_SHOWN), ...rest].join('\n'));
}
