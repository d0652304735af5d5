import { at, isObject, type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import { contentsOf } from '../terraform/contents.ts';
import { RESOURCES_MAX } from '../terraform/module.ts';
import type { PlanRead } from '../terraform/plan.ts';
import type { Resource } from '../terraform/resource.ts';
import { said, written } from '../written/resource.ts';
import { nodeClassResources } from './node-class.ts';
import { known } from './placeholders.ts';

const BY = 'Karpenter manifest';

/** True for a NodePool or EC2NodeClass, and for what they were called before. */
export function isOfKarpenter(document: Json): boolean {
  const kind = textAt(document, 'kind') ?? '';
  const group = (textAt(document, 'apiVersion') ?? '').split('/')[0] ?? '';
  return GROUPS.has(group) && KINDS.has(kind);
}

const GROUPS = new Set(['karpenter.sh', 'karpenter.k8s.aws']);
const KINDS = new Set(['NodePool', 'EC2NodeClass', 'Provisioner', 'AWSNodeTemplate']);

/**
 * Reads NodePools and EC2NodeClasses (v1 and v1beta1) as groups and the templates that they launch
 * with. What the manifests leave to Karpenter, as the types and subnets that it chooses, is unknown.
 *
 * @param locator what the file is called in evidence
 */
export function readManifests(documents: readonly Json[], locator: string): PlanRead {
  const own = documents.filter(isOfKarpenter).filter(isObject);
  const read = own.filter(({ kind }) => kind === 'NodePool' || kind === 'EC2NodeClass');
  if (read.length === 0)
    return { ok: false, why: 'its kinds are those of Karpenter before v1beta1' };
  const resources = read.flatMap((one) =>
    one['kind'] === 'NodePool' ? poolOf(one) : nodeClassResources(one),
  );
  if (resources.length > RESOURCES_MAX)
    return { ok: false, why: `it comes to more than ${RESOURCES_MAX} resources` };
  const source = { locator, by: BY, doubts: [], isRemoving: false, canWriteMaps: false };
  return { ok: true, contents: contentsOf(resources, source) };
}

/** More types of one pool than these are not compared. */
const TYPES_MAX = 200;

function poolOf(pool: JsonObject): readonly Resource[] {
  const name = known(textAt(pool, 'metadata.name')) ?? '';
  const spec = at(pool, 'spec.template.spec');
  const nodeClass = known(textAt(spec, 'nodeClassRef.name'));
  const overrides = typesOf(spec).map((type) => ({ instance_type: type }));
  const values = said({
    name,
    launch_template: nodeClass === null ? undefined : [{ id: `EC2NodeClass/${nodeClass}` }],
    mixed_instances_policy:
      overrides.length === 0 ? undefined : [{ launch_template: [{ override: overrides }] }],
    suspended_processes: [],
    // Karpenter puts it on every machine of the pool.
    tag: [{ key: 'karpenter.sh/nodepool', value: name }],
  });
  const unknown = { vpc_zone_identifier: true, launch_template: nodeClass === null };
  const address = `NodePool/${name}`;
  return [
    written('aws_autoscaling_group', address, values, { unknown }),
    written('karpenter_node_pool', address, { metadata: { name }, spec: at(pool, 'spec') ?? {} }),
  ];
}

/** The types that a pool lists itself; none where it describes them otherwise. */
function typesOf(spec: Json | undefined): readonly string[] {
  const listed = listAt(spec, 'requirements').find(
    (one) =>
      textAt(one, 'key') === 'node.kubernetes.io/instance-type' && textAt(one, 'operator') === 'In',
  );
  const types = listAt(listed, 'values').filter((type) => typeof type === 'string');
  return types.slice(0, TYPES_MAX);
}
