/** One line of the product, broken on purpose: a test must notice it. */
export interface Mutant {
  /** What is broken, in a few words; unique. */
  readonly name: string;
  /** Relative to the repository. */
  readonly file: string;
  /** The original text, which occurs exactly once in the file. */
  readonly from: string;
  /** The replacement. */
  readonly to: string;
  /** Test files, or folders of them, one of which must fail. */
  readonly tests: readonly string[];
  /** Set if no test can notice it: why the edit has no visible effect, or why it is left. */
  readonly survives?: string;
}

/**
 * The source with the mutant's edit.
 *
 * @throws if `from` does not occur exactly once: the code has changed, and the list must follow
 */
export function applied(mutant: Mutant, source: string): string {
  const places = source.split(mutant.from).length - 1;
  if (places !== 1) throw new Error(`"${mutant.name}": its line is in ${places} places of ${mutant.file}, not in one`);
  return source.replace(mutant.from, () => mutant.to);
}
