import { causeOf } from '../causes/catalogue.ts';
import { CATALOGUE_VERSION, CAUSES } from '../causes/index.generated.ts';
import type { Cause } from '../diagnosis/cause.ts';
import {
  foreseeAll,
  type PreflightDocument,
  type PreflightSubject,
} from '../diagnosis/preflight.ts';
import type { Json } from '../evidence/json.ts';
import type { InputLoss } from '../evidence/observations.ts';
import type { PlanContents } from '../evidence/planned.ts';
import { isTemplate, readTemplate } from '../readers/cloudformation/template.ts';
import { TEMPLATE_DIALECT } from '../readers/cloudformation/words.ts';
import { parseTemplateYaml } from '../readers/cloudformation/yaml.ts';
import { isClusterConfig, readClusterConfig } from '../readers/eksctl/config.ts';
import { eksctlDialect } from '../readers/eksctl/words.ts';
import { type PlanRead, readPlan } from '../readers/terraform/plan.ts';
import { parseJson } from '../readers/text/parse.ts';
import type { Dialect } from '../readers/written/dialect.ts';
import { inWords } from './preflight-words.ts';

/** A document that may be a plan. */
export interface PlanText {
  readonly locator: string;
  readonly text: string;
}

interface ReadPlan {
  readonly locator: string;
  /** How it is answered; null in the words of Terraform. */
  readonly dialect: Dialect | null;
  readonly contents: PlanContents;
}

/** Values for the parameters of templates, before their defaults. */
export type Parameters = Readonly<Record<string, string>>;

/**
 * Judges plans and templates by all causes that plans show.
 *
 * @param losses what was given and could not be opened
 */
export async function preflight(
  texts: AsyncIterable<PlanText> | Iterable<PlanText>,
  losses: InputLoss[] = [],
  parameters: Parameters = {},
): Promise<PreflightDocument> {
  const plans: ReadPlan[] = [];
  for await (const { locator, text } of texts) {
    const plan = planOf(locator, text, { losses, parameters });
    if (plan !== null) plans.push(plan);
  }
  const causes = await foreseeingCauses();
  return {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'Preflight',
    catalogueVersion: CATALOGUE_VERSION,
    subjects: plans.flatMap((plan) => subjectsOf(causes, plan)),
    plans: plans.map(({ locator, contents: { resourceCount, isChanging } }) => ({
      locator,
      resources: resourceCount,
      isChanging,
    })),
    losses,
  };
}

function subjectsOf(
  causes: readonly Cause[],
  { contents, locator, dialect }: ReadPlan,
): readonly PreflightSubject[] {
  const subjects = foreseeAll(causes, contents, locator);
  return dialect === null ? subjects : subjects.map((subject) => inWords(subject, dialect));
}

interface Reading {
  readonly losses: InputLoss[];
  readonly parameters: Parameters;
}

/** How one kind of file is recognized, read and answered. */
interface Format {
  readonly what: string;
  readonly isOf: (document: Json) => boolean;
  readonly read: (document: Json, locator: string, parameters: Parameters) => PlanRead;
  readonly dialectOf: (document: Json) => Dialect;
}

const FORMATS: readonly Format[] = [
  {
    what: 'template',
    isOf: isTemplate,
    read: readTemplate,
    dialectOf: () => TEMPLATE_DIALECT,
  },
  {
    what: 'ClusterConfig',
    isOf: isClusterConfig,
    read: readClusterConfig,
    dialectOf: eksctlDialect,
  },
];

function planOf(locator: string, text: string, reading: Reading): ReadPlan | null {
  const parsed = parseJson(text);
  const document = parsed.ok ? parsed.value : parseTemplateYaml(text);
  const format = document === null ? undefined : FORMATS.find(({ isOf }) => isOf(document));
  if (document !== null && format !== undefined)
    return writtenPlan(format, document, locator, reading);
  if (!parsed.ok) {
    const what = `${locator} is neither a whole JSON document nor a CloudFormation template nor a file of eksctl; print the plan again: terraform show -json plan.tfplan > plan.json`;
    reading.losses.push({ locator, what });
    return null;
  }
  const read = readPlan(parsed.value, locator);
  if (read.ok) return { locator, dialect: null, contents: read.contents };
  reading.losses.push({ locator, what: `${locator} is not read as a plan: ${read.why}.` });
  return null;
}

function writtenPlan(
  { what, read, dialectOf }: Format,
  document: Json,
  locator: string,
  { losses, parameters }: Reading,
): ReadPlan | null {
  const plan = read(document, locator, parameters);
  if (plan.ok) return { locator, dialect: dialectOf(document), contents: plan.contents };
  losses.push({ locator, what: `${locator} is not read as a ${what}: ${plan.why}.` });
  return null;
}

async function foreseeingCauses(): Promise<readonly Cause[]> {
  const entries = CAUSES.filter(({ foresees }) => foresees === true);
  return Promise.all(entries.map(async (entry) => causeOf(await entry.load())));
}
