interface Snapshot {
  readonly snapshot: {
    readonly meta: { readonly node_fields: readonly string[]; readonly node_types: readonly (readonly string[])[] };
  };
  readonly nodes: readonly number[];
  readonly strings: readonly string[];
}

export interface KindOfObject {
  readonly kind: string;
  readonly bytes: number;
  readonly count: number;
}

/** Their names are their contents, of which there are too many. */
const UNNAMED = new Set(['string', 'concatenated string', 'sliced string', 'number', 'bigint', 'code']);

/** What the objects of a heap snapshot take, by kind. */
export function kindsOf(text: string): Map<string, KindOfObject> {
  const { snapshot, nodes, strings } = JSON.parse(text) as Snapshot;
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const [type, name, size] = ['type', 'name', 'self_size'].map((field) => fields.indexOf(field)) as [
    number,
    number,
    number,
  ];
  const kinds = new Map<string, KindOfObject>();
  for (let at = 0; at < nodes.length; at += fields.length) {
    const typeName = types[type]![nodes[at + type]!]!;
    const kind = UNNAMED.has(typeName) ? typeName : `${typeName} ${strings[nodes[at + name]!]!.slice(0, 60)}`;
    const { bytes, count } = kinds.get(kind) ?? { bytes: 0, count: 0 };
    kinds.set(kind, { kind, bytes: bytes + nodes[at + size]!, count: count + 1 });
  }
  return kinds;
}

/** How much each kind of object grew between two snapshots, the largest growth first. */
export function growthOf(before: Map<string, KindOfObject>, after: Map<string, KindOfObject>): KindOfObject[] {
  return [...after.values()]
    .map(({ kind, bytes, count }) => {
      const earlier = before.get(kind);
      return { kind, bytes: bytes - (earlier?.bytes ?? 0), count: count - (earlier?.count ?? 0) };
    })
    .filter(({ bytes }) => bytes > 0)
    .toSorted((a, b) => b.bytes - a.bytes);
}
