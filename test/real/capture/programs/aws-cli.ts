/** What the AWS CLI shows of a cloud that moto plays, and what it says when it cannot ask. */
import type { Scenario, Truth } from '../scenario.ts';
import type { Stage } from '../stage.ts';

type Form = 'json' | 'table' | 'text';

/** Runs one command of the CLI and answers what it printed. */
type Aws = (words: string) => Promise<string>;

interface Look extends Truth {
  readonly what: string;
  /** Completes “moto 5.2.1 in which …”. */
  readonly broken: string;
  /** Makes the state; the values it answers stand for `{name}` in the commands. */
  readonly lay: (aws: Aws) => Promise<Readonly<Record<string, string>>>;
  readonly commands: readonly string[];
  readonly form?: Form;
}

const TAGS = 'Tags=[{Key=kubernetes.io/cluster/orders,Value=owned},{Key=Name,Value=orders-node}]';
const IMAGE = 'ami-12c6146b';

async function network(
  aws: Aws,
  range = '10.0.16.0/20',
): Promise<Readonly<Record<string, string>>> {
  const vpc = await aws('ec2 create-vpc --cidr-block 10.0.0.0/16 --query Vpc.VpcId --output text');
  const subnet = await aws(
    `ec2 create-subnet --vpc-id ${vpc} --cidr-block ${range} --availability-zone eu-west-1a --query Subnet.SubnetId --output text`,
  );
  return { vpc, subnet };
}

async function instance(aws: Aws, more = ''): Promise<Readonly<Record<string, string>>> {
  const made = await network(aws);
  const id = await aws(
    `ec2 run-instances --image-id ${IMAGE} --instance-type m6i.large --subnet-id ${made['subnet']} --private-ip-address 10.0.31.7 --tag-specifications ResourceType=instance,${TAGS} ${more} --query Instances[0].InstanceId --output text`,
  );
  return { ...made, id };
}

async function stopped(aws: Aws): Promise<Readonly<Record<string, string>>> {
  const made = await instance(aws);
  await aws(`ec2 stop-instances --instance-ids ${made['id']}`);
  return made;
}

async function profileWithoutRole(aws: Aws): Promise<Readonly<Record<string, string>>> {
  await aws('iam create-instance-profile --instance-profile-name orders-node');
  return instance(aws, '--iam-instance-profile Name=orders-node');
}

async function leakedInterfaces(aws: Aws): Promise<Readonly<Record<string, string>>> {
  const made = await network(aws, '10.0.16.0/28');
  for (const owner of ['i-0f4b1d9a77c6e2d05', 'i-0f4b1d9a77c6e2d05', 'i-0e3a0c8966b5d1c04'])
    await aws(
      `ec2 create-network-interface --subnet-id ${made['subnet']} --description aws-K8S-${owner} --tag-specifications ResourceType=network-interface,Tags=[{Key=node.k8s.amazonaws.com/instance_id,Value=${owner}}]`,
    );
  return made;
}

async function offDnsNames(aws: Aws): Promise<Readonly<Record<string, string>>> {
  const made = await instance(aws);
  await aws(`ec2 modify-vpc-attribute --vpc-id ${made['vpc']} --enable-dns-hostnames Value=false`);
  return made;
}

const INSTANCES = 'ec2 describe-instances';
const none = (aws: Aws): ReturnType<Look['lay']> => network(aws);
const RUN = 'ec2 run-instances --instance-type m6i.large';

const LOOKS: readonly Look[] = [
  ...(['json', 'table', 'text'] as const).map(
    (form): Look => ({
      what: `instance-stopped-${form}`,
      broken: 'somebody stopped the machine',
      lay: stopped,
      commands: [INSTANCES],
      form,
      cause: 'instance-stopped-or-terminated',
      expect: 'found',
    }),
  ),
  ...(['json', 'text'] as const).map(
    (form): Look => ({
      what: `dns-hostnames-off-${form}`,
      broken: 'the VPC gives no DNS host names',
      lay: offDnsNames,
      commands: ['ec2 describe-vpc-attribute --vpc-id {vpc} --attribute enableDnsHostnames'],
      form,
      cause: 'vpc-dns-hostnames-disabled',
      expect: 'found',
    }),
  ),
  ...(['json', 'table'] as const).map(
    (form): Look => ({
      what: `leaked-interfaces-${form}`,
      broken: 'interfaces of the CNI outlive their machines',
      lay: leakedInterfaces,
      commands: ['ec2 describe-network-interfaces', 'ec2 describe-subnets --subnet-ids {subnet}'],
      form,
      cause: 'leaked-network-interfaces',
      expect: form === 'json' ? 'found' : 'unknown',
    }),
  ),
  {
    what: 'profile-without-role',
    broken: 'the instance profile of the machine holds no role',
    lay: profileWithoutRole,
    commands: [INSTANCES, 'iam get-instance-profile --instance-profile-name orders-node'],
    cause: 'no-aws-credentials',
    expect: 'found',
  },
  {
    what: 'no-profile',
    broken: 'the machine has no instance profile',
    lay: instance,
    commands: [INSTANCES],
    cause: 'no-aws-credentials',
    expect: 'unknown',
  },
  {
    what: 'subnet-unknown',
    broken: 'the subnet does not exist',
    lay: none,
    commands: [`${RUN} --image-id ${IMAGE} --subnet-id subnet-0a1b2c3d4e5f60718`],
    cause: 'invalid-subnet-or-security-group',
    expect: 'found',
  },
  {
    what: 'security-group-unknown',
    broken: 'the security group does not exist',
    lay: none,
    commands: [
      `${RUN} --image-id ${IMAGE} --subnet-id {subnet} --security-group-ids sg-0a1b2c3d4e5f60718`,
    ],
    cause: 'invalid-subnet-or-security-group',
    expect: 'found',
  },
  {
    what: 'launch-template-unknown',
    broken: 'the launch template of the group was deleted',
    lay: none,
    commands: [
      'autoscaling create-auto-scaling-group --auto-scaling-group-name orders --min-size 1 --max-size 3 --availability-zones eu-west-1a --launch-template LaunchTemplateId=lt-0a1b2c3d4e5f60718,Version=1',
    ],
    cause: 'launch-template-deleted-or-edited',
    expect: 'found',
  },
  {
    what: 'cluster-unknown',
    broken: 'no cluster has the name in the user data',
    lay: none,
    commands: ['eks describe-cluster --name orderz'],
    cause: 'wrong-cluster-name-in-user-data',
    expect: 'found',
  },
  {
    what: 'subnet-full',
    broken: 'every address of the subnet is taken',
    lay: async (aws) => {
      const made = await network(aws, '10.0.16.0/28');
      for (let count = 0; count < 11; count++)
        await aws(`ec2 create-network-interface --subnet-id ${made['subnet']}`);
      return made;
    },
    commands: [
      `${RUN} --image-id ${IMAGE} --subnet-id {subnet}`,
      'ec2 describe-subnets --subnet-ids {subnet}',
    ],
    cause: 'subnet-full-at-launch',
    expect: 'unknown',
  },
];

/** Asks moto by the CLI; what a command prints, errors included, without the line break at its end. */
function cliOf(stage: Stage, url: string, form: Form): Aws {
  return async (words) => {
    const { text } = await stage.run({
      program: 'aws',
      args: [
        ...words.split(' ').filter((word) => word !== ''),
        ...(words.includes('--output') ? [] : ['--output', form]),
      ],
      env: {
        HOME: stage.bench.dir,
        AWS_ENDPOINT_URL: url,
        AWS_DEFAULT_REGION: 'eu-west-1',
        AWS_ACCESS_KEY_ID: 'testing',
        AWS_SECRET_ACCESS_KEY: 'testing',
        AWS_PAGER: '',
      },
      limitMs: 60_000,
    });
    return text.trim();
  };
}

function filled(words: string, values: Readonly<Record<string, string>>): string {
  return words.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

export const AWS_CLI: readonly Scenario[] = LOOKS.map(
  ({ what, broken, lay, commands, form = 'json', ...truth }) => ({
    ...truth,
    id: `aws-cli/${what}`,
    source: `moto 5.2.1 in which ${broken}; ${commands.map((words) => `aws ${words.split(' --')[0]}`).join(', ')} of the AWS CLI 1.45 as ${form}`,
    needs: ['moto'],
    system: ['aws'],
    run: async (stage) => {
      const moto = await stage.moto();
      await moto.reset();
      const aws = cliOf(stage, moto.url, form);
      const values = await lay(aws);
      const files = [];
      for (const [index, words] of commands.entries()) {
        const name = `${words.split(' ').slice(0, 2).join('-')}-${index}.${form === 'json' ? 'json' : 'txt'}`;
        files.push({ name, text: await aws(filled(words, values)) });
      }
      return files;
    },
  }),
);
