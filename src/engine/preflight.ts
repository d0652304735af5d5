import { causeOf } from '../causes/catalogue.ts';
import { CATALOGUE_VERSION, CAUSES } from '../causes/index.generated.ts';
import type { Cause } from '../diagnosis/cause.ts';
import { foreseeAll, type PreflightDocument } from '../diagnosis/preflight.ts';
import type { InputLoss } from '../evidence/observations.ts';
import type { PlanContents } from '../evidence/planned.ts';
import { readPlan } from '../readers/terraform/plan.ts';
import { parseJson } from '../readers/text/parse.ts';

/** A document that may be a plan. */
export interface PlanText {
  readonly locator: string;
  readonly text: string;
}

interface ReadPlan {
  readonly locator: string;
  readonly contents: PlanContents;
}

/**
 * Judges plans by all causes that plans show.
 *
 * @param losses what was given and could not be opened
 */
export async function preflight(
  texts: AsyncIterable<PlanText> | Iterable<PlanText>,
  losses: InputLoss[] = [],
): Promise<PreflightDocument> {
  const plans: ReadPlan[] = [];
  for await (const { locator, text } of texts) {
    const plan = planOf(locator, text, losses);
    if (plan !== null) plans.push(plan);
  }
  const causes = await foreseeingCauses();
  return {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'Preflight',
    catalogueVersion: CATALOGUE_VERSION,
    subjects: plans.flatMap(({ contents, locator }) => foreseeAll(causes, contents, locator)),
    plans: plans.map(({ locator, contents: { resourceCount, isChanging } }) => ({
      locator,
      resources: resourceCount,
      isChanging,
    })),
    losses,
  };
}

function planOf(locator: string, text: string, losses: InputLoss[]): ReadPlan | null {
  const parsed = parseJson(text);
  if (!parsed.ok) {
    const what = `${locator} is not a whole JSON document; print the plan again: terraform show -json plan.tfplan > plan.json`;
    losses.push({ locator, what });
    return null;
  }
  const read = readPlan(parsed.value, locator);
  if (read.ok) return { locator, contents: read.contents };
  losses.push({ locator, what: `${locator} is not read as a plan: ${read.why}.` });
  return null;
}

async function foreseeingCauses(): Promise<readonly Cause[]> {
  const entries = CAUSES.filter(({ foresees }) => foresees === true);
  return Promise.all(entries.map(async (entry) => causeOf(await entry.load())));
}
