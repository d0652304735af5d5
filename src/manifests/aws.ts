import { allOf, type Hole, isEqualTo, isOn, value, when } from './template.ts';

/** What the webhook of IRSA reads; Pod Identity has nothing to read here, its association names the account. */
export function roleAnnotation(path: string): Hole {
  return when(allOf(isEqualTo('aws.identity', 'irsa'), isOn(path)), {
    'eks.amazonaws.com/role-arn': value(path),
    'eks.amazonaws.com/sts-regional-endpoints': 'true',
  });
}
