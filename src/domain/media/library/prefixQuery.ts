/** Every word of the text as the beginning of a word in the title, in PostgreSQL's query language. */
export function prefixQuery(text: string): string {
  return text
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => `'${word.replaceAll(/['\\]/g, String.raw`\$&`).replaceAll(String.raw`\'`, "''")}':*`)
    .join(' & ');
}
