import type { Named, StoryLine } from '../src/sim/stories/story.ts';
import type { IdentityFigures, Played, Share } from './stories-play.ts';

/** Longer ones are cut: the whole is in the lab. */
const TEXT_MAX = 260;
/** What is there when the story begins is no sign of it. */
const BEGUN_MS = 1000;
/** Events that say that something is wrong, a Node that is silent, one that is gone. */
const SIGN = /: (?:DeletingNode|BackOff|FailedCreatePodSandBox): |NotReady, silent| is gone$/;
/** A Node that changes its taints and readiness, and events of evictions that are called off. */
const NOISE = /^Node \S+ is (?:Not)?Ready(?!, silent$)|TaintManagerEviction/;
/** Ids of sandboxes and pods, which say nothing to a reader. */
const IDS = / "[0-9a-f]{64}"|\([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\)/g;
const COMMANDS_MAX = 3;
const GONE = /^Node \S+ is gone$/;
const EVENT = /^(?:Pod|Node) \S+: (?<reason>\w+): /;

function clock(atMs: number): string {
  const seconds = Math.floor(atMs / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

function cell(text: string): string {
  const plain = text.replace(IDS, '');
  const short = plain.length > TEXT_MAX ? `${plain.slice(0, TEXT_MAX)} …` : plain;
  return short.replaceAll('|', '\\|').replaceAll('<', '&lt;').replace(/\s+/g, ' ');
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');
}

/** The first thing by which somebody who watches could know that something is wrong. */
export function firstSign({ lines }: Played): StoryLine | null {
  const isSign = ({ side, atMs, text }: StoryLine): boolean =>
    side === 'seen' && atMs >= BEGUN_MS && SIGN.test(text);
  return lines.find(isSign) ?? null;
}

/** The cause which the scenario wants named; what was named first where it wants none. */
export function mainCause({ named, scenario }: Played): Named | null {
  const wanted = scenario.expect.flatMap(({ headline }) => headline ?? []);
  return named.find(({ cause }) => wanted.includes(cause)) ?? named[0] ?? null;
}

/** `1 s after the first sign` */
function afterSign(played: Played, { atMs }: Named): string {
  const sign = firstSign(played);
  if (sign === null) return 'nothing else showed a sign';
  const seconds = Math.round((atMs - sign.atMs) / 1000);
  const distance = `${Math.abs(seconds)} s`;
  return seconds < 0 ? `${distance} before the first sign` : `${distance} after the first sign`;
}

function shareText({ well, of }: Share, what: string): string {
  return of === 0 ? '' : `${well} of ${of} ${what}`;
}

function identityText({ pods, wrongStill, ...sums }: IdentityFigures): string {
  const { nodeRoleSeconds, noRoleSeconds, requests, requestsLost } = sums;
  return (
    `${pods} pods together acted ${nodeRoleSeconds} s with the role of the node and ` +
    `${noRoleSeconds} s with none; ${requestsLost} of ${requests} requests to AWS were lost; ` +
    `${wrongStill} pods still have the wrong role`
  );
}

function endText({ machines, pods, lines }: Played): string {
  const parts = [shareText(machines, 'machines'), shareText(pods, 'pods')];
  const gone = lines.filter(({ side, text }) => side === 'seen' && GONE.test(text)).length;
  const lost = gone === 0 ? '' : `; Nodes deleted on the way: ${gone}`;
  return `Ready: ${parts.filter((part) => part !== '').join(', ')}${lost}`;
}

/** The commands of the remedy, or its first step in words. */
function remedyText({ remedy }: Named): string {
  const commands = remedy.flatMap(({ command }) => command ?? []).slice(0, COMMANDS_MAX);
  if (commands.length === 0) return cell(remedy[0]?.text ?? 'no command helps');
  return commands.map((command) => `\`${command.replaceAll('|', '\\|')}\``).join('; ');
}

/** The cause with its time, after what was at the head before. */
function namedText(played: Played): string {
  const main = mainCause(played);
  if (main === null) return 'not named';
  const before = played.named
    .slice(0, played.named.indexOf(main))
    .map(({ cause, atMs }) => `${clock(atMs)} \`${cause}\`, then `)
    .join('');
  return `${before}${clock(main.atMs)} \`${main.cause}\`, ${afterSign(played, main)}`;
}

function figureTable(played: Played): string {
  const { scenario, identity } = played;
  const main = mainCause(played);
  const sign = firstSign(played);
  const seen = sign === null ? 'no sign at all' : `${clock(sign.atMs)} ${cell(sign.text)}`;
  return table(
    ['', 'what happens', 'with Rollcall'],
    [
      ['what shows', seen, namedText(played)],
      ...(scenario.unseen === '' ? [] : [['what is not seen', '', cell(scenario.unseen)]]),
      ['what to do', 'unknown', main === null ? '' : remedyText(main)],
      [
        `after ${clock(scenario.untilMs)}`,
        endText(played),
        scenario.helps === ''
          ? 'The story ran the repair itself.'
          : `What helps: ${scenario.helps}`,
      ],
      ...(identity === null
        ? []
        : [['identity of pods', identityText(identity), 'unchanged until that is run']]),
    ],
  );
}

/** Lines that tell the story: each kind of event once, with how many more there were. */
function told(lines: readonly StoryLine[]): readonly StoryLine[] {
  const reasons = new Map<string, number>();
  const reasonOf = ({ side, text }: StoryLine): string | undefined =>
    side === 'seen' ? EVENT.exec(text)?.groups?.['reason'] : undefined;
  const isChosen = ({ side, text, atMs }: StoryLine): boolean =>
    side === 'rollcall' || (!NOISE.test(text) && (atMs >= BEGUN_MS || !EVENT.test(text)));
  const chosen = lines.filter(isChosen);
  for (const line of chosen) {
    const reason = reasonOf(line);
    if (reason !== undefined) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  const met = new Set<string>();
  return chosen.flatMap((line) => {
    const reason = reasonOf(line);
    if (reason === undefined) return [line];
    if (met.has(reason)) return [];
    met.add(reason);
    const more = (reasons.get(reason) ?? 1) - 1;
    const text = cell(line.text) + (more === 0 ? '' : ` (and ${more} more of these)`);
    return [{ ...line, text }];
  });
}

/** What Rollcall says of several machines at one look with the same words is one line. */
function together(lines: readonly StoryLine[]): readonly StoryLine[] {
  const joined: StoryLine[] = [];
  for (const line of lines) {
    const before = joined.at(-1);
    const [name = '', opinion = ''] = line.text.split(/: (.*)/s);
    const isSame =
      before?.side === 'rollcall' &&
      line.side === 'rollcall' &&
      before.atMs === line.atMs &&
      before.text.endsWith(`: ${opinion}`);
    if (!isSame) joined.push(line);
    else
      joined[joined.length - 1] = {
        ...line,
        text: `${before.text.slice(0, -opinion.length - 2)}, ${name}: ${opinion}`,
      };
  }
  return joined;
}

function moments({ lines }: Played): string {
  const rows = together(told(lines)).map(({ atMs, side, text }) => [
    clock(atMs),
    side === 'seen' ? cell(text) : '',
    side === 'rollcall' ? cell(text) : '',
  ]);
  return table(['time', 'what happens', 'what Rollcall reports'], rows);
}

/** One story, as it stands on the page. */
export function storySection(played: Played): string {
  const { scenario, name, unmet } = played;
  const kept = unmet.length === 0 ? '' : ` ${unmet.length} of its expectations are not met.`;
  return [
    `## ${scenario.title}`,
    `\`rollcall lab ${name}\` (seed ${scenario.seed}).${kept}`,
    figureTable(played),
    moments(played),
  ].join('\n\n');
}

function overview(stories: readonly Played[]): string {
  const rows = stories.map((played) => {
    const main = mainCause(played);
    return [
      played.scenario.title,
      endText(played),
      main === null ? 'none' : `\`${main.cause}\``,
      main === null ? '' : `${clock(main.atMs)}, ${afterSign(played, main)}`,
    ];
  });
  return table(['story', 'outcome', 'Rollcall names', 'at'], rows);
}

const HEAD = `# Stories

Play one with \`rollcall lab NAME\`; \`rollcall lab --list\` lists them. Each story is played here with
its seed: on the left what kubectl shows, on the right what \`rollcall diagnose\` reports at each look,
from the Kubernetes and AWS APIs alone. Where the APIs do not show the cause, the story says where to
find it. Two stories of aws-auth end with \`rollcall fix auth --yes\`, run in the simulated cluster; the
others end with the part that is not simulated yet.

Times are minutes and seconds of the story. The first sign is the first event, or the first Node that
goes silent or disappears. A scenario sets how often Rollcall looks, every 5 to 30 s, and this counts
in the time until it names the cause.`;

/** All stories with their figures. */
export function storiesPage(stories: readonly Played[]): string {
  const made = 'Made by `node tools/stories.ts`. The second story by chance: [the race](race.md).';
  return `${[HEAD, overview(stories), ...stories.map(storySection), made].join('\n\n')}\n`;
}
