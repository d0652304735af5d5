/** Refusals as each protocol words them. */
import type { AwsRefusal } from '../../sim/aws/contract.ts';
import type { Protocol } from './services.ts';
import { escaped } from './xml-output.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const XML_TYPE = 'text/xml;charset=UTF-8';
export const JSON_TYPE = 'application/x-amz-json-1.1';

export function errorReply(
  protocol: Protocol | null,
  refusal: AwsRefusal,
  requestId: string,
): Reply {
  const { status } = refusal;
  if (protocol === 'json' || protocol === 'rest-json')
    return { status, ...jsonError(protocol, refusal, requestId) };
  const body = protocol === 'ec2' ? ec2Error(refusal, requestId) : queryError(refusal, requestId);
  const headers = { 'content-type': XML_TYPE, 'x-amzn-requestid': requestId };
  return { status, headers, body };
}

function jsonError(
  protocol: Protocol,
  { code, message }: AwsRefusal,
  requestId: string,
): Omit<Reply, 'status'> {
  const headers = { 'x-amzn-errortype': code, 'x-amzn-requestid': requestId };
  if (protocol === 'rest-json')
    return {
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ message }),
    };
  const body = JSON.stringify({ __type: code, message });
  return { headers: { ...headers, 'content-type': JSON_TYPE }, body };
}

function ec2Error({ code, message }: AwsRefusal, requestId: string): string {
  const error = `<Error><Code>${escaped(code)}</Code><Message>${escaped(message)}</Message></Error>`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Response><Errors>${error}</Errors><RequestID>${requestId}</RequestID></Response>`;
}

function queryError({ code, message, status }: AwsRefusal, requestId: string): string {
  const type = status >= 500 ? 'Receiver' : 'Sender';
  const error = `<Error><Type>${type}</Type><Code>${escaped(code)}</Code><Message>${escaped(message)}</Message></Error>`;
  return `<ErrorResponse>${error}<RequestId>${requestId}</RequestId></ErrorResponse>`;
}
