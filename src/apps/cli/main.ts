import { enableCompileCache } from 'node:module';
import { findOwnModules } from '../../adapters/system/own-modules.ts';
import { begin } from './begin.ts';

await begin(process.argv.slice(2), () => {
  enableCompileCache();
  // A package holds few modules, none of them with this ending.
  if (import.meta.filename.endsWith('.ts')) findOwnModules();
});
