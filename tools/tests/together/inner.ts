/** Entry of the one process for the tests of the rooms that are pure. */
import { loadGroup } from './load.ts';

await loadGroup('inner');
