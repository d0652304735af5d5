/** Answers of AWS with secrets wherever somebody can put one. */
import type { JsonObject } from '../../../src/evidence/json.ts';
import { type Plant, plantedLog, values } from './kubernetes.ts';

const ID = 'i-0123456789abcdef0';
const VPC = 'vpc-0123456789abcdef0';
const SUBNET = 'subnet-0123456789abcdef0';

function texts(plant: Plant, place: string): readonly string[] {
  return plant(place).map(({ text }) => text);
}

function tags(plant: Plant, place: string): readonly JsonObject[] {
  return [
    { Key: 'kubernetes.io/cluster/shop', Value: 'owned' },
    ...Object.entries(values(plant, `${place} tag`)).map(([Key, Value]) => ({ Key, Value })),
    ...texts(plant, `${place} tag text`).map((Value, index) => ({ Key: `Note${index}`, Value })),
  ];
}

function script(plant: Plant, place: string): string {
  const lines = texts(plant, place).map((text) => text.replaceAll('\n', '\n  '));
  return ['#!/bin/bash', '/etc/eks/bootstrap.sh shop', ...lines, ''].join('\n');
}

function instances(plant: Plant): JsonObject {
  const Instances = [
    {
      InstanceId: ID,
      InstanceType: 'm6i.large',
      ImageId: 'ami-0123456789abcdef0',
      LaunchTime: '2026-11-22T08:00:00.000Z',
      PrivateDnsName: 'ip-10-0-1-5.eu-west-1.compute.internal',
      PrivateIpAddress: '10.0.1.5',
      State: { Code: 16, Name: 'running' },
      VpcId: VPC,
      SubnetId: SUBNET,
      KeyName: 'shop',
      ClientToken: texts(plant, 'instance client token').join(' '),
      IamInstanceProfile: { Arn: 'arn:aws:iam::111122223333:instance-profile/shop' },
      Placement: { AvailabilityZone: 'eu-west-1a', GroupName: 'g' },
      Tags: tags(plant, 'instance'),
      NetworkInterfaces: [
        { NetworkInterfaceId: 'eni-0123456789abcdef0', Description: 'x', VpcId: VPC },
      ],
    },
  ];
  return { Reservations: [{ Instances }] };
}

function group(plant: Plant): JsonObject {
  return {
    AutoScalingGroups: [
      {
        AutoScalingGroupName: 'shop-nodes',
        DesiredCapacity: 3,
        Instances: [],
        Tags: tags(plant, 'Auto Scaling group'),
        LaunchTemplate: { LaunchTemplateId: 'lt-0123456789abcdef0', Version: '1' },
        Context: texts(plant, 'Auto Scaling context').join(' '),
      },
    ],
  };
}

type Answers = Readonly<Record<string, JsonObject>>;

function machineAnswers(plant: Plant): Answers {
  return {
    'ec2:DescribeInstances': instances(plant),
    'ec2:DescribeInstanceAttribute': {
      InstanceId: ID,
      UserData: { Value: btoa(unicode(script(plant, 'user data'))) },
    },
    'ec2:GetConsoleOutput': { InstanceId: ID, Output: plantedLog(plant, 'console') },
  };
}

function networkAnswers(plant: Plant): Answers {
  return {
    'ec2:DescribeSubnets': {
      Subnets: [
        {
          SubnetId: SUBNET,
          VpcId: VPC,
          CidrBlock: '10.0.1.0/24',
          AvailableIpAddressCount: 100,
          Tags: tags(plant, 'subnet'),
        },
      ],
    },
    'ec2:DescribeSecurityGroups': {
      SecurityGroups: [
        {
          GroupId: 'sg-0123456789abcdef0',
          VpcId: VPC,
          Description: texts(plant, 'security group description').join(' '),
          IpPermissions: [
            {
              IpProtocol: 'tcp',
              FromPort: 443,
              ToPort: 443,
              IpRanges: texts(plant, 'rule description').map((Description) => ({
                CidrIp: '10.0.0.0/16',
                Description,
              })),
            },
          ],
          Tags: tags(plant, 'security group'),
        },
      ],
    },
    'ec2:DescribeNetworkInterfaces': {
      NetworkInterfaces: texts(plant, 'interface description').map((Description, index) => ({
        NetworkInterfaceId: `eni-${index.toString(16).padStart(17, '0')}`,
        Description,
        SubnetId: SUBNET,
        VpcId: VPC,
        Status: 'available',
        TagSet: index === 0 ? tags(plant, 'interface') : [],
      })),
    },
    'ec2:DescribeVpcs': {
      Vpcs: [{ VpcId: VPC, CidrBlock: '10.0.0.0/16', Tags: tags(plant, 'VPC') }],
    },
  };
}

function launchAnswers(plant: Plant): Answers {
  return {
    'ec2:DescribeLaunchTemplateVersions': {
      LaunchTemplateVersions: [
        {
          LaunchTemplateId: 'lt-0123456789abcdef0',
          VersionNumber: 1,
          VersionDescription: texts(plant, 'launch template description').join(' '),
          LaunchTemplateData: {
            ImageId: 'ami-0123456789abcdef0',
            UserData: btoa(unicode(script(plant, 'launch template user data'))),
            TagSpecifications: [{ Tags: tags(plant, 'launch template') }],
          },
        },
      ],
    },
    'ec2:DescribeSpotInstanceRequests': {
      SpotInstanceRequests: [
        {
          SpotInstanceRequestId: 'sir-1',
          InstanceId: ID,
          LaunchSpecification: { UserData: btoa(unicode(script(plant, 'spot user data'))) },
          Tags: tags(plant, 'spot request'),
        },
      ],
    },
    'autoscaling:DescribeAutoScalingGroups': group(plant),
    'autoscaling:DescribeScalingActivities': {
      Activities: texts(plant, 'scaling activity').map((text, index) => ({
        ActivityId: `a${index}`,
        AutoScalingGroupName: 'shop-nodes',
        StatusCode: 'Failed',
        StatusMessage: `You are not authorized to use launch template: ${text}`,
        Description: 'Launching a new EC2 instance',
        Cause: text,
        StartTime: '2026-11-22T08:30:00Z',
      })),
    },
    'autoscaling:DescribeLifecycleHooks': {
      LifecycleHooks: [
        {
          LifecycleHookName: 'h',
          AutoScalingGroupName: 'shop-nodes',
          NotificationMetadata: texts(plant, 'hook metadata').join(' '),
        },
      ],
    },
    'autoscaling:DescribeLaunchConfigurations': {
      LaunchConfigurations: [
        {
          LaunchConfigurationName: 'lc',
          UserData: btoa(unicode(script(plant, 'launch configuration user data'))),
        },
      ],
    },
  };
}

function clusterAnswers(plant: Plant): Answers {
  return {
    'eks:DescribeCluster': {
      cluster: {
        name: 'shop',
        arn: 'arn:aws:eks:eu-west-1:111122223333:cluster/shop',
        status: 'ACTIVE',
        roleArn: 'arn:aws:iam::111122223333:role/cluster',
        accessConfig: { authenticationMode: 'CONFIG_MAP' },
        resourcesVpcConfig: { vpcId: VPC, subnetIds: [SUBNET] },
        tags: values(plant, 'cluster tag'),
        health: {
          issues: texts(plant, 'cluster health').map((message) => ({ code: 'Other', message })),
        },
      },
    },
    'eks:DescribeNodegroup': {
      nodegroup: {
        nodegroupName: 'ng',
        clusterName: 'shop',
        nodeRole: 'arn:aws:iam::111122223333:role/shop',
        status: 'DEGRADED',
        labels: values(plant, 'node group label'),
        tags: values(plant, 'node group tag'),
        health: {
          issues: texts(plant, 'node group health').map((message) => ({
            code: 'NodeCreationFailure',
            message,
          })),
        },
      },
    },
    'eks:DescribeAddon': {
      addon: {
        addonName: 'vpc-cni',
        clusterName: 'shop',
        status: 'DEGRADED',
        configurationValues: JSON.stringify({ env: values(plant, 'add-on configuration') }),
        tags: values(plant, 'add-on tag'),
      },
    },
  };
}

/** By service and operation. */
export function plantedAnswers(plant: Plant): Answers {
  return {
    ...machineAnswers(plant),
    ...networkAnswers(plant),
    ...launchAnswers(plant),
    ...clusterAnswers(plant),
    'iam:GetRole': {
      Role: {
        RoleName: 'shop',
        Arn: 'arn:aws:iam::111122223333:role/shop',
        Description: texts(plant, 'role description').join(' '),
        Tags: tags(plant, 'role'),
      },
    },
    'cloudformation:DescribeStackEvents': {
      StackEvents: texts(plant, 'stack event').map((text, index) => ({
        EventId: `e${index}`,
        LogicalResourceId: 'NodeGroup',
        ResourceStatus: 'CREATE_FAILED',
        ResourceStatusReason: text,
        ResourceProperties: JSON.stringify({ P: text }),
        Timestamp: '2026-11-22T08:10:00Z',
      })),
    },
    'cloudtrail:LookupEvents': {
      Events: [
        {
          EventName: 'RunInstances',
          EventSource: 'ec2.amazonaws.com',
          EventTime: '2026-11-22T08:00:00Z',
          Username: 'deploy',
          CloudTrailEvent: JSON.stringify({ requestParameters: texts(plant, 'trail event') }),
          Resources: [{ ResourceName: ID, ResourceType: 'AWS::EC2::Instance' }],
        },
      ],
    },
    'logs:FilterLogEvents': {
      events: texts(plant, 'log of the control plane').map((message) => ({ message })),
    },
    'ssm:DescribeInstanceInformation': {
      InstanceInformationList: [{ InstanceId: ID, PingStatus: 'Online' }],
    },
    'ssm:SendCommand': { Command: { CommandId: 'c', Comment: texts(plant, 'comment').join(' ') } },
    'ssm:GetCommandInvocation': {
      Status: 'Success',
      StandardOutputContent: texts(plant, 'output of a command').join('\n'),
    },
    'ecr:GetAuthorizationToken': {
      authorizationData: [
        { authorizationToken: texts(plant, 'registry token').join(''), proxyEndpoint: 'https://r' },
      ],
    },
  };
}

/** btoa takes bytes. */
function unicode(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
}
