import { causeOf } from '../causes/catalogue.ts';
import { CATALOGUE_VERSION, CAUSES } from '../causes/index.generated.ts';
import type { Cause } from '../diagnosis/cause.ts';
import {
  foreseeAll,
  foreseeTogether,
  type PreflightDocument,
  type PreflightSubject,
} from '../diagnosis/preflight.ts';
import { type Json, listAt, textAt } from '../evidence/json.ts';
import type { InputLoss } from '../evidence/observations.ts';
import type { PlanContents } from '../evidence/planned.ts';
import { excerptOf } from '../evidence/redact.ts';
import {
  type ChangeSet,
  changeSetOf,
  isChangeSet,
  readChangeSet,
} from '../readers/cloudformation/change-set.ts';
import { isTemplate, readTemplate } from '../readers/cloudformation/template.ts';
import { TEMPLATE_DIALECT } from '../readers/cloudformation/words.ts';
import { parseTemplateYaml } from '../readers/cloudformation/yaml.ts';
import { isClusterConfig, readClusterConfig } from '../readers/eksctl/config.ts';
import { eksctlDialect } from '../readers/eksctl/words.ts';
import { isOfKarpenter, readManifests } from '../readers/karpenter/manifests.ts';
import { KARPENTER_DIALECT } from '../readers/karpenter/words.ts';
import { isForKubeadm, readKubeadm } from '../readers/kubeadm/file.ts';
import { KUBEADM_DIALECT } from '../readers/kubeadm/words.ts';
import { type PlanRead, readPlan } from '../readers/terraform/plan.ts';
import { parseJson, parseYamlDocuments } from '../readers/text/parse.ts';
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
  const files: OpenedFile[] = [];
  for await (const { locator, text } of texts) files.push(openedFile(locator, text));
  const changeSets = changeSetsIn(files, losses);
  const reading = { losses, parameters, changeSets };
  const plans = files.map((file) => planOf(file, reading)).filter((plan) => plan !== null);
  const causes = await foreseeingCauses();
  return {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'Preflight',
    catalogueVersion: CATALOGUE_VERSION,
    subjects: subjectsOf(causes, plans),
    plans: plans.map(({ locator, contents: { resourceCount, isChanging } }) => ({
      locator,
      resources: resourceCount,
      isChanging,
    })),
    losses,
  };
}

/** In what is written in these, files lean on one another and on the plans beside them. */
const TOGETHER: readonly Dialect[] = [KARPENTER_DIALECT, KUBEADM_DIALECT];

/** Every plan for itself, and manifests together beside all that the plans show. */
function subjectsOf(
  causes: readonly Cause[],
  plans: readonly ReadPlan[],
): readonly PreflightSubject[] {
  const alone = plans.filter(({ dialect }) => dialect === null || !TOGETHER.includes(dialect));
  return [
    ...alone.flatMap(({ contents, locator, dialect }) => {
      const subjects = foreseeAll(causes, contents, locator);
      return dialect === null ? subjects : subjects.map((subject) => inWords(subject, dialect));
    }),
    ...TOGETHER.flatMap((dialect) => {
      const own = plans.filter((plan) => plan.dialect === dialect);
      const beside = plans.filter((plan) => plan.dialect !== dialect);
      const contents = beside.map((plan) => plan.contents);
      return foreseeTogether(causes, own, contents).map((subject) => inWords(subject, dialect));
    }),
  ];
}

interface Reading {
  readonly losses: InputLoss[];
  readonly parameters: Parameters;
  readonly changeSets: readonly ChangeSet[];
}

/** A file with the documents in it; `isJson` is false for one that is not JSON as a whole. */
interface OpenedFile {
  readonly locator: string;
  readonly isJson: boolean;
  readonly documents: readonly Json[];
}

function openedFile(locator: string, text: string): OpenedFile {
  const parsed = parseJson(text);
  const documents = parsed.ok ? listed(parsed.value) : yamlDocuments(text);
  return { locator, isJson: parsed.ok, documents };
}

/** The change sets among the files; each is judged as a part of the template beside it. */
function changeSetsIn(files: readonly OpenedFile[], losses: InputLoss[]): readonly ChangeSet[] {
  const templates = files.flatMap(({ documents }) => documents.filter(isTemplate));
  return files.flatMap(({ locator, documents }) => {
    const document = documents.find(isChangeSet);
    if (document === undefined) return [];
    const set = readChangeSet(document, locator);
    if (set === null)
      losses.push({
        locator,
        what: `${locator} is one page of a change set; print all of it: aws cloudformation describe-change-set --no-cli-pager`,
      });
    else if (!templates.some((template) => changeSetOf([set], template) !== null))
      losses.push({
        locator,
        what: `${locator} is a change set without its template; give both: aws cloudformation get-template --stack-name ${excerptOf(set.stack ?? '<stack>', 128)} --change-set-name ${excerptOf(set.name ?? '<change-set>', 128)} --query TemplateBody`,
      });
    return set === null ? [] : [set];
  });
}

/** How one kind of file is recognized, read and answered. */
interface Format {
  readonly what: string;
  readonly isOf: (document: Json) => boolean;
  readonly read: (documents: readonly Json[], locator: string, reading: Reading) => PlanRead;
  readonly dialectOf: (documents: readonly Json[]) => Dialect;
}

/** A file of one document; others beside it in the file are not of this format. */
function ofOne(
  isOf: Format['isOf'],
  read: (document: Json, locator: string, reading: Reading) => PlanRead,
): Pick<Format, 'isOf' | 'read'> {
  return {
    isOf,
    read: (documents, locator, reading) => read(documents.find(isOf) ?? null, locator, reading),
  };
}

/** A template, beside its change set where there is one. */
function readOfStack(template: Json, locator: string, reading: Reading): PlanRead {
  const changeSet = changeSetOf(reading.changeSets, template);
  return readTemplate(template, locator, reading.parameters, changeSet);
}

const FORMATS: readonly Format[] = [
  { what: 'template', ...ofOne(isTemplate, readOfStack), dialectOf: () => TEMPLATE_DIALECT },
  {
    what: 'ClusterConfig',
    ...ofOne(isClusterConfig, readClusterConfig),
    dialectOf: (documents) => eksctlDialect(documents.find(isClusterConfig) ?? null),
  },
  {
    what: 'manifest of Karpenter',
    isOf: isOfKarpenter,
    read: readManifests,
    dialectOf: () => KARPENTER_DIALECT,
  },
  {
    what: 'configuration of kubeadm',
    isOf: isForKubeadm,
    read: readKubeadm,
    dialectOf: () => KUBEADM_DIALECT,
  },
];

/** The documents of a text in YAML; none where it is something else. */
function yamlDocuments(text: string): readonly Json[] {
  const one = parseTemplateYaml(text);
  if (one !== null) return listed(one);
  if (!/^(?:---|apiVersion:|kind:)/m.test(text)) return [];
  const all = parseYamlDocuments(text.split(/\r?\n/), 1).filter(({ ok }) => ok);
  return all.flatMap((read) => (read.ok ? listed(read.value) : [])).toArray();
}

/** The objects of a List, or the one that a document is. */
function listed(document: Json): readonly Json[] {
  const items = textAt(document, 'kind') === 'List' ? listAt(document, 'items') : [];
  return items.length === 0 ? [document] : items;
}

function planOf(file: OpenedFile, reading: Reading): ReadPlan | null {
  const { locator, isJson, documents } = file;
  const format = FORMATS.find(({ isOf }) => documents.some(isOf));
  if (format !== undefined) return writtenPlan(format, file, reading);
  if (documents.some(isChangeSet)) return null;
  const [document] = documents;
  if (!isJson || document === undefined) {
    const what = `${locator} is neither a whole JSON document nor a CloudFormation template, a file of eksctl or kubeadm, or a manifest of Karpenter; print the plan again: terraform show -json plan.tfplan > plan.json`;
    reading.losses.push({ locator, what });
    return null;
  }
  const read = readPlan(document, locator);
  if (read.ok) return { locator, dialect: null, contents: read.contents };
  reading.losses.push({ locator, what: `${locator} is not read as a plan: ${read.why}.` });
  return null;
}

function writtenPlan(
  { what, read, dialectOf }: Format,
  { locator, documents }: OpenedFile,
  reading: Reading,
): ReadPlan | null {
  const plan = read(documents, locator, reading);
  if (plan.ok) return { locator, dialect: dialectOf(documents), contents: plan.contents };
  reading.losses.push({ locator, what: `${locator} is not read as a ${what}: ${plan.why}.` });
  return null;
}

async function foreseeingCauses(): Promise<readonly Cause[]> {
  const entries = CAUSES.filter(({ foresees }) => foresees === true);
  return Promise.all(entries.map(async (entry) => causeOf(await entry.load())));
}
