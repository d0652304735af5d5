import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formOf, modelOf, type ServiceForm } from './services.ts';

/** An operation as the AWS SDK exports it. */
function exported(name: string, traits: unknown = 0): readonly unknown[] {
  return [9, 'com.example', name, traits, 'unit', 'unit'];
}

const MODULE = {
  Get$: exported('Get', { http: ['GET', '/things/{id}', 200] }),
  Put$: exported('Put', { http: ['PUT', '/things/{id}', 201] }),
  Plain$: exported('Plain'),
  GetCommand: () => undefined,
};

function formWith(module: object): { readonly form: ServiceForm; readonly loads: () => number } {
  let loads = 0;
  const load = (): Promise<object> => {
    loads += 1;
    return Promise.resolve(module);
  };
  const form: ServiceForm = { service: 'eks', protocol: 'rest-json', name: '', load };
  return { form, loads: () => loads };
}

test('services are known by the names of signatures', () => {
  const told = 'ec2 autoscaling sts iam cloudformation eks eks-auth route53 kms ecr cloudtrail'
    .split(' ')
    .map((name) => {
      const form = formOf(name);
      return `${name}: ${form?.service} ${form?.protocol} ${form?.name}`;
    });
  assert.deepEqual(told, [
    'ec2: ec2 ec2 http://ec2.amazonaws.com/doc/2016-11-15/',
    'autoscaling: autoscaling query http://autoscaling.amazonaws.com/doc/2011-01-01/',
    'sts: sts query https://sts.amazonaws.com/doc/2011-06-15/',
    'iam: iam query https://iam.amazonaws.com/doc/2010-05-08/',
    'cloudformation: cloudformation query http://cloudformation.amazonaws.com/doc/2010-05-15/',
    'eks: eks rest-json ',
    'eks-auth: eks rest-json ',
    'route53: route53 rest-xml https://route53.amazonaws.com/doc/2013-04-01/',
    'kms: kms json TrentService',
    'ecr: ecr json AmazonEC2ContainerRegistry_V20150921',
    'cloudtrail: cloudtrail json com.amazonaws.cloudtrail.v20131101.CloudTrail_20131101',
  ]);
  for (const none of ['s3', '', 'constructor', '__proto__']) assert.equal(formOf(none), null, none);
});

test('the model of a service is loaded once', async () => {
  const { form, loads } = formWith(MODULE);
  const [one, other] = await Promise.all([modelOf(form), modelOf(form)]);
  assert.equal(one, other);
  assert.equal(await modelOf(form), one);
  assert.equal(loads(), 1);
});

test('a model has operations by their names', async () => {
  const { operation } = await modelOf(formWith({ ...MODULE, 'Odd-$': exported('Odd-') }).form);
  assert.equal(operation('Plain')?.name, 'Plain');
  const long = 'x'.repeat(100);
  const named = await modelOf(
    formWith({ [`${long}$`]: exported(long), [`${long}x$`]: exported(`${long}x`) }).form,
  );
  assert.equal(named.operation(long)?.name, long);
  assert.equal(named.operation(`${long}x`), null);
  for (const none of ['', 'Odd-', 'None', 'GetCommand', 'toString'])
    assert.equal(operation(none), null, none);
});

test('a model has routes of the operations with a path', async () => {
  const { routes } = await modelOf(formWith(MODULE).form);
  assert.deepEqual(
    routes().map(({ name, http }) => [name, http?.status]),
    [
      ['Get', 200],
      ['Put', 201],
    ],
  );
  assert.equal(routes(), routes());
});

test('an agent on a node asks EKS for the keys of a pod', async () => {
  const form = formOf('eks-auth') ?? assert.fail('it is not here');
  const [operation] = (await modelOf(form)).routes();
  assert.equal(operation?.name, 'AssumeRoleForPodIdentity');
  assert.deepEqual(operation.http, {
    method: 'POST',
    path: '/clusters/{clusterName}/assume-role-for-pod-identity',
    status: 200,
  });
  const { input, output } = operation;
  const names = (shape: typeof input): readonly string[] =>
    shape.kind === 'structure' ? shape.members.map(({ name }) => name) : [];
  assert.deepEqual(names(input), ['clusterName', 'token']);
  assert.deepEqual(names(output), [
    'subject',
    'audience',
    'podIdentityAssociation',
    'assumedRoleUser',
    'credentials',
  ]);
  const below = (name: string): readonly string[] => {
    const found = output.kind === 'structure' && output.members.find((one) => one.name === name);
    return found ? names(found.shape()) : [];
  };
  assert.deepEqual(below('subject'), ['namespace', 'serviceAccount']);
  assert.deepEqual(below('podIdentityAssociation'), ['associationArn', 'associationId']);
  assert.deepEqual(below('assumedRoleUser'), ['arn', 'assumeRoleId']);
  assert.deepEqual(below('credentials'), [
    'sessionToken',
    'secretAccessKey',
    'accessKeyId',
    'expiration',
  ]);
});
