/** One line of the product, broken on purpose: some test must notice. */
export interface Mutant {
  /** What is broken, in a few words; unique. */
  readonly name: string;
  /** From the repository's root. */
  readonly file: string;
  /** What stands there: in exactly one place of the file. */
  readonly from: string;
  /** What is put in its place. */
  readonly to: string;
  /** Test files, or folders of them, one of which must fail. */
  readonly tests: readonly string[];
  /** Set where no test can notice: why the edit changes nothing that anybody could see, or why it is left. */
  readonly survives?: string;
}

/**
 * The source with the mutant's edit.
 *
 * @throws where `from` does not stand in exactly one place: the code has moved on, and the list has to follow.
 */
export function applied(mutant: Mutant, source: string): string {
  const places = source.split(mutant.from).length - 1;
  if (places !== 1) throw new Error(`"${mutant.name}": its line is in ${places} places of ${mutant.file}, not in one`);
  return source.replace(mutant.from, () => mutant.to);
}
