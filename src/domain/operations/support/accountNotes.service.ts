import { type Database, execute, type Transaction } from '../../../db/sql.js';
import { AppError } from '../../../errors.js';
import { checkedLines } from '../../../readableText.js';
import type { AccountService } from '../../accounts/account.service.js';
import { lockAccount } from '../../accounts/keys/apiKey.sql.js';
import { lockStaff } from '../../accounts/staff.js';
import { type AuditAction, recordAudit } from '../../shared/audit.js';
import { isUuid, newId } from '../../shared/ids.js';
import { ADD_NOTE, type AccountNoteRow, DELETE_NOTE, EDIT_NOTE, NOTE_EXISTS, NOTES } from './accountNote.sql.js';

const MAX_NOTES = 100;
const MAX_NOTE_LENGTH = 4000;

/** What staff want colleagues to know about an account. Its owner never sees it. */
export interface AccountNoteRecord {
  readonly id: string;
  readonly body: string;
  /** `null` if the member of staff is gone. */
  readonly authorEmail: string | null;
  readonly createdAt: Date;
  readonly editedByEmail: string | null;
  readonly editedAt: Date | null;
  readonly version: number;
}

interface NoteOrder {
  readonly actorId: string;
  readonly accountId: string;
}

/**
 * Notes of staff on accounts. The caller must have checked that the viewer is staff.
 *
 * The audit trail says who wrote, changed and deleted one, and not what it said: a deleted note is gone.
 */
export class AccountNoteService {
  constructor(private readonly deps: { readonly db: Database; readonly accounts: Pick<AccountService, 'get'> }) {}

  /** Newest first, all of them. */
  async list(accountId: string): Promise<AccountNoteRecord[]> {
    if (!isUuid(accountId)) return [];
    return (await execute(this.deps.db.sql, NOTES, { accountId, most: MAX_NOTES })).map(noteOf);
  }

  /** @throws ACCOUNT_NOT_FOUND, INVALID_INPUT; LIMIT_REACHED for more than 100 */
  async add({ actorId, accountId, body }: NoteOrder & { readonly body: string }): Promise<AccountNoteRecord> {
    const text = checkedNote(body);
    const { id: owner } = await this.deps.accounts.get(accountId);
    return this.change({ actorId, accountId: owner }, 'account.add_note', async ({ sql }) => {
      // Two colleagues at once must not go beyond the limit.
      await execute(sql, lockAccount, { accountId: owner });
      const note = { accountId: owner, id: newId(), authorId: actorId, body: text, most: MAX_NOTES };
      const [added] = await execute(sql, ADD_NOTE, note);
      if (!added) throw new AppError('LIMIT_REACHED', `An account has at most ${MAX_NOTES} notes. Delete one first.`);
      return noteOf(added);
    });
  }

  /** @throws NOT_FOUND, INVALID_INPUT; INVALID_STATE if somebody has changed it since `version` */
  async edit(
    order: NoteOrder & { readonly id: string; readonly version: number; readonly body: string },
  ): Promise<AccountNoteRecord> {
    const { actorId, accountId, id, version } = order;
    const body = checkedNote(order.body);
    if (!isUuid(accountId) || !isUuid(id)) throw notFound();
    return this.change({ actorId, accountId }, 'account.edit_note', async ({ sql }) => {
      const [edited] = await execute(sql, EDIT_NOTE, { accountId, id, version, editorId: actorId, body });
      if (edited) return noteOf(edited);
      if ((await execute(sql, NOTE_EXISTS, { accountId, id })).length === 0) throw notFound();
      throw new AppError('INVALID_STATE', 'A colleague has changed this note meanwhile. Reload to see it.');
    });
  }

  /** @throws NOT_FOUND */
  async delete({ actorId, accountId, id }: NoteOrder & { readonly id: string }): Promise<void> {
    if (!isUuid(accountId) || !isUuid(id)) throw notFound();
    await this.change({ actorId, accountId }, 'account.delete_note', async ({ sql }) => {
      const [gone] = await execute(sql, DELETE_NOTE, { accountId, id });
      if (!gone) throw notFound();
      return gone;
    });
  }

  private change<Changed extends { readonly id: string }>(
    { actorId, accountId }: NoteOrder,
    action: AuditAction,
    work: (tx: Transaction) => Promise<Changed>,
  ): Promise<Changed> {
    return this.deps.db.transaction(async (tx) => {
      await lockStaff(tx.sql, actorId);
      const changed = await work(tx);
      await recordAudit(tx, { accountId, actorId, action, subject: changed.id, reason: 'note' });
      return changed;
    });
  }
}

function checkedNote(body: string): string {
  return checkedLines('A note', body.trim(), { min: 1, max: MAX_NOTE_LENGTH });
}

function notFound(): AppError {
  return new AppError('NOT_FOUND', 'Note not found.');
}

function noteOf(row: AccountNoteRow): AccountNoteRecord {
  return {
    id: row.id,
    body: row.body,
    authorEmail: row.author_email,
    createdAt: new Date(row.created_at),
    editedByEmail: row.edited_by_email,
    editedAt: row.edited_at === null ? null : new Date(row.edited_at),
    version: row.version,
  };
}
