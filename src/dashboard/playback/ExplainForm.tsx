import { words } from '#words/playback.js';
import { Button, Group, Stack, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { FormError } from '../parts/States.js';
import classes from './ExplainForm.module.css';
import { shownKey } from './pasted.js';

interface Props {
  readonly subject: string;
  readonly onSubject: (subject: string) => void;
  readonly busy: boolean;
  readonly error: unknown;
  readonly onExplain: (subject: string, site: string | null) => void;
  /** More buttons. */
  readonly children?: ReactNode;
}

/** Asks what to explain. A whole key is shortened before it is sent. */
export function ExplainForm({ subject, onSubject, busy, error, onExplain, children }: Props) {
  const [site, setSite] = useState('');

  function submit(event: FormEvent): void {
    event.preventDefault();
    const shown = shownKey(subject);
    onSubject(shown);
    onExplain(shown, site.trim() || null);
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Textarea
          label={words.form.subject}
          description={words.form.subjectNote}
          placeholder="eyJhbGciOiJFZERTQSIs…"
          autosize
          minRows={2}
          maxRows={5}
          maxLength={4096}
          spellCheck={false}
          autoComplete="off"
          classNames={{ input: classes['subject'] ?? '' }}
          value={subject}
          onChange={(event) => onSubject(event.currentTarget.value)}
        />
        <TextInput
          label={words.form.site}
          description={words.form.siteNote}
          placeholder="example.com"
          maxLength={300}
          value={site}
          onChange={(event) => setSite(event.currentTarget.value)}
        />
        <Group gap="xs">
          <Button type="submit" size="xs" loading={busy} disabled={subject.trim() === ''}>
            {words.form.explain}
          </Button>
          {children}
        </Group>
        <FormError error={error} />
      </Stack>
    </form>
  );
}
