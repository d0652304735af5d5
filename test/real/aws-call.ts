/** One call of an AWS client, as it comes over the wire, and the answers that a double gives. */
import type { IncomingHttpHeaders } from 'node:http';

/** How a service words requests and errors. */
export type Protocol = 'ec2' | 'query' | 'json' | 'rest';

export interface AwsCall {
  /** As the signature names it, such as `ec2`; empty where nothing was signed. */
  readonly service: string;
  /** `DescribeInstances`, or method and path where the service has no other name for it. */
  readonly action: string;
  readonly protocol: Protocol;
  /** Of the EC2 and query protocols; empty otherwise. */
  readonly parameters: URLSearchParams;
}

export interface AwsRefusal {
  /** The HTTP status. */
  readonly status: number;
  /** Such as `UnauthorizedOperation`. */
  readonly code: string;
  readonly message: string;
}

export interface AwsAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Incoming {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export function parseCall({ method, url, headers, body }: Incoming): AwsCall {
  const { pathname, search } = new URL(url, 'http://127.0.0.1');
  const service = serviceOf(headers);
  const target = headers['x-amz-target'];
  if (typeof target === 'string') {
    const action = target.slice(target.lastIndexOf('.') + 1);
    return { service, action, protocol: 'json', parameters: new URLSearchParams() };
  }
  const isForm = (headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded');
  const parameters = new URLSearchParams(isForm ? body : search);
  const action = parameters.get('Action');
  if (action !== null)
    return { service, action, protocol: service === 'ec2' ? 'ec2' : 'query', parameters };
  const rest = { protocol: 'rest', parameters: new URLSearchParams() } as const;
  return { service, action: `${method} ${pathname}`, ...rest };
}

/** The credential scope of the signature ends in date, region, service and `aws4_request`. */
function serviceOf({ authorization = '' }: IncomingHttpHeaders): string {
  return /Credential=[^/,]+\/\d{8}\/[^/]+\/([^/]+)\/aws4_request/.exec(authorization)?.[1] ?? '';
}

type Named = Pick<AwsCall, 'service' | 'action'>;

/** @param selector `*`, a service as `ec2:*`, or an action as `DescribeInstances` */
export function selects(selector: string, { service, action }: Named): boolean {
  return selector === '*' || selector === `${service}:*` || selector === action;
}

/** The values of a list parameter such as `InstanceId.1`, in their order. */
export function listParameter(parameters: URLSearchParams, name: string): readonly string[] {
  return [...parameters].filter(([key]) => isItem(key, name)).map(([, value]) => value);
}

function isItem(key: string, name: string): boolean {
  return key.startsWith(`${name}.`) && /^\d+$/.test(key.slice(name.length + 1));
}

/** AWS takes an identifier that is listed twice; moto 5.2.1 answers 500. */
export function withoutRepetition(parameters: URLSearchParams, name: string): URLSearchParams {
  const rest = [...parameters].filter(([key]) => !isItem(key, name));
  const once = [...new Set(listParameter(parameters, name))];
  const items = once.map((value, index) => [`${name}.${index + 1}`, value]);
  return new URLSearchParams([...rest, ...items]);
}

/** The refusal as the service of this call would word it. */
export function refusalAnswer({ protocol }: AwsCall, refusal: AwsRefusal): AwsAnswer {
  const { status, code, message } = refusal;
  const xml = { 'content-type': 'text/xml' };
  const [shortCode, text] = [escapeXml(code), escapeXml(message)];
  const id = '00000000-0000-4000-8000-000000000000';
  const error = `<Code>${shortCode}</Code><Message>${text}</Message>`;
  if (protocol === 'ec2') {
    const errors = `<Errors><Error>${error}</Error></Errors><RequestID>${id}</RequestID>`;
    return { status, headers: xml, body: `<Response>${errors}</Response>` };
  }
  if (protocol === 'query') {
    const typed = `<Error><Type>Sender</Type>${error}</Error><RequestId>${id}</RequestId>`;
    return { status, headers: xml, body: `<ErrorResponse>${typed}</ErrorResponse>` };
  }
  const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amzn-errortype': code };
  return { status, headers, body: JSON.stringify({ __type: code, message }) };
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** What AWS says of instances that it does not know, or not yet. */
export function notFound(ids: readonly string[]): AwsRefusal {
  const [id = ''] = ids;
  const message =
    ids.length === 1
      ? `The instance ID '${id}' does not exist`
      : `The instance IDs '${ids.join(', ')}' do not exist`;
  return { status: 400, code: 'InvalidInstanceID.NotFound', message };
}

/** moto 5.2.1 does not know this action; an instance without a placement is in no set. */
export const NO_TOPOLOGY: AwsAnswer = {
  status: 200,
  headers: { 'content-type': 'text/xml' },
  body:
    '<DescribeInstanceTopologyResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">' +
    '<requestId>00000000-0000-4000-8000-000000000000</requestId><instanceSet/>' +
    '</DescribeInstanceTopologyResponse>',
};

/** Takes instances out of an EC2 answer, and reservations that are empty then. */
export function withoutInstances(xml: string, ids: ReadonlySet<string>): string {
  const isHidden = (item: string): boolean => {
    const id = /<instanceId>([^<]*)<\/instanceId>/.exec(item)?.[1];
    return id !== undefined && ids.has(id);
  };
  const instances = withoutItems(xml, 'instancesSet', isHidden);
  const statuses = withoutItems(instances, 'instanceStatusSet', isHidden);
  return withoutItems(statuses, 'reservationSet', (item) =>
    /<instancesSet>\s*<\/instancesSet>/.test(item),
  );
}

/** Drops items of every element of this name; items of items stay with theirs. */
function withoutItems(xml: string, set: string, isDropped: (item: string) => boolean): string {
  const elements = new RegExp(`(?<=<${set}>)[\\s\\S]*?(?=</${set}>)`, 'g');
  return xml.replaceAll(elements, (content) =>
    itemsOf(content)
      .filter((item) => !isDropped(item))
      .join(''),
  );
}

/** The items on the outermost level. */
function itemsOf(content: string): readonly string[] {
  const items: string[] = [];
  let depth = 0;
  let start = 0;
  for (const tag of content.matchAll(/<item>|<\/item>/g)) {
    if (tag[0] === '<item>') {
      if (depth === 0) start = tag.index;
      depth += 1;
    } else {
      depth -= 1;
      if (depth === 0) items.push(content.slice(start, tag.index + tag[0].length));
    }
  }
  return items;
}
