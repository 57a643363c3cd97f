/**
 * The input of a digest, as SQL: fixed-width numbers in network order, and length-prefixed text and bytes, so that two
 * different rows never give the same bytes. Once a block is sealed, this layout can never change.
 */

/** Length and bytes; length -1 for null. */
function measured(bytes: string): string {
  return `coalesce(int4send(octet_length(${bytes})) || ${bytes}, int4send(-1))`;
}

const utf8 = (text: string) => `convert_to(${text}, 'UTF8')`;

/** One entry `e` with its transaction `t`. A missing transaction has type null, which no real one has. */
export const ENTRY_BYTES = [
  'uuid_send(e.owner_id)',
  'int2send(e.account_no)',
  'int8send(e.version)',
  'int8send(e.delta)',
  'int8send(e.balance_after)',
  'timestamptz_send(e.created_at)',
  'uuid_send(e.tx_id)',
  measured(utf8('t.type')),
  measured(utf8('t.idempotency_key')),
  measured('t.request_hash'),
  measured(utf8('t.reference')),
  // jsonb has one text per value: keys sorted, no duplicates.
  measured(utf8('t.metadata::text')),
  measured('timestamptz_send(t.created_at)'),
].join(' || ');

/** SHA-256 over the entries of one account between two versions. An aggregate over `e` and `t`. */
export const PART_DIGEST = `sha256(string_agg(${ENTRY_BYTES}, ''::bytea order by e.version))`;

/** One account's part of an owner's digest: which entries (after `sealed`, up to `upto`), and their digest `part`. */
export const PART_BYTES = 'int2send(account_no) || int8send(sealed) || int8send(upto) || part';

/** The start of an owner's chain and of the chain of blocks. */
export const BEGINNING = `decode(repeat('00', 32), 'hex')`;

/** An owner's digest, from the previous one and the parts of the accounts. */
export function ownerDigest(fields: { previous: string; owner: string; block: string; entries: string }): string {
  const { previous, owner, block, entries } = fields;
  const head = `${previous} || uuid_send(${owner}) || int8send(${block}) || int8send(${entries})`;
  return `sha256(${head} || string_agg(${PART_BYTES}, ''::bytea order by account_no))`;
}

/** A block's digest, from the previous one and the digests of its owners `o` in order. */
export function blockDigest(fields: { previous: string; block: string; sealedAt: string }): string {
  const { previous, block, sealedAt } = fields;
  return `sha256(${previous} || int8send(${block}) || timestamptz_send(${sealedAt})
    || coalesce(string_agg(uuid_send(o.owner_id) || o.digest, ''::bytea order by o.owner_id), ''))`;
}
