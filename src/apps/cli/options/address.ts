import { UsageError } from '../context.ts';

/** `10.0.0.1:8470`, `[::]:8470` or `:8470`, which is every address. */
const ADDRESS = /^(?:\[(?<six>[\da-f:.]+)\]|(?<four>[^:[\]]*)):(?<port>\d{1,5})$/i;
const PORT_MAX = 65_535;

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Where to serve; null for what is no address with a port. */
export function addressOf(text: string): Address | null {
  const { six, four, port = '' } = ADDRESS.exec(text)?.groups ?? {};
  if (port === '' || Number(port) > PORT_MAX) return null;
  const host = six ?? four;
  return { host: host === undefined || host === '' ? '::' : host, port: Number(port) };
}

/** The address that an option names. @throws UsageError */
export function addressIn(option: string, text: string): Address {
  const address = addressOf(text);
  if (address !== null) return address;
  throw new UsageError(`--${option} needs an address and a port, such as 127.0.0.1:8470`);
}
