/**
 * What to add so that an access entry lets a role in.
 *
 * @param principal what stands for the ARN of the role in the configuration
 */
export function accessEntryStep(principal = 'the ARN of the node role'): string {
  return `Add an aws_eks_access_entry with principal_arn = ${principal} and type = "EC2_LINUX" (EC2_WINDOWS for Windows); it needs authentication_mode API or API_AND_CONFIG_MAP in access_config of the cluster.`;
}

/** What to add so that aws-auth lets a role in. */
export function awsAuthStep(principal = 'the ARN of the node role'): string {
  return `Map ${principal} in mapRoles of kube-system/aws-auth, with username system:node:{{EC2PrivateDNSName}} and groups system:bootstrappers and system:nodes.`;
}

/**
 * What to add so that a role has one of AWS's own policies.
 *
 * @param role the address of the role, where the plan makes it
 */
export function policyStep(policy: string, role = 'the node role'): string {
  return `Attach the policy to ${role}: an aws_iam_role_policy_attachment with policy_arn = "arn:aws:iam::aws:policy/${policy}".`;
}

/**
 * Where to correct user data, and that machines get it only when they start.
 *
 * @param what what it should hold
 */
export function userDataStep(what: string): string {
  return `In user_data of the aws_launch_template: ${what}`;
}
