/** The clients of the SDK, each loaded by the first call to its service. */
import { SDK_PACKAGES, type SdkService } from './sdk-packages.ts';

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

type Constructor<Made> = new (argument: object) => Made;

export async function loadService(service: SdkService, settings: object): Promise<LoadedService> {
  const { load, client } = SDK_PACKAGES[service];
  const module = await load();
  const Client = module[client] as Constructor<SdkClient>;
  return {
    client: new Client(settings),
    command: (operation, input) => {
      const Command = module[`${operation}Command`] as Constructor<object>;
      return new Command(input);
    },
  };
}
