import { statement } from '../../../db/sql.js';

export interface AccountNoteRow {
  readonly id: string;
  readonly body: string;
  readonly author_email: string | null;
  readonly created_at: string;
  readonly edited_by_email: string | null;
  readonly edited_at: string | null;
  readonly version: number;
}

/** `from` names the rows `n`. */
const columnsOf = (from: string): string => `
  select n.id, n.body, author.email as author_email, n.created_at, editor.email as edited_by_email, n.edited_at, n.version
  from ${from} n
    left join auth."user" author on author.id = n.author_id
    left join auth."user" editor on editor.id = n.edited_by`;

/** Newest first. */
export const NOTES = statement<{ accountId: string; most: number }, AccountNoteRow>(
  'account-notes',
  `${columnsOf('account_note')} where n.account_id = :accountId order by n.created_at desc, n.id desc limit :most`,
);

/** Under the lock of the account. Returns no row if there are `:most` notes already, or if the account was just erased. */
export const ADD_NOTE = statement<
  { accountId: string; id: string; authorId: string; body: string; most: number },
  AccountNoteRow
>(
  'account-note-add',
  `
    with added as (
      insert into account_note (account_id, id, author_id, body, created_at)
      select :accountId, :id, :authorId, :body, service_now()
      from auth."user" u
      where u.id = :accountId and (select count(*) from account_note where account_id = :accountId) < :most
      returning *
    )
    ${columnsOf('added')}`,
);

/** Returns no row if there is no such note, or if it has changed since this version. */
export const EDIT_NOTE = statement<
  { accountId: string; id: string; version: number; editorId: string; body: string },
  AccountNoteRow
>(
  'account-note-edit',
  `
    with edited as (
      update account_note set body = :body, edited_by = :editorId, edited_at = service_now(), version = version + 1
      where account_id = :accountId and id = :id and version = :version
      returning *
    )
    ${columnsOf('edited')}`,
);

export const DELETE_NOTE = statement<{ accountId: string; id: string }, { id: string }>(
  'account-note-delete',
  'delete from account_note where account_id = :accountId and id = :id returning id',
);

export const NOTE_EXISTS = statement<{ accountId: string; id: string }>(
  'account-note-exists',
  'select from account_note where account_id = :accountId and id = :id',
);
