/** One request from its bytes to its reply. */
import { randomUUID } from 'node:crypto';
import { type JsonObject, textAt } from '../../evidence/json.ts';
import type { AwsCloud, AwsIdentity, AwsRefusal } from '../../sim/aws/contract.ts';
import { errorReply, JSON_TYPE, type Reply, XML_TYPE } from './errors.ts';
import { jsonOutput } from './json-output.ts';
import { queryInput } from './query-input.ts';
import { jsonBody, route } from './rest-input.ts';
import type { Operation } from './schema.ts';
import { formOf, modelOf, type ServiceForm, type ServiceModel } from './services.ts';
import { type Claim, claimOf, isSignedBy, isTimely, type SignedRequest } from './signature.ts';
import { ec2Xml, queryXml, restXml } from './xml-output.ts';

export interface KeyedCloud
  extends Pick<AwsCloud, 'answer' | 'identityOf' | 'region' | 'secretOf'> {
  /** The token that temporary keys are sent with; empty for keys without one. */
  sessionTokenOf(accessKeyId: string): string | null;
}

export interface AwsSite {
  readonly cloud: KeyedCloud;
  /** Runs a task with the world brought to the present. */
  readonly enter: <T>(task: () => T) => T;
  /** The clock by which callers sign, ms since the epoch. */
  readonly nowMs: () => number;
}

/** What a request asks for. */
interface Asked {
  readonly operation: Operation;
  readonly input: JsonObject;
}

export async function answerRequest(site: AwsSite, request: SignedRequest): Promise<Reply> {
  const requestId = randomUUID();
  const caller = await callerOf(site, request);
  if ('code' in caller) return errorReply(null, caller, requestId);
  const { form, identity } = caller;
  const refuse = (refusal: AwsRefusal): Reply => errorReply(form.protocol, refusal, requestId);
  if ('code' in identity) return refuse(identity);
  const model = await modelOf(form);
  const asked = askedOf(form, model, request);
  if ('code' in asked) return refuse(asked);
  const call = { service: form.service, operation: asked.operation.name, input: asked.input };
  const answer = site.enter(() => site.cloud.answer(identity, call));
  return answer.ok
    ? reply(form, asked.operation, answer.output, requestId)
    : refuse(answer.refusal);
}

/** Which service is asked, and by whom, or why not. */
interface Caller {
  readonly form: ServiceForm;
  readonly identity: AwsIdentity | AwsRefusal;
}

const NOBODY: AwsIdentity = { arn: '', accessKeyId: '' };

async function callerOf(site: AwsSite, request: SignedRequest): Promise<Caller | AwsRefusal> {
  const claimed = claimOf(request);
  const sts = formOf('sts');
  if (sts !== null && isKeyless(request)) return { form: sts, identity: NOBODY };
  if (claimed === null) return unsigned(request);
  const form = formOf(claimed.service);
  if (form === null) return unknownService(claimed);
  return { form, identity: await identify(site, request, claimed, form) };
}

/** What nobody signs, as a token says who asks (STS API reference, AssumeRoleWithWebIdentity). */
function isKeyless(request: SignedRequest): boolean {
  if (request.headers['authorization'] !== undefined) return false;
  return parametersOf(request).get('Action') === 'AssumeRoleWithWebIdentity';
}

function parametersOf({ method, query, body }: SignedRequest): URLSearchParams {
  return method === 'GET' ? query : new URLSearchParams(new TextDecoder().decode(body));
}

function unsigned({ headers }: SignedRequest): AwsRefusal {
  if (headers['authorization'] !== undefined) {
    const message = 'Authorization header requires the parts of an AWS4-HMAC-SHA256 signature.';
    return { code: 'IncompleteSignature', message, status: 400 };
  }
  const message = 'Request is missing Authentication Token';
  return { code: 'MissingAuthenticationToken', message, status: 403 };
}

function unknownService({ service }: Claim): AwsRefusal {
  const message = `The service ${service} is not part of this world.`;
  return { code: 'UnknownService', message, status: 404 };
}

/** Services of the whole partition, signed for its first region. */
const GLOBAL = new Set(['iam', 'route53', 'sts']);

async function identify(
  { cloud, nowMs }: AwsSite,
  request: SignedRequest,
  claimed: Claim,
  form: ServiceForm,
): Promise<AwsIdentity | AwsRefusal> {
  const { accessKeyId, region } = claimed;
  const identity = cloud.identityOf(accessKeyId);
  const secret = cloud.secretOf(accessKeyId);
  if (identity === null || secret === null) return refusals(form).unknown;
  if (cloud.sessionTokenOf(accessKeyId) !== claimed.sessionToken) return refusals(form).unknown;
  if (!(await isSignedBy(request, claimed, secret))) return refusals(form).mismatch;
  if (!isTimely(claimed, nowMs())) return refusals(form).late;
  if (region === cloud.region || GLOBAL.has(form.service)) return identity;
  const message = `Credential should be scoped to a valid region, not '${region}'; this world is in ${cloud.region}.`;
  return { ...refusals(form).mismatch, message };
}

interface Refusals {
  readonly unknown: AwsRefusal;
  readonly mismatch: AwsRefusal;
  readonly late: AwsRefusal;
}

const MISMATCH =
  'The request signature we calculated does not match the signature you provided. ' +
  'Check your AWS Secret Access Key and signing method. Consult the service documentation for details.';
const UNKNOWN = 'The security token included in the request is invalid.';
const LATE = 'Signature expired: the time of the request is too far from that of the service';

/** What is wrong with a signature, in the words of the service. */
function refusals({ protocol }: ServiceForm): Refusals {
  if (protocol === 'ec2') {
    const code = 'AuthFailure';
    const message = 'AWS was not able to validate the provided access credentials';
    return {
      unknown: { code, message, status: 401 },
      mismatch: { code, message, status: 401 },
      late: { code: 'RequestExpired', message: 'Request has expired.', status: 400 },
    };
  }
  const isJson = protocol === 'json' || protocol === 'rest-json';
  const mismatch = isJson ? 'InvalidSignatureException' : 'SignatureDoesNotMatch';
  const unknown = isJson ? 'UnrecognizedClientException' : 'InvalidClientTokenId';
  const status = protocol === 'json' ? 400 : 403;
  return {
    unknown: { code: unknown, message: UNKNOWN, status },
    mismatch: { code: mismatch, message: MISMATCH, status },
    late: { code: mismatch, message: LATE, status },
  };
}

function askedOf(
  form: ServiceForm,
  model: ServiceModel,
  request: SignedRequest,
): Asked | AwsRefusal {
  const text = new TextDecoder().decode(request.body);
  switch (form.protocol) {
    case 'ec2':
    case 'query':
      return fromQuery(form, model, parametersOf(request));
    case 'json':
      return fromTarget(form, model, request.headers['x-amz-target'] ?? '', text);
    default:
      return fromPath(model, request, text);
  }
}

function fromQuery(
  { protocol }: ServiceForm,
  model: ServiceModel,
  parameters: URLSearchParams,
): Asked | AwsRefusal {
  const name = parameters.get('Action') ?? '';
  const operation = model.operation(name);
  if (operation === null) {
    const message = `The action ${name.slice(0, 100)} is not valid for this web service.`;
    return { code: 'InvalidAction', message, status: 400 };
  }
  const input = queryInput(parameters, operation.input, protocol === 'ec2');
  if (input !== null) return { operation, input };
  return { code: 'MalformedQueryString', message: 'The query string is too long.', status: 400 };
}

const MALFORMED: AwsRefusal = {
  code: 'SerializationException',
  message: 'The body is no object of JSON.',
  status: 400,
};

function fromTarget(
  { name }: ServiceForm,
  model: ServiceModel,
  target: string,
  text: string,
): Asked | AwsRefusal {
  const [, last = ''] = /\.([A-Za-z0-9]+)$/.exec(target) ?? [];
  const isOurs = target
    .slice(0, target.length - last.length - 1)
    .endsWith(name.split('.').at(-1) ?? '');
  const operation = isOurs ? model.operation(last) : null;
  if (operation === null) return { code: 'UnknownOperationException', message: '', status: 400 };
  const input = jsonBody(text);
  return input === null ? MALFORMED : { operation, input: withTimes(input) };
}

/** Times come as seconds and are texts from here on. */
function withTimes(input: JsonObject): JsonObject {
  const entries = Object.entries(input).map(([name, value]) => {
    const isTime = name.endsWith('Time') && typeof value === 'number';
    return [name, isTime ? new Date(value * 1000).toISOString() : value] as const;
  });
  return Object.fromEntries(entries);
}

function fromPath(
  model: ServiceModel,
  { method, path, query }: SignedRequest,
  text: string,
): Asked | AwsRefusal {
  const body = jsonBody(text);
  if (body === null) return MALFORMED;
  const routed = route(model.routes(), { method, path, query, body });
  if (routed !== null) return routed;
  const message = `There is no operation ${method} ${path.slice(0, 200)}.`;
  return { code: 'UnknownOperationException', message, status: 404 };
}

function reply(
  { protocol, name }: ServiceForm,
  operation: Operation,
  output: JsonObject,
  requestId: string,
): Reply {
  const ids = { 'x-amzn-requestid': requestId };
  const xml = (body: string): Reply => ({
    status: 200,
    headers: { ...ids, 'content-type': XML_TYPE },
    body,
  });
  switch (protocol) {
    case 'ec2':
      return xml(ec2Xml(operation, name, ec2Output(operation, output), requestId));
    case 'query':
      return xml(queryXml(operation, name, output, requestId));
    case 'rest-xml':
      return xml(restXml(operation, name, output));
    default: {
      const type = protocol === 'json' ? JSON_TYPE : 'application/json';
      const body = JSON.stringify(jsonOutput(operation.output, output));
      const status = operation.http?.status ?? 200;
      return { status, headers: { ...ids, 'content-type': type }, body };
    }
  }
}

/** A console goes over the wire in base64 (API reference, GetConsoleOutput). */
function ec2Output({ name }: Operation, output: JsonObject): JsonObject {
  if (name !== 'GetConsoleOutput') return output;
  const text = textAt(output, 'Output') ?? '';
  return { ...output, Output: Buffer.from(text, 'utf8').toString('base64') };
}
