import { words } from '#words/docs.js';
import { CloseButton, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { withoutParameter } from '../../lib/withoutParameter.js';
import { Icon } from '../../parts/Icon.js';
import classes from '../docs.module.css';

const TYPING_MS = 200;
const MOST_CHARACTERS = 100;

/** What is searched for is in the address, so that it can be kept and shared. */
export function SearchField({ search }: { search: string }) {
  const [, setParameters] = useSearchParams();
  const [typed, setTyped] = useState(search);
  const [last, setLast] = useState(search);
  // A link changed the address, such as one of the results.
  if (search !== last) {
    setLast(search);
    if (search !== typed.trim()) setTyped(search);
  }

  function narrow(text: string): void {
    if (text.trim() === '') setParameters(withoutParameter('q'), { replace: true });
    else setParameters({ q: text.trim() }, { replace: true });
  }
  const narrowLater = useDebouncedCallback(narrow, TYPING_MS);

  function change(text: string): void {
    setTyped(text);
    narrowLater(text);
  }

  return (
    <TextInput
      type="search"
      className={classes['search'] ?? ''}
      aria-label={words.search.label}
      placeholder={words.search.label}
      maxLength={MOST_CHARACTERS}
      leftSection={<Icon name="search" size={17} />}
      rightSection={typed ? <CloseButton aria-label={words.search.clear} onClick={() => change('')} /> : null}
      value={typed}
      onChange={({ currentTarget }) => change(currentTarget.value)}
    />
  );
}
