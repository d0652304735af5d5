import { PERMISSIONS } from '../../../collection/permissions.generated.ts';
import {
  bindCommands,
  featuresNamed,
  type FeaturePermissions,
  joined,
  policyOf,
  rolesOf,
} from '../../../collection/permissions.ts';
import {
  CREATE_DOCUMENT,
  READING_STEPS,
  readingDocument,
} from '../../../collection/reading-document.ts';
import {
  CREATE_RESTART_DOCUMENT,
  RESTART_COMMAND,
  RESTART_STEP,
  restartDocument,
} from '../../../controllers/fix/node/restart-document.ts';
import type { PermissionAnswer } from '../../../collection/permissions-check.ts';
import { columns, marked, paragraph } from '../pages/layout.ts';
import type { JsonObject } from '../../../evidence/json.ts';
import { RESTART_DOCUMENT } from '../../../ports/aws-api.ts';
import type { CliContext } from '../context.ts';
import { PERMISSIONS_COMMAND } from '../declared/permissions.ts';
import { EXIT } from '../exit-code.ts';
import { liveFlagsOf } from '../live/flags.ts';
import type { ParsedOptions } from '../options/declaration.ts';
import { parseCommandLine } from '../options/parse.ts';
import { structured } from '../structured.ts';

type Output = ParsedOptions<typeof PERMISSIONS_COMMAND.options>['output'];

export interface Wanted {
  readonly features: readonly FeaturePermissions[];
  readonly kubernetes: ReturnType<typeof joined>['kubernetes'];
  readonly aws: readonly string[];
  readonly roles: readonly JsonObject[];
  readonly policy: JsonObject;
}

/** The permissions of these features; without a name, of those that reach no further. */
export function wantedOf(names: readonly string[]): Wanted {
  const features = featuresNamed(PERMISSIONS, names);
  const { kubernetes, aws } = joined(features);
  return { features, kubernetes, aws, roles: rolesOf(kubernetes), policy: policyOf(aws) };
}

async function yamlOf(values: readonly object[]): Promise<string> {
  const texts = await Promise.all(values.map(async (value) => structured(value, 'yaml')));
  return texts.join('---\n');
}

/** A document as JSON or YAML, or its page. */
async function print(
  document: object,
  output: Output,
  text: () => Promise<string> | string,
  context: CliContext,
): Promise<void> {
  context.out(output === 'text' ? await text() : await structured(document, output));
}

/** Prints the smallest roles and policy, or asks which of them the present identity has. */
export async function permissionsCommand(
  args: readonly string[],
  context: CliContext,
): Promise<number> {
  const { values } = parseCommandLine(PERMISSIONS_COMMAND, args);
  const { output } = values;
  if (values['ssm-document']) {
    context.out(`${JSON.stringify(readingDocument(), null, 2)}\n`);
    return EXIT.usable;
  }
  if (values['restart-document']) {
    context.out(`${JSON.stringify(restartDocument(), null, 2)}\n`);
    return EXIT.usable;
  }
  const wanted = wantedOf(values.for);
  if (values.check) return check(wanted, liveFlagsOf(values), output, context);
  const document = {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'Permissions',
    features: wanted.features,
    roles: wanted.roles,
    bind: bindCommands(wanted.roles),
    policy: wanted.policy,
  };
  await print(document, output, async () => page(wanted, values), context);
  return EXIT.usable;
}

/** Features that are printed only by name, where nobody named any. */
function leftOutLines(features: readonly FeaturePermissions[]): readonly string[] {
  const left = PERMISSIONS.filter(({ warning }) => warning !== null).map(({ feature }) => feature);
  const isAny = features.some(({ warning }) => warning !== null);
  return isAny ? [] : paragraph(`Only by name, with --for: ${left.join(', ')}`);
}

/** All that machines are had to run by Systems Manager, where that is granted. */
function documentLines(features: readonly FeaturePermissions[]): readonly string[] {
  const isGranted = (action: string): boolean => features.some(({ aws }) => aws.includes(action));
  return [
    ...(isGranted('ssm:SendCommand') ? stepLines(CREATE_DOCUMENT, READING_STEPS) : []),
    ...(isGranted(`ssm:SendCommand/${RESTART_DOCUMENT}`)
      ? stepLines(CREATE_RESTART_DOCUMENT, [{ name: RESTART_STEP, command: RESTART_COMMAND }])
      : []),
  ];
}

interface DocumentStep {
  readonly name: string;
  readonly command: string;
}

function stepLines(create: string, steps: readonly DocumentStep[]): readonly string[] {
  return [
    'Document of Systems Manager, all that is ever run; create it once:',
    '',
    `# ${create}`,
    ...steps.map(({ name, command }) => `  ${name}: ${command}`),
    '',
  ];
}

const READING = /^(?:get|list|watch)$/;

function isReading({ kubernetes }: FeaturePermissions): boolean {
  return kubernetes.every(({ verb }) => READING.test(verb));
}

async function page(
  wanted: Wanted,
  only: { readonly rbac: boolean; readonly iam: boolean },
): Promise<string> {
  const roles = await yamlOf(wanted.roles);
  const policy = `${JSON.stringify(wanted.policy, null, 2)}\n`;
  if (only.rbac !== only.iam) return only.rbac ? roles : policy;
  const names = wanted.features.map(({ feature, for: purpose }) => `  ${feature}: ${purpose}`);
  const warnings = wanted.features.flatMap(({ warning }) =>
    warning === null ? [] : ['', ...paragraph(`Warning: ${warning}`)],
  );
  const bind = bindCommands(wanted.roles).map((command) => `# ${command}`);
  return [
    wanted.features.every(isReading)
      ? 'Rollcall only reads; it changes nothing. Features:'
      : 'Features:',
    ...names,
    ...leftOutLines(wanted.features),
    ...warnings,
    '',
    'Kubernetes roles (rollcall permissions --rbac | kubectl apply -f -):',
    '',
    `${roles}${bind.join('\n')}`,
    '',
    'IAM policy (rollcall permissions --iam):',
    '',
    policy,
    ...documentLines(wanted.features),
  ].join('\n');
}

const MARKS: Readonly<Record<PermissionAnswer['granted'], string>> = {
  yes: 'yes',
  no: 'NO',
  unknown: '?',
};

function endText(answers: readonly PermissionAnswer[]): string {
  const lacking = answers.filter(({ granted, isOptional }) => granted === 'no' && !isOptional);
  const unknown = answers.filter(({ granted }) => granted === 'unknown');
  if (lacking.length > 0)
    return `${lacking.length} missing; what they show stays unknown. Grant them: rollcall permissions`;
  return unknown.length > 0
    ? `No permission is known to be missing; ${unknown.length} could not be checked.`
    : 'No permission is missing.';
}

const REASONS_MAX = 5;

function checkPage(
  answers: readonly PermissionAnswer[],
  unseen: readonly string[],
): readonly string[] {
  const rows = answers.map((one) => [
    MARKS[one.granted],
    one.permission + (one.isOptional && one.granted === 'no' ? ' (only where used)' : ''),
    one.granted === 'unknown' ? 'not checked' : one.how,
  ]);
  const reasons = answers.filter(({ granted }) => granted === 'unknown').map(({ how }) => how);
  const why = [...unseen, ...new Set(reasons)].slice(0, REASONS_MAX);
  return [
    ...columns([['HAS', 'PERMISSION', 'HOW'], ...rows]),
    '',
    ...why.flatMap((text) => marked('?', text)),
    endText(answers),
  ];
}

/** 1 when something is lacking, else 2 when something is not known, else 0. */
function exitCodeOf(answers: readonly PermissionAnswer[], unseen: readonly string[]): number {
  const needed = answers.filter(({ isOptional }) => !isOptional);
  if (needed.some(({ granted }) => granted === 'no')) return EXIT.notUsable;
  const isUnknown = unseen.length > 0 || needed.some(({ granted }) => granted === 'unknown');
  return isUnknown ? EXIT.cannotTell : EXIT.usable;
}

async function check(
  wanted: Wanted,
  flags: ReturnType<typeof liveFlagsOf>,
  output: Output,
  context: CliContext,
): Promise<number> {
  const { checkPermissions } = await import('../live/permissions-live.ts');
  const { answers, unseen } = await checkPermissions(wanted, flags);
  const document = {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'PermissionCheck',
    permissions: answers,
    notObservable: unseen,
  };
  await print(document, output, () => `${checkPage(answers, unseen).join('\n')}\n`, context);
  return exitCodeOf(answers, unseen);
}
