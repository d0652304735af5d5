/** Entry of the one process for the tests of the engine, the commands and what stands on them. */
import { loadGroup } from './load.ts';

await loadGroup('product');
