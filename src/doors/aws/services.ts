/** The services behind the door: how each speaks, and its model, loaded by its first request. */
import type { AwsService } from '../../ports/aws-api.ts';
import { EKS_AUTH } from './eks-auth.ts';
import { type Operation, operationIn, operationNames } from './schema.ts';

export type Protocol = 'ec2' | 'query' | 'rest-json' | 'rest-xml' | 'json';

export interface ServiceForm {
  readonly service: AwsService;
  readonly protocol: Protocol;
  /** The namespace of its XML, or the prefix of `X-Amz-Target`; empty where there is neither. */
  readonly name: string;
  readonly load: () => Promise<object>;
}

/** By the name which signatures have for them. */
const FORMS: Readonly<Record<string, ServiceForm>> = {
  ec2: {
    service: 'ec2',
    protocol: 'ec2',
    name: 'http://ec2.amazonaws.com/doc/2016-11-15/',
    load: async () => import('@aws-sdk/client-ec2'),
  },
  autoscaling: {
    service: 'autoscaling',
    protocol: 'query',
    name: 'http://autoscaling.amazonaws.com/doc/2011-01-01/',
    load: async () => import('@aws-sdk/client-auto-scaling'),
  },
  sts: {
    service: 'sts',
    protocol: 'query',
    name: 'https://sts.amazonaws.com/doc/2011-06-15/',
    load: async () => import('@aws-sdk/client-sts'),
  },
  iam: {
    service: 'iam',
    protocol: 'query',
    name: 'https://iam.amazonaws.com/doc/2010-05-08/',
    load: async () => import('@aws-sdk/client-iam'),
  },
  cloudformation: {
    service: 'cloudformation',
    protocol: 'query',
    name: 'http://cloudformation.amazonaws.com/doc/2010-05-15/',
    load: async () => import('@aws-sdk/client-cloudformation'),
  },
  eks: {
    service: 'eks',
    protocol: 'rest-json',
    name: '',
    load: async () => import('@aws-sdk/client-eks'),
  },
  'eks-auth': {
    service: 'eks',
    protocol: 'rest-json',
    name: '',
    load: () => Promise.resolve(EKS_AUTH),
  },
  route53: {
    service: 'route53',
    protocol: 'rest-xml',
    name: 'https://route53.amazonaws.com/doc/2013-04-01/',
    load: async () => import('@aws-sdk/client-route-53'),
  },
  kms: {
    service: 'kms',
    protocol: 'json',
    name: 'TrentService',
    load: async () => import('@aws-sdk/client-kms'),
  },
  ecr: {
    service: 'ecr',
    protocol: 'json',
    name: 'AmazonEC2ContainerRegistry_V20150921',
    load: async () => import('@aws-sdk/client-ecr'),
  },
  cloudtrail: {
    service: 'cloudtrail',
    protocol: 'json',
    name: 'com.amazonaws.cloudtrail.v20131101.CloudTrail_20131101',
    load: async () => import('@aws-sdk/client-cloudtrail'),
  },
  logs: {
    service: 'logs',
    protocol: 'json',
    name: 'Logs_20140328',
    load: async () => import('@aws-sdk/client-cloudwatch-logs'),
  },
  ssm: {
    service: 'ssm',
    protocol: 'json',
    name: 'AmazonSSM',
    load: async () => import('@aws-sdk/client-ssm'),
  },
};

/** @param signingName as in the scope of a signature; null for a service that is not here */
export function formOf(signingName: string): ServiceForm | null {
  return Object.hasOwn(FORMS, signingName) ? (FORMS[signingName] ?? null) : null;
}

/** What a service can be asked. */
export interface ServiceModel {
  readonly operation: (name: string) => Operation | null;
  /** Operations with a path, for services that are asked by it. */
  readonly routes: () => readonly Operation[];
}

type SdkModule = Readonly<Record<string, unknown>>;

const MODELS = new Map<ServiceForm, Promise<ServiceModel>>();

export async function modelOf(form: ServiceForm): Promise<ServiceModel> {
  const known = MODELS.get(form) ?? form.load().then((module) => read(module as SdkModule));
  MODELS.set(form, known);
  return known;
}

function read(module: SdkModule): ServiceModel {
  let routes: readonly Operation[] | null = null;
  return {
    operation: (name) => (/^[A-Za-z0-9]{1,100}$/.test(name) ? operationIn(module, name) : null),
    routes: () => {
      routes ??= operationNames(module)
        .map((name) => operationIn(module, name))
        .filter((one) => one !== null && one.http !== null) as readonly Operation[];
      return routes;
    },
  };
}
