import { runtimeRoleFaults, type RuntimeRoleFault, type RuntimeRoleFaultCode } from './runtimeRole.js';
import { execute, type NoParams, type Sql, statement } from './sql.js';

interface Names {
  readonly role: string;
  readonly database: string;
  /** The object of the fault, quoted where SQL requires it. */
  readonly subject: string;
  readonly isDatabase: boolean;
}

const STATE = statement<NoParams, { role: string; database: string; edits: boolean; moved: boolean }>(
  'database-state',
  `
    select quote_ident(current_user) as role, quote_ident(current_database()) as database,
      has_any_column_privilege('ledger_entry', 'update') or has_table_privilege('ledger_entry', 'delete') as edits,
      abs(extract(epoch from service_now() - clock_timestamp())) > 1 as moved`,
);

const NAMES = statement<NoParams, { role: string; database: string }>(
  'database-names',
  'select quote_ident(current_user) as role, quote_ident(current_database()) as database',
);

const ANOTHER_ROLE = `create role dhara_app login password '…'; then set DATABASE_URL to it, DATABASE_MIGRATION_URL to the owner, and run dhara migrate`;

/** SQL that revokes the right, by kind of fault. */
const MENDS: Record<RuntimeRoleFaultCode, (names: Names) => string> = {
  superuser: () => ANOTHER_ROLE,
  owner: () => ANOTHER_ROLE,
  attribute: ({ role, subject }) => `alter role ${role} no${subject.toLowerCase()};`,
  membership: ({ role, subject }) => `revoke ${subject} from ${role};`,
  create: ({ role, database, subject, isDatabase }) =>
    `revoke create on ${isDatabase ? `database ${database}` : `schema "${subject}"`} from public, ${role};`,
  temp: ({ role, database }) => `revoke temporary on database ${database} from public, ${role};`,
  setting: ({ role, subject }) => `revoke set on parameter ${subject} from public, ${role};`,
  definer: ({ subject }) => `alter routine ${subject} owner to the role that owns the tables;`,
};

/**
 * Why this connection must not run a public service, and the SQL that fixes it: one line per fault, worst first. Also
 * reports a clock that was moved, because nights and expiries depend on it.
 */
export async function databaseFaults(sql: Sql): Promise<string[]> {
  const faults = await runtimeRoleFaults(sql);
  const [state] = await execute(sql, STATE);
  if (!state) throw new Error('the database did not say who we are');
  const { role, database, edits, moved } = state;
  const lines = faults.map((fault) => lineOf(fault, role, database));
  if (edits && faults.every(({ code }) => code !== 'superuser' && code !== 'owner')) {
    lines.push(line(role, 'The role may change the ledger.', `revoke update, delete on ledger_entry from ${role};`));
  }
  if (moved) {
    const why = 'The database’s clock was moved by CLOCK_OFFSET_SECONDS.';
    lines.push(line(role, why, 'update virtual_clock set offset_ms = 0;'));
  }
  return lines;
}

/** Faults that matter before migrating. */
const LASTING: ReadonlySet<RuntimeRoleFaultCode> = new Set([
  'superuser',
  'owner',
  'attribute',
  'membership',
  'setting',
]);

/** Faults of this connection's role that no migration fixes. Works on an empty database too. */
export async function lastingFaultLines(sql: Sql): Promise<string[]> {
  const faults = (await runtimeRoleFaults(sql)).filter(({ code }) => LASTING.has(code));
  if (faults.length === 0) return [];
  const [names] = await execute(sql, NAMES);
  if (!names) throw new Error('the database did not say who we are');
  return faults.map((fault) => lineOf(fault, names.role, names.database));
}

function lineOf({ code, subject, why }: RuntimeRoleFault, role: string, database: string): string {
  const isDatabase = why.includes('in the database');
  const [sentence = why] = why.split(/(?<=\.) /);
  return line(role, sentence, MENDS[code]({ role, database, subject, isDatabase }));
}

function line(role: string, why: string, mend: string): string {
  return `role ${role}. ${why} To fix it: ${mend}`;
}
