import { block, type Fields, first, flag, json, number, tags, text } from './fields.ts';

/** A type of resource in Terraform, and its properties that causes look at. */
export interface TypeTable {
  readonly type: string;
  readonly fields: Fields;
  /** What AWS sets where the template says nothing. */
  readonly defaults?: Readonly<Record<string, boolean | string>>;
  /** What AWS chooses where the template says nothing, which nobody knows before. */
  readonly chosen?: readonly string[];
}

const RULE_FIELDS: Fields = {
  GroupId: 'security_group_id',
  IpProtocol: text('ip_protocol'),
  FromPort: number('from_port'),
  ToPort: number('to_port'),
  CidrIp: 'cidr_ipv4',
  CidrIpv6: 'cidr_ipv6',
  SourcePrefixListId: 'prefix_list_id',
  DestinationPrefixListId: 'prefix_list_id',
  SourceSecurityGroupId: 'referenced_security_group_id',
  DestinationSecurityGroupId: 'referenced_security_group_id',
};

const LAUNCH_FIELDS: Fields = {
  ImageId: 'image_id',
  InstanceType: 'instance_type',
  UserData: 'user_data',
};

/** Those of `LaunchTemplateData` beside its name, as Terraform has them. */
const TEMPLATE_FIELDS: Fields = {
  ...LAUNCH_FIELDS,
  LaunchTemplateName: 'name',
  IamInstanceProfile: block('iam_instance_profile', { Arn: 'arn', Name: 'name' }),
  SecurityGroupIds: 'vpc_security_group_ids',
  NetworkInterfaces: block('network_interfaces', {
    AssociatePublicIpAddress: text('associate_public_ip_address'),
    Groups: 'security_groups',
    SubnetId: 'subnet_id',
  }),
  MetadataOptions: block('metadata_options', {
    HttpPutResponseHopLimit: number('http_put_response_hop_limit'),
    HttpTokens: 'http_tokens',
  }),
  BlockDeviceMappings: block('block_device_mappings', {
    DeviceName: 'device_name',
    Ebs: block('ebs', { KmsKeyId: 'kms_key_id', VolumeSize: number('volume_size') }),
  }),
  TagSpecifications: block('tag_specifications', {
    ResourceType: 'resource_type',
    Tags: tags('tags'),
  }),
};

const SPECIFICATION = block('launch_template_specification', {
  LaunchTemplateId: 'launch_template_id',
  LaunchTemplateName: 'launch_template_name',
  Version: text('version'),
});

const GROUP_FIELDS: Fields = {
  AutoScalingGroupName: 'name',
  DesiredCapacity: number('desired_capacity'),
  MaxSize: number('max_size'),
  MinSize: number('min_size'),
  LaunchConfigurationName: 'launch_configuration',
  LaunchTemplate: block('launch_template', { LaunchTemplateId: 'id', LaunchTemplateName: 'name' }),
  MixedInstancesPolicy: block('mixed_instances_policy', {
    LaunchTemplate: block('launch_template', {
      LaunchTemplateSpecification: SPECIFICATION,
      Overrides: block('override', { InstanceType: 'instance_type' }),
    }),
  }),
  VPCZoneIdentifier: 'vpc_zone_identifier',
  Tags: block('tag', { Key: 'key', Value: text('value') }),
};

/** The resources of a template that say whether machines become nodes. */
export const TABLES: Readonly<Record<string, TypeTable>> = {
  'AWS::AutoScaling::AutoScalingGroup': {
    type: 'aws_autoscaling_group',
    fields: GROUP_FIELDS,
  },
  'AWS::AutoScaling::LaunchConfiguration': {
    type: 'aws_launch_configuration',
    fields: {
      ...LAUNCH_FIELDS,
      LaunchConfigurationName: 'name',
      IamInstanceProfile: 'iam_instance_profile',
    },
  },
  'AWS::EC2::DHCPOptions': {
    type: 'aws_vpc_dhcp_options',
    fields: { DomainName: 'domain_name', DomainNameServers: 'domain_name_servers' },
  },
  'AWS::EC2::InternetGateway': { type: 'aws_internet_gateway', fields: {} },
  'AWS::EC2::LaunchTemplate': { type: 'aws_launch_template', fields: TEMPLATE_FIELDS },
  'AWS::EC2::NatGateway': {
    type: 'aws_nat_gateway',
    fields: { ConnectivityType: 'connectivity_type', SubnetId: 'subnet_id' },
    defaults: { connectivity_type: 'public' },
  },
  'AWS::EC2::NetworkAcl': { type: 'aws_network_acl', fields: {} },
  'AWS::EC2::Route': {
    type: 'aws_route',
    fields: {
      RouteTableId: 'route_table_id',
      DestinationCidrBlock: 'destination_cidr_block',
      DestinationIpv6CidrBlock: 'destination_ipv6_cidr_block',
      DestinationPrefixListId: 'destination_prefix_list_id',
      GatewayId: 'gateway_id',
      NatGatewayId: 'nat_gateway_id',
      NetworkInterfaceId: 'network_interface_id',
      TransitGatewayId: 'transit_gateway_id',
      VpcPeeringConnectionId: 'vpc_peering_connection_id',
    },
  },
  'AWS::EC2::RouteTable': { type: 'aws_route_table', fields: { VpcId: 'vpc_id' } },
  'AWS::EC2::SecurityGroup': {
    type: 'aws_security_group',
    fields: { GroupName: 'name', VpcId: 'vpc_id', Tags: tags('tags') },
  },
  'AWS::EC2::SecurityGroupEgress': {
    type: 'aws_vpc_security_group_egress_rule',
    fields: RULE_FIELDS,
  },
  'AWS::EC2::SecurityGroupIngress': {
    type: 'aws_vpc_security_group_ingress_rule',
    fields: RULE_FIELDS,
  },
  'AWS::EC2::Subnet': {
    type: 'aws_subnet',
    fields: {
      AssignIpv6AddressOnCreation: flag('assign_ipv6_address_on_creation'),
      AvailabilityZone: 'availability_zone',
      AvailabilityZoneId: 'availability_zone_id',
      CidrBlock: 'cidr_block',
      MapPublicIpOnLaunch: flag('map_public_ip_on_launch'),
      Tags: tags('tags'),
      VpcId: 'vpc_id',
    },
    defaults: { assign_ipv6_address_on_creation: false, map_public_ip_on_launch: false },
    chosen: ['availability_zone', 'availability_zone_id'],
  },
  'AWS::EC2::SubnetRouteTableAssociation': {
    type: 'aws_route_table_association',
    fields: { RouteTableId: 'route_table_id', SubnetId: 'subnet_id' },
  },
  'AWS::EC2::VPC': {
    type: 'aws_vpc',
    fields: {
      CidrBlock: 'cidr_block',
      EnableDnsHostnames: flag('enable_dns_hostnames'),
      EnableDnsSupport: flag('enable_dns_support'),
      Tags: tags('tags'),
    },
    defaults: { enable_dns_hostnames: false, enable_dns_support: true },
  },
  'AWS::EC2::VPCDHCPOptionsAssociation': {
    type: 'aws_vpc_dhcp_options_association',
    fields: { DhcpOptionsId: 'dhcp_options_id', VpcId: 'vpc_id' },
  },
  'AWS::EC2::VPCEndpoint': {
    type: 'aws_vpc_endpoint',
    fields: {
      PrivateDnsEnabled: flag('private_dns_enabled'),
      SecurityGroupIds: 'security_group_ids',
      ServiceName: 'service_name',
      VpcEndpointType: 'vpc_endpoint_type',
      VpcId: 'vpc_id',
    },
    defaults: { vpc_endpoint_type: 'Gateway' },
  },
  'AWS::EKS::AccessEntry': {
    type: 'aws_eks_access_entry',
    fields: {
      ClusterName: 'cluster_name',
      KubernetesGroups: 'kubernetes_groups',
      PrincipalArn: 'principal_arn',
      Type: 'type',
      Username: 'user_name',
    },
  },
  'AWS::EKS::Addon': {
    type: 'aws_eks_addon',
    fields: {
      AddonName: 'addon_name',
      AddonVersion: 'addon_version',
      ClusterName: 'cluster_name',
      ConfigurationValues: 'configuration_values',
      PodIdentityAssociations: block('pod_identity_association', {
        RoleArn: 'role_arn',
        ServiceAccount: 'service_account',
      }),
      ServiceAccountRoleArn: 'service_account_role_arn',
    },
    chosen: ['addon_version'],
  },
  'AWS::EKS::Cluster': {
    type: 'aws_eks_cluster',
    fields: {
      Name: 'name',
      AccessConfig: block('access_config', { AuthenticationMode: 'authentication_mode' }),
      ComputeConfig: block('compute_config', { Enabled: flag('enabled') }),
      KubernetesNetworkConfig: block('kubernetes_network_config', {
        IpFamily: 'ip_family',
        ServiceIpv4Cidr: 'service_ipv4_cidr',
      }),
      ResourcesVpcConfig: block('vpc_config', {
        EndpointPrivateAccess: flag('endpoint_private_access'),
        EndpointPublicAccess: flag('endpoint_public_access'),
        PublicAccessCidrs: 'public_access_cidrs',
        SecurityGroupIds: 'security_group_ids',
        SubnetIds: 'subnet_ids',
      }),
      RoleArn: 'role_arn',
      Version: text('version'),
    },
    chosen: ['endpoint', 'identity', 'kubernetes_network_config', 'version'],
  },
  'AWS::EKS::Nodegroup': {
    type: 'aws_eks_node_group',
    fields: {
      AmiType: 'ami_type',
      CapacityType: 'capacity_type',
      ClusterName: 'cluster_name',
      DiskSize: number('disk_size'),
      InstanceTypes: 'instance_types',
      LaunchTemplate: block('launch_template', { Id: 'id', Name: 'name' }),
      NodeRole: 'node_role_arn',
      NodegroupName: 'node_group_name',
      ScalingConfig: block('scaling_config', {
        DesiredSize: number('desired_size'),
        MaxSize: number('max_size'),
        MinSize: number('min_size'),
      }),
      Subnets: 'subnet_ids',
      Version: text('version'),
    },
    chosen: ['ami_type', 'capacity_type', 'disk_size', 'instance_types', 'version'],
  },
  'AWS::EKS::PodIdentityAssociation': {
    type: 'aws_eks_pod_identity_association',
    fields: {
      ClusterName: 'cluster_name',
      Namespace: 'namespace',
      RoleArn: 'role_arn',
      ServiceAccount: 'service_account',
    },
  },
  'AWS::IAM::InstanceProfile': {
    type: 'aws_iam_instance_profile',
    fields: { InstanceProfileName: 'name', Roles: first('role') },
  },
  'AWS::IAM::ManagedPolicy': { type: 'aws_iam_policy', fields: { ManagedPolicyName: 'name' } },
  'AWS::IAM::OIDCProvider': {
    type: 'aws_iam_openid_connect_provider',
    fields: { ClientIdList: 'client_id_list', Url: 'url' },
  },
  'AWS::IAM::Role': {
    type: 'aws_iam_role',
    fields: {
      AssumeRolePolicyDocument: json('assume_role_policy'),
      Path: 'path',
      RoleName: 'name',
    },
    defaults: { path: '/' },
  },
  'AWS::KMS::Key': { type: 'aws_kms_key', fields: { KeyPolicy: json('policy') } },
};

/** Parts of a resource that are resources of their own in Terraform. */
export const PARTS: Readonly<Record<string, TypeTable>> = {
  AccessPolicy: {
    type: 'aws_eks_access_policy_association',
    fields: {
      AccessScope: block('access_scope', { Type: 'type' }),
      ClusterName: 'cluster_name',
      PolicyArn: 'policy_arn',
      PrincipalArn: 'principal_arn',
    },
  },
  Attachment: {
    type: 'aws_iam_role_policy_attachment',
    fields: { PolicyArn: 'policy_arn', Role: 'role' },
  },
  InlinePolicy: {
    type: 'aws_iam_role_policy',
    fields: { PolicyDocument: json('policy'), PolicyName: 'name', Role: 'role' },
  },
  Parameter: { type: 'aws_ssm_parameter', fields: { Name: 'name' } },
};
