import { words } from '#words/videos.js';
import { ActionIcon, Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { Link, useSearchParams } from 'react-router';
import { useViewer } from '../../session/viewer.js';
import { keep, readKept } from '../../session/keptInBrowser.js';
import { Icon } from '../../parts/Icon.js';
import { PanelButton } from '../../parts/PanelButton.js';
import classes from '../ListToolbar.module.css';

const KEPT = 'videos.filters';
const MOST = 20;
const MOST_CHARACTERS = 50;

interface SavedFilter {
  readonly name: string;
  /** The part of the address that has the filters and the order. */
  readonly search: string;
}

/** Filters under a name, kept per user in this browser: they are a way of looking, like the columns. */
export function SavedFilters({ onChoose }: { onChoose: () => void }) {
  const { id } = useViewer();
  const [search] = useSearchParams();
  const [saved, setSaved] = useState(() => savedIn(readKept(KEPT, id)));
  const [name, setName] = useState('');
  const current = String(search);

  function store(next: readonly SavedFilter[]): void {
    setSaved(next);
    keep(KEPT, id, next);
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    const called = name.trim();
    if (called === '') return;
    const others = saved.filter((one) => one.name !== called);
    store([...others, { name: called, search: current }].slice(-MOST));
    setName('');
  }

  return (
    <PanelButton label={words.savedFilters.saved}>
      <Stack gap="sm">
        {saved.length === 0 ? (
          <Text size="sm" c="dimmed">
            {words.savedFilters.none}
          </Text>
        ) : (
          <ul className={classes['saved']} aria-label={words.savedFilters.savedFilters}>
            {saved.map((one) => (
              <li key={one.name}>
                <Anchor
                  component={Link}
                  to={{ search: one.search }}
                  size="sm"
                  onClick={onChoose}
                  aria-current={one.search === current ? 'true' : undefined}
                >
                  {one.name}
                </Anchor>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={words.savedFilters.remove(one.name)}
                  onClick={() => store(saved.filter(({ name: other }) => other !== one.name))}
                >
                  <Icon name="close" size={16} />
                </ActionIcon>
              </li>
            ))}
          </ul>
        )}
        <form onSubmit={submit}>
          <Group gap="xs" align="flex-end" wrap="nowrap">
            <TextInput
              label={words.savedFilters.name}
              maxLength={MOST_CHARACTERS}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Button type="submit" variant="default" disabled={name.trim() === '' || current === ''}>
              {words.savedFilters.save}
            </Button>
          </Group>
        </form>
      </Stack>
    </PanelButton>
  );
}

function savedIn(kept: unknown): readonly SavedFilter[] {
  if (!Array.isArray(kept)) return [];
  return (kept as Partial<SavedFilter>[]).flatMap((one) =>
    typeof one?.name === 'string' && typeof one.search === 'string' ? [{ name: one.name, search: one.search }] : [],
  );
}
