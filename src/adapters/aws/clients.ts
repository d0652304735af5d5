/** The clients of the SDK, each loaded by the first call to its service. */
import { createRequire } from 'node:module';
import type { AwsService } from '../../ports/aws-api.ts';

/** What we use of a client; its own types differ from service to service. */
export interface SdkClient {
  readonly config: {
    readonly credentialDefaultProvider?: ChainOf;
    readonly credentials: CredentialProvider;
  };
  readonly middlewareStack: { add(middleware: Middleware, place: MiddlewarePlace): void };
  send(command: object, options: { readonly abortSignal: AbortSignal }): Promise<object>;
  destroy(): void;
}

export type CredentialProvider = () => Promise<Credentials>;
export type ChainOf = (init: Readonly<Record<string, unknown>>) => CredentialProvider;

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiration?: Date;
  /** Which link of the chain gave them, as keys: `CREDENTIALS_IMDS`. */
  readonly $source?: Readonly<Record<string, string>>;
}

export interface HttpAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  body: unknown;
}

export type Next = (args: object) => Promise<{ readonly response: HttpAnswer }>;
export type Middleware = (next: Next, context: { readonly commandName?: string }) => Next;

export interface MiddlewarePlace {
  readonly step: 'deserialize';
  readonly priority: 'low';
  readonly name: string;
}

export interface LoadedService {
  readonly client: SdkClient;
  readonly command: (operation: string, input: object) => object;
}

type SdkModule = Readonly<Record<string, unknown>>;
type Constructor<Made> = new (argument: object) => Made;

interface Package {
  readonly name: string;
  readonly client: string;
}

const PACKAGES: Readonly<Record<AwsService, Package>> = {
  ec2: { name: '@aws-sdk/client-ec2', client: 'EC2Client' },
  autoscaling: {
    name: '@aws-sdk/client-auto-scaling',
    client: 'AutoScalingClient',
  },
  eks: { name: '@aws-sdk/client-eks', client: 'EKSClient' },
  iam: { name: '@aws-sdk/client-iam', client: 'IAMClient' },
  sts: { name: '@aws-sdk/client-sts', client: 'STSClient' },
  cloudformation: {
    name: '@aws-sdk/client-cloudformation',
    client: 'CloudFormationClient',
  },
  kms: { name: '@aws-sdk/client-kms', client: 'KMSClient' },
  route53: { name: '@aws-sdk/client-route-53', client: 'Route53Client' },
  ecr: { name: '@aws-sdk/client-ecr', client: 'ECRClient' },
  cloudtrail: {
    name: '@aws-sdk/client-cloudtrail',
    client: 'CloudTrailClient',
  },
  logs: { name: '@aws-sdk/client-cloudwatch-logs', client: 'CloudWatchLogsClient' },
  ssm: { name: '@aws-sdk/client-ssm', client: 'SSMClient' },
};

// An import would first parse each file to find out whether it is a module: 60 ms for EC2 and EKS.
const load = createRequire(import.meta.url);

export function loadService(service: AwsService, settings: object): LoadedService {
  const { name, client } = PACKAGES[service];
  const module = load(name) as SdkModule;
  const Client = module[client] as Constructor<SdkClient>;
  return {
    client: new Client(settings),
    command: (operation, input) => {
      const Command = module[`${operation}Command`] as Constructor<object>;
      return new Command(input);
    },
  };
}
