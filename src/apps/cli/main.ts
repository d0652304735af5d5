import { enableCompileCache } from 'node:module';
import { begin } from './begin.ts';

await begin(process.argv.slice(2), () => {
  enableCompileCache();
});
