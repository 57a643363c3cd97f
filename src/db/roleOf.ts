/** The role that a database address signs in as. */
export function roleOf(url: string): string {
  return decodeURIComponent(new URL(url).username);
}
