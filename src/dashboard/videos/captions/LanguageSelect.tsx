import { words } from '#words/captions.js';
import { Select } from '@mantine/core';
import { useMemo, useState } from 'react';
import { languageOptions, languageTyped, type LanguageOption } from './languages.js';

interface Props {
  readonly value: string | null;
  readonly error: string | null;
  readonly onChange: (tag: string | null) => void;
}

/** Selects a language by name; a rare one by its tag, such as gsw. */
export function LanguageSelect({ value, error, onChange }: Props) {
  const [typed, setTyped] = useState('');
  const tag = languageTyped(typed);
  const data = useMemo(() => languageOptions([value, tag]), [value, tag]);

  return (
    <Select
      label={words.languageSelect.language}
      placeholder={words.languageSelect.chooseEnterTagSuch}
      searchable
      error={error}
      data={data}
      value={value}
      onChange={onChange}
      searchValue={typed}
      onSearchChange={setTyped}
      filter={({ options, search }) => (options as LanguageOption[]).filter((option) => isMeant(option, search, tag))}
      nothingFoundMessage={words.languageSelect.noMatchingLanguage}
    />
  );
}

function isMeant({ value, label }: LanguageOption, search: string, tag: string | null): boolean {
  return value === tag || label.toLowerCase().includes(search.trim().toLowerCase());
}
