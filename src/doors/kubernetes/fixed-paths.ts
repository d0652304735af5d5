import type { IncomingMessage } from 'node:http';
import type { JsonObject } from '../../evidence/json.ts';
import { clausesOf } from './accept.ts';
import { aggregated, coreVersions, groupList, groupOf, resourceList } from './discovery.ts';
import { jsonReply, keptReply, JSON_TYPE, type Reply, textReply } from './reply.ts';
import { encodeOpenApiV2 } from './openapi/v2-protobuf.ts';
import { openApiV2 } from './openapi/v2.ts';
import { openApiDocument, openApiIndex, rootOf } from './openapi/v3.ts';
import type { Route } from './request-path.ts';
import type { KeptDocument, Site } from './site.ts';
import { noSuchPath } from './status.ts';

/** What is answered to everybody, as `system:public-info-viewer` allows. */
const PUBLIC = new Set(['/healthz', '/livez', '/readyz', '/version']);

export function isPublic(pathname: string): boolean {
  return PUBLIC.has(pathname.replace(/\/$/, ''));
}

/** Which version of the aggregated form is wanted before plain JSON, null when none is. */
function aggregatedVersion(accept: string | undefined): string | null {
  for (const { type, parameters } of clausesOf(accept)) {
    const { g, v = '', as } = parameters;
    if (type !== 'application/json') continue;
    if (as === undefined) return null;
    if (
      g === 'apidiscovery.k8s.io' &&
      as === 'APIGroupDiscoveryList' &&
      ['v2', 'v2beta1'].includes(v)
    )
      return v;
  }
  return null;
}

/** Discovery of what is served. */
export function discoveryReply(
  site: Site,
  request: IncomingMessage,
  route: Exclude<Route, { readonly is: 'resource' | 'other' }>,
): Reply {
  if (route.is === 'group-list') return groupListReply(site, request, route.isCore);
  const found =
    route.is === 'group'
      ? groupOf(site, route.group)
      : resourceList(site, route.group, route.version);
  if (found === null) throw noSuchPath();
  return jsonReply(200, found);
}

function groupListReply(site: Site, request: IncomingMessage, isCore: boolean): Reply {
  const version = aggregatedVersion(request.headers.accept);
  if (version === null) {
    const address = request.headers.host ?? '';
    return jsonReply(200, isCore ? coreVersions(address) : groupList(site));
  }
  const type = `${JSON_TYPE};g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
  return keptReply(request, type, JSON.stringify(aggregated(site, isCore, version)));
}

function versionReply({ version }: Site): Reply {
  const [major = '1', minor = ''] = version.replace(/^v/, '').split('.');
  return jsonReply(200, {
    major,
    minor,
    gitVersion: version,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: '',
    platform: 'linux/amd64',
  });
}

const PATHS = [
  '/api',
  '/apis',
  '/healthz',
  '/livez',
  '/openapi/v2',
  '/openapi/v3',
  '/readyz',
  '/version',
];

/** What is neither discovery nor an object. */
export function fixedReply(site: Site, request: IncomingMessage, pathname: string): Reply {
  const path = pathname.replace(/\/$/, '');
  if (path.startsWith('/openapi/')) return openApiReply(site, request, path);
  switch (path) {
    case '/healthz':
    case '/livez':
    case '/readyz':
      return textReply(200, 'ok');
    case '/version':
      return versionReply(site);
    case '':
      return jsonReply(200, { paths: PATHS });
    default:
      throw noSuchPath();
  }
}

const V2 = '/openapi/v2';
const V3 = '/openapi/v3';
const V2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/** Versions and kinds are few, so that the documents that are kept are few. */
function kept(site: Site, path: string, make: () => KeptDocument['body']): KeptDocument['body'] {
  const kinds = site.api.kinds();
  const known = site.documents.get(path);
  const isSame =
    known?.kinds.length === kinds.length && known.kinds.every((kind, at) => kind === kinds[at]);
  if (known !== undefined && isSame) return known.body;
  const body = make();
  site.documents.set(path, { kinds, body });
  return body;
}

function openApiV2Reply(site: Site, request: IncomingMessage): Reply {
  const make = (): JsonObject => openApiV2(site, site.api.kinds());
  const [first] = clausesOf(request.headers.accept);
  if (first?.type.endsWith('protobuf') !== true)
    return keptReply(request, JSON_TYPE, JSON.stringify(make()));
  const body = kept(site, V2, () => encodeOpenApiV2(make()));
  return keptReply(request, V2_PROTOBUF, body);
}

function openApiReply(site: Site, request: IncomingMessage, path: string): Reply {
  if (path === V2) return openApiV2Reply(site, request);
  const kinds = site.api.kinds();
  if (path === V3) return keptReply(request, JSON_TYPE, JSON.stringify(openApiIndex(kinds)));
  const root = path.startsWith(`${V3}/`) ? path.slice(V3.length + 1) : '';
  if (!kinds.some((kind) => rootOf(kind) === root)) throw noSuchPath();
  const body = kept(site, path, () => JSON.stringify(openApiDocument(site, kinds, root)));
  return keptReply(request, JSON_TYPE, body);
}
