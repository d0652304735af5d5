import { registerHooks } from 'node:module';

/**
 * Finds modules that sources name by a relative path where the path says they are. Node.js would
 * ask of each whether it is a link, to which package it belongs and what its syntax is, which is a
 * fourth of a start from sources; one that does not exist is then an `ENOENT`.
 */
export function findOwnModules(): void {
  registerHooks({
    resolve: (specifier, context, next) => {
      const { parentURL } = context;
      const isOwn = specifier.startsWith('.') && specifier.endsWith('.ts');
      if (!isOwn || parentURL === undefined) return next(specifier, context);
      const { href } = new URL(specifier, parentURL);
      return { url: href, format: 'module-typescript', shortCircuit: true };
    },
  });
}
