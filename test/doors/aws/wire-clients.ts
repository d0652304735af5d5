/** Clients of the AWS SDK for one AWS over HTTP, and what tests do with them again and again. */
import type { TestContext } from 'node:test';
import { AutoScaling } from '@aws-sdk/client-auto-scaling';
import { CloudFormation } from '@aws-sdk/client-cloudformation';
import { EC2 } from '@aws-sdk/client-ec2';
import { EKS } from '@aws-sdk/client-eks';
import { IAM } from '@aws-sdk/client-iam';
import { KMS } from '@aws-sdk/client-kms';
import { Route53 } from '@aws-sdk/client-route-53';
import { STS } from '@aws-sdk/client-sts';

/** One AWS as it is asked over HTTP. */
export interface WireAws {
  readonly url: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Lets machines get on: real time for one, its own for the other. */
  readonly pass: (durationMs: number) => Promise<void>;
}

export interface WireAwsSubjects {
  readonly name: string;
  readonly skip: string | false;
  readonly open: (t: TestContext) => Promise<WireAws>;
}

export interface Clients {
  readonly ec2: EC2;
  readonly autoscaling: AutoScaling;
  readonly cloudformation: CloudFormation;
  readonly eks: EKS;
  readonly iam: IAM;
  readonly kms: KMS;
  readonly route53: Route53;
  readonly sts: STS;
  readonly pass: WireAws['pass'];
}

export function clientsOf(
  t: TestContext,
  { url, accessKeyId, secretAccessKey, pass }: WireAws,
): Clients {
  const credentials = { accessKeyId, secretAccessKey };
  const settings = { region: 'us-west-2', endpoint: url, credentials, maxAttempts: 1 };
  const clients = {
    ec2: new EC2(settings),
    autoscaling: new AutoScaling(settings),
    cloudformation: new CloudFormation(settings),
    eks: new EKS(settings),
    iam: new IAM(settings),
    kms: new KMS(settings),
    route53: new Route53(settings),
    sts: new STS(settings),
  };
  t.after(() => {
    for (const client of Object.values(clients)) client.destroy();
  });
  return { ...clients, pass };
}

/** The code of the error that a call ends with. */
export async function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'none',
    (error: unknown) => (error as Error).name,
  );
}

export interface Place {
  readonly SubnetId: string;
  readonly ImageId: string;
}

const PLACES = new WeakMap<Clients, Promise<Place>>();

/** A subnet and an image, asked once for a test, as the list of images may be long. */
export async function placeOf(clients: Clients): Promise<Place> {
  const known = PLACES.get(clients) ?? firstPlace(clients);
  PLACES.set(clients, known);
  return known;
}

async function firstPlace({ ec2 }: Clients): Promise<Place> {
  const [{ Subnets = [] }, { Images = [] }] = await Promise.all([
    ec2.describeSubnets({}),
    ec2.describeImages({ Filters: [{ Name: 'architecture', Values: ['x86_64'] }] }),
  ]);
  return { SubnetId: Subnets[0]?.SubnetId ?? '', ImageId: Images[0]?.ImageId ?? '' };
}

export async function launch(clients: Clients, more: object = {}): Promise<string> {
  const place = await placeOf(clients);
  const answer = await clients.ec2.runInstances({
    ...place,
    InstanceType: 'm5.large',
    MinCount: 1,
    MaxCount: 1,
    ...more,
  });
  return answer.Instances?.[0]?.InstanceId ?? '';
}
