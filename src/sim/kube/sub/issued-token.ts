/** What a token of a service account says, and until when. */
export interface IssuedToken {
  readonly namespace: string;
  readonly account: string;
  readonly uid: string;
  readonly expiresMs: number;
  /** A pod that it is bound to dies with it. */
  readonly pod: { readonly name: string; readonly uid: string } | null;
}
