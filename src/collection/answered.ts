import { AWS_SHAPES, type AwsFacts, type AwsKind } from '../evidence/aws/shapes.ts';
import { type Json, listAt } from '../evidence/json.ts';
import { project } from '../evidence/project.ts';
import type { Shape, ValueOf } from '../evidence/shape.ts';

/** What a shape keeps of each value; those of another form are left out. */
export function projected<const S extends Shape>(
  shape: S,
  values: readonly Json[],
): readonly ValueOf<S>[] {
  const kept = values.map((value) => project(shape, value));
  return kept.filter((value) => value !== undefined) as readonly ValueOf<S>[];
}

/** The items that a member of answers lists, as readers make facts of them. */
export function itemsIn<K extends AwsKind>(
  answers: readonly Json[],
  member: string,
  kind: K,
): readonly AwsFacts[K][] {
  const items = answers.flatMap((answer) => listAt(answer, member));
  return projected(AWS_SHAPES[kind], items) as readonly unknown[] as readonly AwsFacts[K][];
}
