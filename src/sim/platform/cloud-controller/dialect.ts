/**
 * How a cloud controller manager treats a Node whose name EC2 does not know: deleted at once up to
 * 1.29, kept for ever from 1.30 to 1.34, deleted again from 1.37 on, each while it is not Ready.
 * Seen on releases 1.33.4, 1.34.3 and 1.37.0 of cloud-provider-aws, and in reports on older ones.
 */
export type CloudControllerVersion = '1.29' | '1.34' | '1.37';

/** What differs between the releases, in deed and in print. */
export interface Dialect {
  readonly version: CloudControllerVersion;
  readonly deletesUnknownNames: boolean;
  /** `apiVersion` of the Node in its events. */
  readonly eventApiVersion: string;
  /** Errors of EC2 as the AWS SDK of that time prints them. */
  readonly sdk: 'v1' | 'v2';
  readonly notFound: string;
  readonly lines: LineNumbers;
}

/** Where in the source each line is printed. */
export interface LineNumbers {
  readonly initializing: number;
  readonly initialized: number;
  readonly errorSyncing: number;
  readonly unhandled: number;
  readonly checkingExists: number;
  readonly deleting: number;
  readonly checkingShutdown: number;
}

const NEW_LINES: LineNumbers = {
  initializing: 431,
  initialized: 502,
  errorSyncing: 233,
  unhandled: 244,
  checkingExists: 156,
  deleting: 163,
  checkingShutdown: 185,
};

export const DIALECTS: Readonly<Record<CloudControllerVersion, Dialect>> = {
  '1.29': {
    version: '1.29',
    deletesUnknownNames: true,
    eventApiVersion: '',
    sdk: 'v1',
    notFound:
      'failed to get provider ID for node NAME at cloudprovider: failed to get instance ID from cloud provider: instance not found',
    lines: {
      ...NEW_LINES,
      initializing: 415,
      initialized: 483,
      errorSyncing: 229,
      unhandled: 229,
      checkingExists: 155,
      deleting: 164,
    },
  },
  '1.34': {
    version: '1.34',
    deletesUnknownNames: false,
    eventApiVersion: '',
    sdk: 'v2',
    notFound: 'failed to get instance metadata for node NAME: instance not found',
    lines: NEW_LINES,
  },
  '1.37': {
    version: '1.37',
    deletesUnknownNames: true,
    eventApiVersion: 'v1',
    sdk: 'v2',
    notFound: 'failed to get instance metadata for node NAME: instance not found',
    lines: { ...NEW_LINES, checkingExists: 175, deleting: 182, checkingShutdown: 205 },
  },
};
