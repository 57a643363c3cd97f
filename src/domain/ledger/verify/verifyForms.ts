import { LEDGER_ACCOUNTS, type LedgerAccountName, type SpendableAccount } from '../ledgerAccounts.js';
import type { Statement } from '../../../db/sql.js';

/**
 * One rule, as a query over the relations of a scope that returns the rows that break it: `owner_id`, `subject`,
 * `expected` and `found`. A subject that begins with `@` is a ledger account's number, or `@number:version`.
 */
export type LedgerCheck = Statement;

/** The owner of faults that concern all owners, such as a block or a right. */
export const NOBODY = '00000000-0000-0000-0000-000000000000';

/** What a posting moves: SQL per account over the transaction `t` and its fact `f`. */
export type Moves = Partial<Record<LedgerAccountName, string>>;

/** One kind of posting, and the business fact it follows from. */
export interface TxForm {
  readonly name: string;
  /** Which transactions `t` are of this kind, by type and key. Exactly one form applies to each transaction. */
  readonly applies: string;
  /** The fact of `t`, as a lateral subquery: one row, or none if nothing explains the transaction. */
  readonly fact: string;
  readonly moves: Moves;
  /** The reference that `post` was given; omitted if nothing reads it. */
  readonly reference?: string;
  /** The intent that `post` was given; omitted if it was the amounts. */
  readonly intent?: string;
  /** The first release had no intent for this kind and hashed the amounts, which the fact also states. */
  readonly mayLackIntent?: boolean;
}

/** Incoming credits: they repay DEBT first, completely, and only then go to the account. */
export function putIn(amount: string, into: SpendableAccount = 'MASTER'): Moves {
  const repaid = `case when t.debt > 0 and t.debt < ${amount} and t.debt_after <> 0 then ${amount}
    else least(greatest(t.debt, 0), ${amount}) end`;
  return { DEBT: repaid, [into]: `${amount} - ${repaid}` };
}

/** Like `putIn`, for an account that the fact identifies by number. */
export function putInNumbered(amount: string, number: string): Moves {
  const { DEBT, MASTER } = putIn(amount) as { DEBT: string; MASTER: string };
  return { DEBT, ...numbered(MASTER, number) };
}

/** An amount in the spendable account with this number. */
export function numbered(amount: string, number: string): Moves {
  const accounts: SpendableAccount[] = ['MASTER', 'CLOUD', 'AI', 'CREATIVE'];
  return Object.fromEntries(
    accounts.map((name) => [name, `case when ${number} = ${LEDGER_ACCOUNTS[name]} then ${amount} else 0 end`]),
  );
}

/** Accepts the actual amounts, if facts determine only the direction and the sum over several postings. */
export function anyOf(...accounts: readonly LedgerAccountName[]): Moves {
  return Object.fromEntries(accounts.map((name) => [name, `t.${name.toLowerCase()}`]));
}

/** Accepts any amount taken from these accounts, but never given to them. */
export function takenFrom(...accounts: readonly LedgerAccountName[]): Moves {
  return Object.fromEntries(accounts.map((name) => [name, `least(t.${name.toLowerCase()}, 0)`]));
}

/** A text as an id, or null if it is not one: the verification must report a forged id, not fail on it. */
export function uuidIn(text: string): string {
  return `case when ${text} ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then (${text})::uuid end`;
}

/** A text as a date, in the same way. */
export function dateIn(text: string): string {
  const part = (from: number, length: number) => `substr(${text}, ${from}, ${length})::integer`;
  return `case when ${text} ~ '^20[0-9]{2}-[0-9]{2}-[0-9]{2}$' then (make_date(${part(1, 4)}, 1, 1)
    + make_interval(months => ${part(6, 2)} - 1, days => ${part(9, 2)} - 1))::date end`;
}

/** Finds transactions of this kind that lack their fact, or move something other than what follows from it. */
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
      select owner_id, subject,
        case when there is null then 'no posting: nothing explains it' when found <> moved then moved
          when wrong_reference then 'another reference' else 'the request it was made for' end as expected,
        case when wrong_hash and found = moved and not wrong_reference then 'another: ' else '' end || found as found
      from (
        select t.owner_id, t.key as subject, t.moved as found, f.*
        from tx t left join lateral (
          select true as there, ${textOf(moves)} as moved, ${wrongReference} as wrong_reference,
            coalesce(t.request_hash not in (${hashes.join(', ')}), true) as wrong_hash
          from (${fact}) f
        ) f on true
        where ${applies}
        -- Without this, the planner copies each of these expressions to every place that reads it.
        offset 0
      ) posting where there is null or found <> moved or wrong_reference or wrong_hash`,
  };
}

/** Hashes the request of `t` in the same way as `post`. */
function hashOf(amounts: string): string {
  return `sha256(convert_to('["' || t.type || '",' || coalesce(to_json(t.reference)::text, 'null') || ','
    || ${amounts} || ']', 'UTF8'))`;
}

/** Finds transactions of no known kind. */
export function unexplained(forms: readonly TxForm[]): LedgerCheck {
  const known = forms.map(({ applies }) => `(${applies})`).join(' or ');
  return {
    name: 'tx-unexplained',
    text: `
      select t.owner_id, t.key as subject, 'a posting of a known kind' as expected, t.type || ': ' || t.moved as found
      from tx t where not coalesce(${known}, false)`,
  };
}

/** Formats amounts in the same way as `moved` of a transaction. */
function textOf(moves: Moves): string {
  const parts = (Object.entries(moves) as [LedgerAccountName, string][])
    .sort(([a], [b]) => LEDGER_ACCOUNTS[a] - LEDGER_ACCOUNTS[b])
    .map(([name, amount]) => `'${name} ' || nullif(${amount}, 0)`);
  return `coalesce(nullif(concat_ws(', ', ${parts.join(', ')}), ''), 'nothing')`;
}
