/** Launch templates and their versions. */
import { isObject, type JsonObject, textAt } from '../../../evidence/json.ts';
import { type Account, isoMoment } from '../account.ts';
import { textIn } from '../operation.ts';
import { refused } from '../refusal.ts';
import type { Tags } from '../state.ts';
import { put, setTags } from './network.ts';

export interface NewTemplate {
  readonly name: string;
  /** Members as RunInstances takes them; user data in base64. */
  readonly asked: JsonObject;
  readonly tags?: Tags;
}

export interface TemplateVersion {
  readonly asked: JsonObject;
  /** Id and version as they are kept on an instance. */
  readonly reference: JsonObject;
}

/** @returns the id of the template, whose first version is its default */
export function createTemplate(account: Account, wanted: NewTemplate): string {
  const LaunchTemplateId = account.ids.resource('lt');
  put(account, 'launch-template', LaunchTemplateId, {
    LaunchTemplateId,
    LaunchTemplateName: wanted.name,
    CreateTime: isoMoment(account.kernel.nowMs()),
    CreatedBy: `arn:${account.partition}:iam::${account.accountId}:root`,
    DefaultVersionNumber: 1,
    LatestVersionNumber: 0,
  });
  setTags(account, LaunchTemplateId, wanted.tags ?? {});
  addVersion(account, LaunchTemplateId, wanted.asked);
  return LaunchTemplateId;
}

/** @returns the number of the version, which is the latest from now on */
export function addVersion(account: Account, templateId: string, asked: JsonObject): number {
  const template = templateOf(account, templateId);
  const VersionNumber = Number(template['LatestVersionNumber']) + 1;
  put(account, 'launch-template', templateId, { ...template, LatestVersionNumber: VersionNumber });
  put(account, 'launch-template-version', `${templateId}/${VersionNumber}`, {
    LaunchTemplateId: templateId,
    LaunchTemplateName: template['LaunchTemplateName'] ?? '',
    VersionNumber,
    CreateTime: isoMoment(account.kernel.nowMs()),
    CreatedBy: template['CreatedBy'] ?? '',
    DefaultVersion: VersionNumber === template['DefaultVersionNumber'],
    LaunchTemplateData: asked,
  });
  return VersionNumber;
}

/** @throws RefusedError when there is no such template */
export function templateOf(account: Account, idOrName: string): JsonObject {
  const templates = account.plain['launch-template'];
  const found =
    templates.get(idOrName) ??
    templates.values().find((one) => one['LaunchTemplateName'] === idOrName);
  if (found !== undefined) return found;
  const [code, what] = idOrName.startsWith('lt-')
    ? [
        'InvalidLaunchTemplateId.NotFound',
        `The specified launch template, with template ID ${idOrName}, does not exist.`,
      ]
    : [
        'InvalidLaunchTemplateName.NotFoundException',
        `The specified launch template, with template name ${idOrName}, does not exist.`,
      ];
  throw refused(code, what);
}

/**
 * The version that a specification names: a number, `$Latest` or `$Default`.
 *
 * @returns null when it names no template
 * @throws RefusedError when there is no such template or version
 */
export function templateVersion(account: Account, given: JsonObject): TemplateVersion | null {
  const named = textIn(given, 'LaunchTemplateId') ?? textIn(given, 'LaunchTemplateName');
  if (named === undefined) return null;
  const template = templateOf(account, named);
  const id = textAt(template, 'LaunchTemplateId') ?? '';
  const Version = numberOf(template, textIn(given, 'Version') ?? '$Default');
  const version = account.plain['launch-template-version'].get(`${id}/${Version}`);
  const asked = version?.['LaunchTemplateData'];
  if (!isObject(asked)) {
    const message = `Could not find the specified version ${Version} for the launch template with ID ${id}.`;
    throw refused('InvalidLaunchTemplateId.VersionNotFound', message);
  }
  const LaunchTemplateName = textAt(template, 'LaunchTemplateName') ?? '';
  return { asked, reference: { LaunchTemplateId: id, LaunchTemplateName, Version } };
}

/** A version by its alias. */
export function numberOf(template: JsonObject, version: string): string {
  if (version === '$Latest') return textAt(template, 'LatestVersionNumber') ?? '';
  return version === '$Default' ? (textAt(template, 'DefaultVersionNumber') ?? '') : version;
}
