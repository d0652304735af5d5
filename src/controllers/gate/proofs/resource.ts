import { type Saying, type Scene, unproven } from './saying.ts';

/** Proven by a resource of which the node offers some, such as that of a device plugin. */
export function sayResource(name: string, { node }: Scene): Saying {
  if (!node.resources.has(name)) return unproven(`the node offers no ${name}`);
  return { state: 'proven', sinceMs: null, hold: name, by: `the node offers ${name}` };
}
