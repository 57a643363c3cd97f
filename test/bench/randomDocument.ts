/** GraphQL documents that repeat whatever they can: names, aliases, fragments, directives, variables, literals. */

/** Types of the schema with fields that lead from one to the next. */
const TYPES: Readonly<Record<string, { leaves: readonly string[]; nodes: Readonly<Record<string, string>> }>> = {
  Query: {
    leaves: ['__typename'],
    nodes: { viewer: 'Viewer', videos: 'VideoConnection', priceList: 'PriceList', wallet: 'Wallet' },
  },
  Viewer: { leaves: ['id', 'email', 'name', 'role', '__typename'], nodes: { account: 'Account' } },
  Account: { leaves: ['id', 'suspended', '__typename'], nodes: {} },
  VideoConnection: { leaves: ['totalCount', '__typename'], nodes: { edges: 'VideoEdge' } },
  VideoEdge: { leaves: ['cursor', '__typename'], nodes: { node: 'Video' } },
  Video: { leaves: ['id', 'title', 'status', 'tags', '__typename'], nodes: { addons: 'Addons' } },
  Addons: { leaves: ['branding', 'encryption', '__typename'], nodes: {} },
  PriceList: { leaves: ['storageCreditsPerGbMonth', '__typename'], nodes: { processing: 'QualityPrice' } },
  QualityPrice: { leaves: ['quality', 'creditsPerMinute', '__typename'], nodes: {} },
  Wallet: { leaves: ['master', '__typename'], nodes: {} },
};

/** The same document for the same seed. Has about `maxTokens` tokens; documents with more are refused anyway. */
export function randomDocument(seed: number, maxTokens: number): string {
  const random = mulberry(seed);
  const below = (count: number): number => Math.floor(random() * count);
  const pick = <T>(values: readonly T[]): T => values[below(values.length)]!;
  const fragments = below(21);
  const names = Object.keys(TYPES);
  const typeOfFragment = Array.from({ length: fragments }, () => pick(names));
  const [aliasRate, unknownRate, spreadRate, directiveRate] = [random() * 0.3, random() ** 6, random(), random() ** 4];
  const breadth = 1 + below(60);
  let left = maxTokens * (0.6 + random() * 0.5);

  const selections = (type: string, depth: number, from: number): string => {
    const { leaves, nodes } = TYPES[type]!;
    const parts: string[] = [];
    const count = 1 + below(breadth);
    for (let n = 0; n < count && left > 0; n += 1) {
      const alias = random() < aliasRate ? `a${below(4)}: ` : '';
      const directive = random() < directiveRate * 0.1 ? ' @include(if: true)' : '';
      left -= 1 + (alias === '' ? 0 : 2) + (directive === '' ? 0 : 6);
      // Only later ones, to avoid cycles.
      const later = typeOfFragment.flatMap((of, nth) => (nth >= from && of === type ? [nth] : []));
      const below_ = Object.entries(nodes);
      if (later.length > 0 && random() < spreadRate) {
        left -= 1;
        parts.push(`...F${pick(later)}`);
      } else if (random() < unknownRate) {
        parts.push(`${alias}unknownFieldOfNoType${below(30)}`);
      } else if (below_.length > 0 && depth < 8 && random() < 0.4) {
        const [name, of] = pick(below_);
        left -= 2;
        parts.push(`${alias}${name}${directive} { ${selections(of, depth + 1, from)} }`);
      } else if (random() < 0.1) {
        left -= 3;
        parts.push(`... { ${selections(type, depth + 1, from)} }`);
      } else {
        parts.push(`${alias}${pick(leaves)}${directive}`);
      }
    }
    return parts.length === 0 ? '__typename' : parts.join(' ');
  };

  const operation = `{ ${selections('Query', 0, 0)} }`;
  const bodies = typeOfFragment.map((type, nth) => `fragment F${nth} on ${type} { ${selections(type, 0, nth + 1)} }`);
  return [operation, ...bodies].join(' ');
}

function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
