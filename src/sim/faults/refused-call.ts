/** A call that was made and refused. */
export interface RefusedCall {
  /** `list nodes`, `ec2:DescribeInstances` */
  readonly call: string;
  readonly failure: string;
}
