import { words } from '#words/videos.js';
import { Button, Group, Text } from '@mantine/core';
import { useId, useState, type ReactNode } from 'react';
import classes from './OwnChoice.module.css';

interface Props {
  /** The item's name. */
  readonly name: string;
  /** A one-line summary of its options. */
  readonly summary: ReactNode;
  /** Its options were changed by hand. */
  readonly isOwn: boolean;
  readonly onFollow: () => void;
  /** The fields, shown on demand. */
  readonly children: ReactNode;
}

/** The options of one of several items: the shared ones, until they are changed for this one. */
export function OwnChoice({ name, summary, isOwn, onFollow, children }: Props) {
  const [opened, setOpened] = useState(false);
  const fieldsId = useId();
  return (
    <>
      <Group gap="4px 10px">
        <Text size="sm" c="dimmed" className="num">
          {summary}
          {isOwn ? (
            <>
              {' · '}
              <b>{words.ownChoice.ownOptions}</b>
            </>
          ) : null}
        </Text>
        <Button
          size="compact-sm"
          variant="subtle"
          px={4}
          aria-expanded={opened}
          aria-controls={opened ? fieldsId : undefined}
          aria-label={opened ? words.ownChoice.closeOptions(name) : words.ownChoice.changeOptions(name)}
          onClick={() => setOpened(!opened)}
        >
          {opened ? words.ownChoice.close : words.ownChoice.changeOptionsShort}
        </Button>
        {isOwn ? (
          <Button
            size="compact-sm"
            variant="subtle"
            px={4}
            aria-label={words.ownChoice.sameAsOthersOf(name)}
            onClick={onFollow}
          >
            {words.ownChoice.sameAsOthers}
          </Button>
        ) : null}
      </Group>
      {opened ? (
        <div id={fieldsId} role="group" aria-label={words.ownChoice.options(name)} className={classes['fields']}>
          {children}
        </div>
      ) : null}
    </>
  );
}
