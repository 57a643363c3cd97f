import { words } from '#words/supportAccount.js';
import { useMutation, useQuery } from '@apollo/client/react';
import { Button, Group, Skeleton, Stack, Textarea, Title } from '@mantine/core';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import { flushSync } from 'react-dom';
import {
  StaffAddNoteDocument,
  StaffDeleteNoteDocument,
  StaffEditNoteDocument,
  StaffNotesDocument,
  type StaffNoteFragment,
} from '../../generated/graphql.js';
import { ConfirmDialog } from '../../parts/ConfirmDialog.js';
import { ErrorState, FormError } from '../../parts/States.js';
import { useAction } from '../../parts/useAction.js';
import { Ago } from '../parts/Bits.js';
import classes from '../parts/console.module.css';

const MAX_LENGTH = 4000;

/** What colleagues should know about this account. Its owner never sees it. */
export function NotesCard({ accountId }: { accountId: string }) {
  const { data, error, refetch } = useQuery(StaffNotesDocument, { variables: { id: accountId } });
  const notes = data?.account?.notes;
  const [add] = useMutation(StaffAddNoteDocument, { refetchQueries: [StaffNotesDocument], awaitRefetchQueries: true });
  return (
    <section className={`panel ${classes['card']}`} aria-labelledby="notes-title">
      <Title order={2} id="notes-title">
        {words.notes.title}
      </Title>
      <NoteForm
        label={words.notes.newNote}
        verb={words.notes.add}
        onSave={(body) => add({ variables: { accountId, body } })}
      />
      {!notes && error ? <ErrorState error={error} onRetry={() => void refetch()} /> : null}
      {!notes && !error ? (
        <Skeleton height={90} role="status" aria-busy="true" aria-label={words.notes.loading} />
      ) : null}
      {notes?.length === 0 ? <p className={classes['none']}>{words.notes.none}</p> : null}
      {notes && notes.length > 0 ? (
        <ul className={classes['notes']} aria-labelledby="notes-title">
          {notes.map((note) => (
            <li key={note.id}>
              <Note accountId={accountId} note={note} />
            </li>
          ))}
        </ul>
      ) : null}
    </section>
  );
}

function Note({ accountId, note }: { accountId: string; note: StaffNoteFragment }) {
  const [isEditing, setEditing] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const editButton = useRef<HTMLButtonElement>(null);
  const [edit] = useMutation(StaffEditNoteDocument);
  const [remove] = useMutation(StaffDeleteNoteDocument, {
    refetchQueries: [StaffNotesDocument],
    awaitRefetchQueries: true,
  });
  const author = note.authorEmail ?? words.notes.formerMember;

  /** The form takes the focus with it when it goes. */
  function stopEditing(): void {
    flushSync(() => setEditing(false));
    editButton.current?.focus();
  }

  if (isEditing) {
    return (
      <NoteForm
        label={words.notes.editNote}
        verb={words.notes.save}
        body={note.body}
        onCancel={stopEditing}
        onSave={async (body) => {
          await edit({ variables: { accountId, id: note.id, version: note.version, body } });
          stopEditing();
        }}
      />
    );
  }
  return (
    <>
      <p className={classes['quote']}>{note.body}</p>
      <div className={classes['noteFoot']}>
        <span className={classes['soft']}>
          <span>{author}</span>
          <Ago at={note.createdAt} />
          {note.editedAt ? (
            <span>
              {words.notes.edited(note.editedByEmail ?? words.notes.formerMember)} <Ago at={note.editedAt} />
            </span>
          ) : null}
        </span>
        <Group gap={4}>
          <Button
            ref={editButton}
            size="compact-xs"
            variant="subtle"
            aria-label={words.notes.editOf(author)}
            onClick={() => setEditing(true)}
          >
            {words.notes.edit}
          </Button>
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            aria-label={words.notes.deleteOf(author)}
            onClick={() => setDeleting(true)}
          >
            {words.notes.delete}
          </Button>
        </Group>
      </div>
      <ConfirmDialog
        opened={isDeleting}
        title={words.notes.deleteNote}
        verb={words.notes.delete}
        onClose={() => setDeleting(false)}
        onConfirm={() => remove({ variables: { accountId, id: note.id } })}
      >
        {words.notes.deleteNoteNote}
      </ConfirmDialog>
    </>
  );
}

interface FormProps {
  readonly label: string;
  readonly verb: string;
  readonly body?: string;
  readonly onCancel?: () => void;
  /** Rejects on failure; the form then shows why, and keeps the input. */
  readonly onSave: (body: string) => Promise<unknown>;
}

function NoteForm({ label, verb, body = '', onCancel, onSave }: FormProps) {
  const [text, setText] = useState(body);
  const isEdit = onCancel !== undefined;
  const input = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (isEdit) input.current?.focus();
  }, [isEdit]);
  const save = useAction(async () => {
    await onSave(text.trim());
    setText('');
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (text.trim()) void save.run();
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="xs">
        <Textarea
          ref={input}
          aria-label={label}
          placeholder={words.notes.placeholder}
          autosize
          minRows={2}
          maxRows={12}
          maxLength={MAX_LENGTH}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            save.clear();
          }}
        />
        <FormError error={save.error} />
        {text.trim() || isEdit ? (
          <Group gap="xs" justify="flex-end">
            {isEdit ? (
              <Button size="xs" variant="default" onClick={onCancel}>
                {words.notes.cancel}
              </Button>
            ) : null}
            <Button size="xs" type="submit" loading={save.busy} disabled={!text.trim()}>
              {verb}
            </Button>
          </Group>
        ) : null}
      </Stack>
    </form>
  );
}
