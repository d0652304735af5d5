import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../evidence/json.ts';
import type { KubeKind } from '../../../sim/kube/kinds.ts';
import { customSchema } from '../custom-resources.ts';
import type { Site } from '../site.ts';
import { SchemaWriter } from './schemas.ts';
import { pathsOf } from './paths.ts';

/** Where the document of a kind is below `/openapi/v3`. */
export function rootOf({ group, version }: KubeKind): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}

/** `/openapi/v3`: where the document of each group and version is. */
export function openApiIndex(kinds: readonly KubeKind[]): JsonObject {
  const byRoot = Map.groupBy(kinds, rootOf);
  const paths = [...byRoot].map(([root, own]) => {
    const hash = createHash('sha256').update(JSON.stringify(own)).digest('hex').slice(0, 32);
    return [root, { serverRelativeURL: `/openapi/v3/${root}?hash=${hash.toUpperCase()}` }];
  });
  return { paths: Object.fromEntries(paths) as JsonObject };
}

/** `/openapi/v3/apis/GROUP/VERSION` */
export function openApiDocument(site: Site, kinds: readonly KubeKind[], root: string): JsonObject {
  const own = kinds.filter((kind) => rootOf(kind) === root);
  const writer = new SchemaWriter('#/components/schemas/');
  for (const kind of own) writer.addKind(kind, customSchema(site, kind));
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: site.version },
    paths: Object.fromEntries(own.flatMap((kind) => pathsOf(kind))) as JsonObject,
    components: { schemas: Object.fromEntries(writer.definitions) },
  };
}
