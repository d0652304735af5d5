/** Entry of the one process for the tests of the simulator and the controllers in it. */
import { loadGroup } from './load.ts';

await loadGroup('simulator');
