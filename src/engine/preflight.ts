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
import { inTemplateWords } from '../readers/cloudformation/words.ts';
import { parseTemplateYaml } from '../readers/cloudformation/yaml.ts';
import { readPlan } from '../readers/terraform/plan.ts';
import { parseJson } from '../readers/text/parse.ts';

/** A document that may be a plan. */
export interface PlanText {
  readonly locator: string;
  readonly text: string;
}

interface ReadPlan {
  readonly locator: string;
  readonly isTemplate: boolean;
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
  { contents, locator, isTemplate: isOfTemplate }: ReadPlan,
): readonly PreflightSubject[] {
  const subjects = foreseeAll(causes, contents, locator);
  return isOfTemplate ? subjects.map((subject) => inWords(subject, inTemplateWords)) : subjects;
}

/** Every sentence and address of an answer in other words; names of causes stay. */
function inWords(subject: PreflightSubject, say: (text: string) => string): PreflightSubject {
  return {
    ...subject,
    name: say(subject.name),
    address: say(subject.address),
    cluster: subject.cluster === null ? null : say(subject.cluster),
    findings: subject.findings.map((finding) => ({
      ...finding,
      address: say(finding.address),
      summary: say(finding.summary),
      evidence: finding.evidence.map((line) => ({
        ...line,
        locator: say(line.locator),
        excerpt: say(line.excerpt),
      })),
      remedy: finding.remedy.map(({ text, command }) => ({ text: say(text), command })),
    })),
    notObservable: subject.notObservable.map(({ stage, why, collect }) => ({
      stage,
      why: say(why),
      // What the stack decides, parameters tell before.
      collect: collect === 'terraform plan' ? TELL_PARAMETERS : collect,
    })),
  };
}

const TELL_PARAMETERS = 'rollcall preflight <template> --parameter <name>=<value>';

interface Reading {
  readonly losses: InputLoss[];
  readonly parameters: Parameters;
}

function planOf(locator: string, text: string, reading: Reading): ReadPlan | null {
  const parsed = parseJson(text);
  const template = parsed.ok ? parsed.value : parseTemplateYaml(text);
  if (template !== null && isTemplate(template)) return templateOf(locator, template, reading);
  if (!parsed.ok) {
    const what = `${locator} is neither a whole JSON document nor a CloudFormation template; print the plan again: terraform show -json plan.tfplan > plan.json`;
    reading.losses.push({ locator, what });
    return null;
  }
  const read = readPlan(parsed.value, locator);
  if (read.ok) return { locator, isTemplate: false, contents: read.contents };
  reading.losses.push({ locator, what: `${locator} is not read as a plan: ${read.why}.` });
  return null;
}

function templateOf(
  locator: string,
  document: Json,
  { losses, parameters }: Reading,
): ReadPlan | null {
  const read = readTemplate(document, locator, parameters);
  if (read.ok) return { locator, isTemplate: true, contents: read.contents };
  losses.push({ locator, what: `${locator} is not read as a template: ${read.why}.` });
  return null;
}

async function foreseeingCauses(): Promise<readonly Cause[]> {
  const entries = CAUSES.filter(({ foresees }) => foresees === true);
  return Promise.all(entries.map(async (entry) => causeOf(await entry.load())));
}
