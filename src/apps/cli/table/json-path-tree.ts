/** One step of a path in kubectl's JSONPath dialect. */
export type PathStep =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'wildcard' }
  | { readonly kind: 'recursive' }
  | { readonly kind: 'index'; readonly at: number }
  | {
      readonly kind: 'slice';
      readonly from: number | null;
      readonly to: number | null;
      readonly by: number;
    }
  | { readonly kind: 'union'; readonly members: readonly PathStep[] }
  | { readonly kind: 'filter'; readonly filter: PathFilter }
  | { readonly kind: 'constant'; readonly value: string | number | boolean };

export type Path = readonly PathStep[];

export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=';

export interface PathFilter {
  readonly left: Path;
  /** null asks only whether the left side is there. */
  readonly comparison: Comparison | null;
  readonly right: Path;
}

/** A piece of a template: text between braces as it stands, a path, or a loop. */
export type TemplatePiece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'path'; readonly path: Path }
  | { readonly kind: 'range'; readonly path: Path; readonly body: readonly TemplatePiece[] };

/** A template that cannot be read; the message names the place and what was expected. */
export class JsonPathError extends Error {}
