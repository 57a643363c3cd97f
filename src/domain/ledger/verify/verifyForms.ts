import { LEDGER_ACCOUNTS, type LedgerAccountName, type SpendableAccount } from '../ledgerAccounts.js';
import type { Statement } from '../../../db/sql.js';

/**
 * One thing that must hold, as a query over the relations of a scope that returns the rows where it does not:
 * `owner_id`, `subject`, `expected` and `found`. A subject that begins with `@` is a ledger account's number, or
 * `@number:version`.
 */
export type LedgerCheck = Statement;

/** The owner of faults in what belongs to all owners, such as a block or a right. */
export const NOBODY = '00000000-0000-0000-0000-000000000000';

/** What a posting moves, as SQL per account over the transaction `t` and its fact `f`. */
export type Moves = Partial<Record<LedgerAccountName, string>>;

/** One kind of posting, and the business fact that it follows from. */
export interface TxForm {
  readonly name: string;
  /** Which transactions `t` are of this kind, by type and key. Of all forms, exactly one applies to a transaction. */
  readonly applies: string;
  /** The fact of `t`, as a lateral subquery: one row, or none where nothing explains the transaction. */
  readonly fact: string;
  readonly moves: Moves;
  /** What `post` was given as the reference; left out where nothing reads it. */
  readonly reference?: string;
  /** What `post` was given as the intent; left out where it was the amounts. */
  readonly intent?: string;
  /** The first release had this kind without an intent: it hashed the amounts, which the fact says as well. */
  readonly mayLackIntent?: boolean;
}

/** Credits that come in: they repay DEBT first, to its end, and only then fill the account. */
export function putIn(amount: string, into: SpendableAccount = 'MASTER'): Moves {
  const repaid = `case when t.debt > 0 and t.debt < ${amount} and t.debt_after <> 0 then ${amount}
    else least(greatest(t.debt, 0), ${amount}) end`;
  return { DEBT: repaid, [into]: `${amount} - ${repaid}` };
}

/** The same into the account of which the fact has only the number. */
export function putInNumbered(amount: string, number: string): Moves {
  const { DEBT, MASTER } = putIn(amount) as { DEBT: string; MASTER: string };
  return { DEBT, ...numbered(MASTER, number) };
}

/** An amount in the spendable account that has this number. */
export function numbered(amount: string, number: string): Moves {
  const accounts: SpendableAccount[] = ['MASTER', 'CLOUD', 'AI', 'CREATIVE'];
  return Object.fromEntries(
    accounts.map((name) => [name, `case when ${number} = ${LEDGER_ACCOUNTS[name]} then ${amount} else 0 end`]),
  );
}

/** As it stands, where only the direction and the sum over several postings follow from facts. */
export function anyOf(...accounts: readonly LedgerAccountName[]): Moves {
  return Object.fromEntries(accounts.map((name) => [name, `t.${name.toLowerCase()}`]));
}

/** Taken as far as the accounts reach: never given. */
export function takenFrom(...accounts: readonly LedgerAccountName[]): Moves {
  return Object.fromEntries(accounts.map((name) => [name, `least(t.${name.toLowerCase()}, 0)`]));
}

/** A text as an id, null where it is none: a forged one must be found, not end the proof. */
export function uuidIn(text: string): string {
  return `case when ${text} ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then (${text})::uuid end`;
}

/** A text as a date, in the same way. */
export function dateIn(text: string): string {
  const part = (from: number, length: number) => `substr(${text}, ${from}, ${length})::integer`;
  return `case when ${text} ~ '^20[0-9]{2}-[0-9]{2}-[0-9]{2}$' then (make_date(${part(1, 4)}, 1, 1)
    + make_interval(months => ${part(6, 2)} - 1, days => ${part(9, 2)} - 1))::date end`;
}

/** Every transaction of this kind has its fact, and moves what follows from it. */
export function formCheck({
  name,
  applies,
  fact,
  moves,
  reference,
  intent,
  mayLackIntent = false,
}: TxForm): LedgerCheck {
  const wrongReference = reference === undefined ? 'false' : `t.reference is distinct from (${reference})::text`;
  const hashes = [
    ...(intent === undefined ? [] : [hashOf(`to_json((${intent})::text)::text`)]),
    ...(intent === undefined || mayLackIntent ? [hashOf('t.hashed')] : []),
  ];
  return {
    name,
    text: `
      select * from (
        select t.owner_id, t.key as subject,
          case when f.there is null then 'no posting: nothing explains it' when t.moved <> f.moved then f.moved
            when f.wrong_reference then 'another reference' else 'the request it was made for' end as expected,
          case when f.wrong_hash and t.moved = f.moved and not f.wrong_reference then 'another: ' else '' end || t.moved as found,
          f.there is null or t.moved <> f.moved or f.wrong_reference or f.wrong_hash as is_wrong
        from tx t left join lateral (
          select true as there, ${textOf(moves)} as moved, ${wrongReference} as wrong_reference,
            coalesce(t.request_hash not in (${hashes.join(', ')}), true) as wrong_hash
          from (${fact}) f
        ) f on true
        where ${applies}
      ) posting where is_wrong`,
  };
}

/** As `post` hashes the request of `t`. */
function hashOf(amounts: string): string {
  return `sha256(convert_to('["' || t.type || '",' || coalesce(to_json(t.reference)::text, 'null') || ','
    || ${amounts} || ']', 'UTF8'))`;
}

/** Transactions that are of none of these kinds. */
export function unexplained(forms: readonly TxForm[]): LedgerCheck {
  const known = forms.map(({ applies }) => `(${applies})`).join(' or ');
  return {
    name: 'tx-unexplained',
    text: `
      select t.owner_id, t.key as subject, 'a posting of a known kind' as expected, t.type || ': ' || t.moved as found
      from tx t where not coalesce(${known}, false)`,
  };
}

/** As `moved` of a transaction is written. */
function textOf(moves: Moves): string {
  const parts = (Object.entries(moves) as [LedgerAccountName, string][])
    .sort(([a], [b]) => LEDGER_ACCOUNTS[a] - LEDGER_ACCOUNTS[b])
    .map(([name, amount]) => `'${name} ' || nullif(${amount}, 0)`);
  return `coalesce(nullif(concat_ws(', ', ${parts.join(', ')}), ''), 'nothing')`;
}
