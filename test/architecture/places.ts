/** Places that exist on one machine only. */
import { at, type Check, type SourceFile, type Violation } from './sources.ts';

/** @param here what names this machine: the path of the checkout, the host of its registry */
export function places(here: readonly string[]): Check {
  return {
    title: 'no file names a place on the machine where it was written',
    run: (files) => files.flatMap((file) => namedPlaces(file, here)),
  };
}

/** Homes of the images and build machines of the field are facts; logs mention them. */
const HOME =
  /(?<![\w.~})-])\/(?:work\/[\w.]|root\/(?!sdk\/go|\.aws\/credentials)[\w.]|home\/(?!(?:kubernetes|ec2-user|ubuntu|core|prow)\b)\w)/;
const WORKPLACE = /(?<![\w.~})-])\/work\/[\w.]/;
const PACKAGE_REGISTRY =
  /\bregistry\.(?:npmjs|yarnpkg)\.\w+|\bnpm\.pkg\.github\.com|\/artifactory\//;

function namedPlaces(file: SourceFile, here: readonly string[]): readonly Violation[] {
  // What a node printed is quoted as it was, homes included.
  const home = /(?:^|\/)examples\//.test(file.path) ? WORKPLACE : HOME;
  return file.text.split('\n').flatMap((line, index) => {
    const found =
      home.exec(line)?.[0] ??
      PACKAGE_REGISTRY.exec(line)?.[0] ??
      here.find((one) => line.includes(one));
    if (found === undefined) return [];
    return [at(file, index + 1, `names ${found}, which is not everywhere; leave it out`)];
  });
}

/**
 * @param registry address of the package registry in use, which may be a private one
 * @returns its host, unless every machine has that host
 */
export function registryHost(registry: string | undefined): readonly string[] {
  if (registry === undefined || !URL.canParse(registry)) return [];
  const { host, port } = new URL(registry);
  return port === '' && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(host) ? [] : [host];
}
