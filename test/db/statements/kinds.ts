import type { Kind } from './declared.js';

/** What a type of PostgreSQL is in JavaScript, alone or as elements of an array. */
export interface Returned {
  readonly isArray: boolean;
  /** `null` for JSON, which can be anything but a `Date` or a `Buffer`. */
  readonly kind: Kind | null;
}
export type ReturnedAs = (type: string) => Returned;

/** A value of each type that a statement returns or takes. */
const SAMPLES: Readonly<Record<string, string>> = {
  bool: 'true',
  bpchar: `'a'::bpchar`,
  bytea: `'\\x00'::bytea`,
  date: 'current_date',
  float4: '1.5::float4',
  float8: '1.5::float8',
  int2: '1::int2',
  int4: '1::int4',
  int8: '1::int8',
  interval: `interval '1 day'`,
  json: `'{}'::json`,
  jsonb: `'{}'::jsonb`,
  name: `'a'::name`,
  numeric: '1.5::numeric',
  oid: '1::oid',
  text: `'a'::text`,
  timestamp: 'now()::timestamp',
  timestamptz: 'now()',
  uuid: 'gen_random_uuid()',
  varchar: `'a'::varchar`,
};

/** Reads a value of each type, alone and in an array, and looks at what came. */
export async function readSamples(query: (text: string) => Promise<readonly object[]>): Promise<ReturnedAs> {
  const columns = Object.entries(SAMPLES).map(([type, sample]) => `${sample} as ${type}, array[${sample}] as _${type}`);
  const [row] = (await query(`select ${columns.join(', ')}`)) as [Record<string, unknown>];
  return (type) => {
    if (!(type in row)) throw new Error(`there is no sample of ${type}`);
    const value = row[type];
    const isArray = Array.isArray(value);
    return { isArray, kind: /^_?json/.test(type) ? null : kindOf(isArray ? value[0] : value) };
  };
}

function kindOf(value: unknown): Kind {
  if (value instanceof Date) return 'Date';
  if (Buffer.isBuffer(value)) return 'Buffer';
  const type = typeof value;
  if (type === 'string' || type === 'number' || type === 'boolean' || type === 'bigint') return type;
  return 'object';
}
