/**
 * Operations made to be slow to validate. Each has a field `nothing` that no type has, which validation would report.
 */

const times = (count: number, text: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => text(n)).join(' ');

export interface HostileOperation {
  readonly shape: string;
  /** The limit that refuses it. */
  readonly limit: string;
  readonly query: string;
}

export const HOSTILE_OPERATIONS: readonly HostileOperation[] = [
  {
    shape: '25 fragments of 17 aliases',
    limit: 'tokens',
    query: `{ viewer { nothing ${times(25, (n) => `...F${n}`)} } } ${times(25, (n) => `fragment F${n} on Viewer { ${times(17, (a) => `a${a}: id`)} }`)}`,
  },
  {
    shape: 'many small fragments',
    limit: 'fragments',
    query: `{ viewer { nothing ${times(21, (n) => `...F${n}`)} } } ${times(21, (n) => `fragment F${n} on Viewer { id }`)}`,
  },
  {
    shape: 'fragments that double at every step',
    limit: 'fragments',
    query: `{ viewer { nothing ...F0 } } ${times(30, (n) => `fragment F${n} on Viewer { ...F${n + 1} ...F${n + 1} }`)} fragment F30 on Viewer { id }`,
  },
  {
    shape: 'one field many times',
    limit: 'duplicates',
    query: `{ viewer { nothing ${times(60, () => 'id')} } }`,
  },
  {
    shape: 'one field with a selection many times',
    limit: 'duplicates',
    query: `{ nothing ${times(51, () => 'viewer { id }')} }`,
  },
  {
    shape: 'one response name for different fields',
    limit: 'aliases',
    query: `{ viewer { nothing ${times(60, (n) => `name: ${['id', 'email', 'role'][n % 3]}`)} } }`,
  },
  {
    shape: 'the same spread many times',
    limit: 'selections',
    query: `{ viewer { nothing ${times(300, () => '...F')} } } fragment F on Viewer { id }`,
  },
  {
    shape: 'many inline fragments',
    limit: 'duplicates',
    query: `{ viewer { nothing ${times(100, () => '... { id }')} } }`,
  },
  {
    shape: 'many operations over one fragment',
    limit: 'operations',
    query: `${times(60, (n) => `query Q${n} { ...F }`)} fragment F on Query { nothing ${times(40, (n) => `a${n}: viewer { id }`)} }`,
  },
  {
    shape: 'many aliases',
    limit: 'aliases',
    query: `{ viewer { nothing ${times(60, (n) => `a${n}: id`)} } }`,
  },
  {
    shape: 'many directives',
    limit: 'directives',
    query: `{ viewer { nothing id ${times(60, () => '@skip(if: true)')} } }`,
  },
  { shape: 'deep selections', limit: 'nesting', query: `${'{ nothing '.repeat(30)}${'}'.repeat(30)}` },
  {
    shape: 'deep lists',
    limit: 'nesting',
    query: `mutation { nothing deleteVideos(ids: ${'['.repeat(60)}${']'.repeat(60)}) }`,
  },
  {
    shape: 'deep list types',
    limit: 'nesting',
    query: `query ($v: ${'['.repeat(60)}ID${']'.repeat(60)}) { nothing }`,
  },
  { shape: 'many variables', limit: 'variables', query: `query (${times(45, (n) => `$v${n}: ID`)}) { nothing }` },
  {
    shape: 'many arguments',
    limit: 'tokens',
    query: `{ nothing video(${times(400, () => 'id: "a"')}) { id } }`,
  },
  {
    shape: 'a long list of values',
    limit: 'tokens',
    query: `mutation { nothing deleteVideos(ids: [${times(1_200, () => '"a"')}]) }`,
  },
  { shape: 'a long string', limit: 'characters', query: `{ nothing video(id: "${'a'.repeat(17_000)}") { id } }` },
  { shape: 'a long comment', limit: 'characters', query: `{ nothing } #${'a'.repeat(17_000)}` },
  {
    shape: 'a long number',
    limit: 'characters',
    query: `{ nothing videos(first: ${'1'.repeat(17_000)}) { totalCount } }`,
  },
  { shape: 'a long name', limit: 'characters', query: `{ nothing ${'a'.repeat(17_000)} }` },
];
