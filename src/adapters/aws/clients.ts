/** The clients of the SDK, each loaded by the first call to its service. */
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
  readonly load: () => Promise<object>;
  readonly client: string;
}

const PACKAGES: Readonly<Record<AwsService, Package>> = {
  ec2: { load: async () => import('@aws-sdk/client-ec2'), client: 'EC2Client' },
  autoscaling: {
    load: async () => import('@aws-sdk/client-auto-scaling'),
    client: 'AutoScalingClient',
  },
  eks: { load: async () => import('@aws-sdk/client-eks'), client: 'EKSClient' },
  iam: { load: async () => import('@aws-sdk/client-iam'), client: 'IAMClient' },
  sts: { load: async () => import('@aws-sdk/client-sts'), client: 'STSClient' },
  cloudformation: {
    load: async () => import('@aws-sdk/client-cloudformation'),
    client: 'CloudFormationClient',
  },
  kms: { load: async () => import('@aws-sdk/client-kms'), client: 'KMSClient' },
  route53: { load: async () => import('@aws-sdk/client-route-53'), client: 'Route53Client' },
  ecr: { load: async () => import('@aws-sdk/client-ecr'), client: 'ECRClient' },
  cloudtrail: {
    load: async () => import('@aws-sdk/client-cloudtrail'),
    client: 'CloudTrailClient',
  },
};

export async function loadService(service: AwsService, settings: object): Promise<LoadedService> {
  const { load, client } = PACKAGES[service];
  const module = (await load()) as SdkModule;
  const Client = module[client] as Constructor<SdkClient>;
  return {
    client: new Client(settings),
    command: (operation, input) => {
      const Command = module[`${operation}Command`] as Constructor<object>;
      return new Command(input);
    },
  };
}
