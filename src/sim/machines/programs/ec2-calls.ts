import type { JsonObject } from '../../../evidence/json.ts';
import { listAt, textAt } from '../../../evidence/json.ts';
import type { AwsAnswer, AwsRefusal } from '../../aws/contract.ts';
import type { Host } from '../host.ts';
import type { MachineNetwork } from '../network/network.ts';

export type Called =
  | { readonly ok: true; readonly output: JsonObject }
  | { readonly ok: false; readonly refusal: AwsRefusal };

/** The calls of ipamd, with the role of the node. */
export class Ec2Calls {
  readonly #host: Host;
  readonly #network: MachineNetwork;

  constructor(host: Host, network: MachineNetwork) {
    this.#host = host;
    this.#network = network;
  }

  call(operation: string, input: JsonObject): Called {
    if (this.#network.isLost('aws-api')) return SILENCE;
    const key = this.#host.accessKeyId();
    const identity = key === null ? null : this.#host.world.aws.identityOf(key);
    if (identity === null) return NO_CREDENTIALS;
    const answer: AwsAnswer = this.#host.world.aws.answer(identity, {
      service: 'ec2',
      operation,
      input,
    });
    return answer;
  }

  createInterface(): Called & { readonly id?: string } {
    const { instanceId, subnetId } = this.#host.instance();
    const called = this.call('CreateNetworkInterface', {
      SubnetId: subnetId,
      Description: `aws-K8S-${instanceId}`,
      TagSpecifications: [
        {
          ResourceType: 'network-interface',
          Tags: [
            { Key: 'node.k8s.amazonaws.com/instance_id', Value: instanceId },
            {
              Key: 'node.k8s.amazonaws.com/createdAt',
              Value: new Date(this.#host.nowMs()).toISOString(),
            },
            { Key: 'cluster.k8s.amazonaws.com/name', Value: this.#host.settings.clusterName },
          ],
        },
      ],
    });
    if (!called.ok) return called;
    return { ...called, id: textAt(called.output, 'NetworkInterface.NetworkInterfaceId') ?? '' };
  }

  attach(id: string, deviceIndex: number): Called {
    return this.call('AttachNetworkInterface', {
      NetworkInterfaceId: id,
      InstanceId: this.#host.instanceId,
      DeviceIndex: deviceIndex,
    });
  }

  /** So that it goes with the machine. */
  bindToInstance(id: string, attachmentId: string): Called {
    return this.call('ModifyNetworkInterfaceAttribute', {
      NetworkInterfaceId: id,
      Attachment: { AttachmentId: attachmentId, DeleteOnTermination: true },
    });
  }

  assign(id: string, count: number, isPrefix: boolean): Called {
    const wanted = isPrefix
      ? { Ipv4PrefixCount: count }
      : { SecondaryPrivateIpAddressCount: count };
    return this.call('AssignPrivateIpAddresses', { NetworkInterfaceId: id, ...wanted });
  }

  /** One item of DescribeInstanceTypes. */
  describeType(instanceType: string): Called & { readonly item?: JsonObject } {
    const called = this.call('DescribeInstanceTypes', { InstanceTypes: [instanceType] });
    if (!called.ok) return called;
    const [item] = listAt(called.output, 'InstanceTypes');
    return item === undefined ? called : { ...called, item: item as JsonObject };
  }
}

const SILENCE: Called = {
  ok: false,
  refusal: {
    code: 'RequestError',
    message:
      'send request failed caused by: Post "https://ec2.amazonaws.com/": dial tcp: i/o timeout',
    status: 0,
  },
};

const NO_CREDENTIALS: Called = {
  ok: false,
  refusal: {
    code: 'NoCredentialProviders',
    message: 'no valid providers in chain, no EC2 IMDS role found',
    status: 404,
  },
};
