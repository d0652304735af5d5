/** Entry of the one process for the tests of adapters, doors and their contracts. */
import { loadGroup } from './load.ts';

await loadGroup('edges');
