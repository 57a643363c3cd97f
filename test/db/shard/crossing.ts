/** Statements that cross shards, by their names, and what that means. */
export const CROSSING: readonly { readonly names: RegExp; readonly why: string }[] = [];
