import { UsageError } from '../context.ts';

/** `10.0.0.1:8470`, `[::]:8470` or `:8470`, which is every address. */
const ADDRESS = /^(?:\[(?<six>[\da-f:.]+)\]|(?<four>[^:[\]]*)):(?<port>\d{1,5})$/i;
const PORT_MAX = 65_535;

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** The address that an option names. @throws UsageError */
export function addressIn(option: string, text: string): Address {
  const { six, four, port = '' } = ADDRESS.exec(text)?.groups ?? {};
  if (port === '' || Number(port) > PORT_MAX)
    throw new UsageError(`--${option} needs an address and a port, such as 127.0.0.1:8470`);
  const host = six ?? four;
  return { host: host === undefined || host === '' ? '::' : host, port: Number(port) };
}
