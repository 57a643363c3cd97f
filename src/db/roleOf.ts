/** The role in a database address. */
export function roleOf(url: string): string {
  return decodeURIComponent(new URL(url).username);
}
