import { BlockList, isIP, isIPv4 } from 'node:net';
import { PortError } from '../../ports/port-error.ts';
import { notConfigured } from './not-configured.ts';
import { shown } from './words.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy between here and a server: `proxy-url` of the kubeconfig, else HTTPS_PROXY (for plain
 * HTTP: HTTP_PROXY) unless NO_PROXY names the server, as Go's own programs read them.
 * @returns null for a direct connection
 */
export function proxyFor(server: string, own: string | null, env: Environment): string | null {
  if (own !== null && own !== '') return checked(own, 'proxy-url of the cluster');
  const url = new URL(server);
  const name = url.protocol === 'http:' ? 'HTTP_PROXY' : 'HTTPS_PROXY';
  const proxy = env[name] || env[name.toLowerCase()] || '';
  if (proxy === '' || isLoopback(url.hostname)) return null;
  const exceptions = env['NO_PROXY'] || env['no_proxy'] || '';
  if (isExcepted(url, exceptions)) return null;
  return checked(proxy.includes('://') ? proxy : `http://${proxy}`, name);
}

function checked(proxy: string, origin: string): string {
  if (!URL.canParse(proxy))
    throw notConfigured(
      `The proxy in ${origin} is not a URL; write it as http://HOST:PORT, or take it away for one ` +
        'run: env -u HTTPS_PROXY rollcall',
    );
  const { protocol, host } = new URL(proxy);
  if (protocol === 'http:' || protocol === 'https:') return proxy;
  throw new PortError({
    failure: 'unsupported',
    message:
      `The proxy ${shown(`${protocol}//${host}`)} in ${origin} is neither http nor https, and ` +
      'Rollcall supports no other kind; put an HTTP proxy before it, or use a tunnel: ' +
      'ssh -L 6443:API_SERVER:443 BASTION',
  });
}

function isLoopback(hostname: string): boolean {
  const host = bare(hostname);
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').toLowerCase();
}

function isExcepted(url: URL, exceptions: string): boolean {
  const port = url.port || (url.protocol === 'http:' ? '80' : '443');
  return exceptions
    .split(',')
    .map((one) => one.trim().toLowerCase())
    .some((one) => one !== '' && matches(one, bare(url.hostname), port));
}

function matches(exception: string, host: string, port: string): boolean {
  if (exception === '*') return true;
  if (exception.includes('/')) return isInRange(host, exception);
  const [, name = exception, onlyPort] = /^(\[[^\]]*\]|[^:]*):(\d+)$/.exec(exception) ?? [];
  if (onlyPort !== undefined && onlyPort !== port) return false;
  const wanted = bare(name).replace(/^\*?\./, '');
  if (isIP(host) !== 0 || isIP(wanted) !== 0) return host === wanted;
  if (host === wanted) return !/^\*?\./.test(name);
  return host.endsWith(`.${wanted}`);
}

function isInRange(host: string, range: string): boolean {
  const [network = '', bits = ''] = range.split('/');
  const version = isIP(network);
  const prefix = /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
  if (version === 0 || isIP(host) !== version || !(prefix <= (version === 4 ? 32 : 128)))
    return false;
  const block = new BlockList();
  const family = version === 4 ? 'ipv4' : 'ipv6';
  block.addSubnet(network, prefix, family);
  return block.check(host, family);
}
