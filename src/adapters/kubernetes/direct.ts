import type { KubeTarget } from './target.ts';

/** True where the server is spoken to by TLS and through no proxy. */
export function isDirect({ proxyUrl, server }: KubeTarget): boolean {
  return proxyUrl === null && server.startsWith('https:');
}
