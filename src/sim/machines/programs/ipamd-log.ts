import { isAtLeast } from '../../../domain/version.ts';
import type { AwsRefusal } from '../../aws/contract.ts';
import type { Host } from '../host.ts';
import { milliStamp, secondStamp } from '../logs/stamps.ts';

export type IpamdLevel = 'debug' | 'info' | 'warn' | 'error';

/** Writes as ipamd of one release does. */
export interface IpamdLog {
  line(level: IpamdLevel, caller: string, msg: string): void;
  /** What AWS refused, as the SDK of that release prints it. */
  refusal(operation: string, refusal: AwsRefusal): string;
}

const PATH = '/var/log/aws-routed-eni/ipamd.log';
/** zap came with 1.6, the second SDK with 1.19 (release notes of amazon-vpc-cni-k8s). */
const ZAP_SINCE = '1.6.0';
const SECOND_SDK_SINCE = '1.19.0';

export function ipamdLog(host: Host, version: string): IpamdLog {
  const isZap = isAtLeast(version, ZAP_SINCE) !== false;
  const isSecondSdk = isAtLeast(version, SECOND_SDK_SINCE) !== false;
  const text = (level: IpamdLevel, caller: string, msg: string): string =>
    isZap
      ? JSON.stringify({ level, ts: milliStamp(host.nowMs()), caller, msg })
      : `${secondStamp(host.nowMs())} [${level.toUpperCase()}] ${msg}`;
  return {
    line: (level, caller, msg) => host.files.append(PATH, text(level, caller, msg)),
    refusal: (operation, { code, message, status }) => {
      const id = requestId(host);
      return isSecondSdk
        ? `operation error EC2: ${operation}, https response error StatusCode: ${status}, RequestID: ${id}, api error ${code}: ${message}`
        : `${code}: ${message}\n\tstatus code: ${status}, request id: ${id}`;
    },
  };
}

function requestId({ random }: Host): string {
  const hex = random.hex(32);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}
