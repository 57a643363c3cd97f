import { Button, Group, Text } from '@mantine/core';
import { useId, useState, type ReactNode } from 'react';
import classes from './OwnChoice.module.css';

interface Props {
  /** Whose choice it is. */
  readonly name: string;
  /** What it is to become, in a line. */
  readonly summary: ReactNode;
  /** Something was changed by hand. */
  readonly isOwn: boolean;
  readonly onFollow: () => void;
  /** The fields, shown when they are asked for. */
  readonly children: ReactNode;
}

/** What one of many is to become: as all of them, until it is changed for this one. */
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
              <b>its own choice</b>
            </>
          ) : null}
        </Text>
        <Button
          size="compact-sm"
          variant="subtle"
          px={4}
          aria-expanded={opened}
          aria-controls={opened ? fieldsId : undefined}
          aria-label={opened ? `Close the choice for ${name}` : `Change for this file: ${name}`}
          onClick={() => setOpened(!opened)}
        >
          {opened ? 'Close' : 'Change for this file'}
        </Button>
        {isOwn ? (
          <Button
            size="compact-sm"
            variant="subtle"
            px={4}
            aria-label={`Same as the others: ${name}`}
            onClick={onFollow}
          >
            Same as the others
          </Button>
        ) : null}
      </Group>
      {opened ? (
        <div id={fieldsId} role="group" aria-label={`Choice for ${name}`} className={classes['fields']}>
          {children}
        </div>
      ) : null}
    </>
  );
}
