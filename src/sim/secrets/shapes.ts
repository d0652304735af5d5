/** How a secret is made: letters of an alphabet, and how many; `password` is one of a person. */
export type Make = readonly [alphabet: keyof typeof ALPHABETS, length: number] | 'password';

/** A kind of secret: the name under which people keep it, and a text that holds it as `§`. */
export interface SecretShape {
  readonly name: string;
  readonly make: Make;
  readonly text: string;
}

const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LOWER = UPPER.toLowerCase();
const DIGITS = '0123456789';

export const ALPHABETS = {
  letters: UPPER + LOWER + DIGITS,
  base64: `${UPPER}${LOWER}${DIGITS}+/`,
  url: `${UPPER}${LOWER}${DIGITS}-_`,
  hex: '0123456789abcdef',
  lower: LOWER + DIGITS,
  upper: `${UPPER}234567`,
} as const;

function row(name: string, make: Make, text: string): SecretShape {
  return { name, make, text };
}

/** What people and programs leave in texts, by the forms that those programs print. */
export const SHAPES: readonly SecretShape[] = [
  row('DB_PASSWORD', 'password', 'DB_PASSWORD=§'),
  row('SMTP_PASS', 'password', 'export SMTP_PASS="§"'),
  row('REDIS_URL', 'password', 'redis://:§@cache:6379/0'),
  row('DATABASE_URL', 'password', 'postgres://app:§@db:5432/app?sslmode=require'),
  row('STRIPE_KEY', ['letters', 24], 'charge with sk_live_§ refused'),
  row('GITHUB_TOKEN', ['letters', 36], 'git clone with ghp_§'),
  row('GITLAB_TOKEN', ['letters', 20], 'runner uses glpat-§'),
  row('NPM_TOKEN', ['letters', 36], '//registry.example.net/:_authToken=npm_§'),
  row('VAULT_TOKEN', ['letters', 90], 'vault login hvs.§'),
  row('SLACK_TOKEN', ['letters', 24], 'xoxb-12345678901-12345678901-§'),
  row('AWS_SECRET_ACCESS_KEY', ['base64', 40], 'aws_secret_access_key = §'),
  row('AWS_ACCESS_KEY_ID', ['upper', 16], 'signed with AKIA§'),
  row('AWS_SESSION_TOKEN', ['base64', 300], 'AWS_SESSION_TOKEN=IQoJb3JpZ2luX2Vj§'),
  row('EKS_TOKEN', ['url', 120], 'token k8s-aws-v1.§'),
  row('BOOTSTRAP_TOKEN', ['lower', 16], 'kubeadm join 10.0.0.1:6443 --token abcdef.§'),
  row('SERVICE_ACCOUNT_TOKEN', ['url', 120], 'Authorization: Bearer eyJhbGciOiJSUzI1NiJ9.§'),
  row('REGISTRY_AUTH', ['base64', 32], '{"auths":{"r.example.net":{"auth":"§"}}}'),
  row('REGISTRY_PASSWORD', 'password', 'docker login -u deploy -p § r.example.net'),
  row('API_KEY', ['hex', 32], 'X-Api-Key: §'),
  row('CLIENT_SECRET', ['letters', 32], 'client_secret=§&grant_type=client_credentials'),
  row('PRESIGNED_URL', ['hex', 64], 'https://b.s3.amazonaws.com/k?X-Amz-Signature=§&X-Amz-Date=1'),
  row('PROXY_PASSWORD', 'password', 'https_proxy=http://proxy-user:§@proxy.example.net:3128/'),
  row('LICENSE_KEY', ['letters', 32], 'agent --license-key=§ --quiet'),
  row('PRIVATE_KEY', ['base64', 64], '-----BEGIN PRIVATE KEY----- § -----END PRIVATE KEY-----'),
  row('WEBHOOK_URL', ['letters', 24], 'https://hooks.slack.com/services/T01234567/B01234567/§'),
  row('ENCRYPTION_KEY', ['base64', 43], 'encryption-key: §='),
];
