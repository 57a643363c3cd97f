import { words } from '#words/docs.js';
import { CloseButton, TextInput } from '@mantine/core';
import { useSearchParams } from 'react-router';
import { useSearchText } from '../../lib/useSearchText.js';
import { withoutParameter } from '../../lib/withoutParameter.js';
import { Icon } from '../../parts/Icon.js';
import classes from '../docs.module.css';

const TYPING_MS = 200;
const MOST_CHARACTERS = 100;

/** What is searched for is in the address, so that it can be kept and shared. */
export function SearchField({ search }: { search: string }) {
  const [, setParameters] = useSearchParams();
  const [typed, change] = useSearchText(search, narrow, TYPING_MS);

  function narrow(text: string): void {
    if (text === '') setParameters(withoutParameter('q'), { replace: true });
    else setParameters({ q: text }, { replace: true });
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
