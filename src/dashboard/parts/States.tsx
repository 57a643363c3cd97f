import { words } from '#words/parts.js';
import { Alert, Button, Center, Loader, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { wordsOf } from '../session/failures.js';
import { Icon, type IconName } from './Icon.js';
import classes from './States.module.css';

interface ErrorProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
  /** It is all that the page shows, so its heading is the page's. */
  readonly isPage?: boolean;
}

/** Shows what failed and what to do, in place of the content. */
export function ErrorState({ error, onRetry, isPage = false }: ErrorProps) {
  const { title, advice } = wordsOf(error);
  return (
    <div className={classes['state']} role="alert">
      <span className={classes['icon']}>
        <Icon name="alert" size={26} />
      </span>
      <Title order={isPage ? 1 : 2} size="h2">
        {title}
      </Title>
      <Text c="dimmed" maw="44ch">
        {advice}
      </Text>
      {onRetry ? (
        <Button variant="default" onClick={onRetry} leftSection={<Icon name="retry" size={16} />}>
          {words.states.tryAgain}
        </Button>
      ) : null}
    </div>
  );
}

interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  readonly advice: string;
  readonly children?: ReactNode;
  readonly isPage?: boolean;
}

/** Says that nothing is here yet, and how to change that. */
export function EmptyState({ icon, title, advice, children, isPage = false }: EmptyProps) {
  return (
    <div className={classes['state']}>
      <span className={classes['icon']}>
        <Icon name={icon} size={26} />
      </span>
      <Title order={isPage ? 1 : 2} size="h2">
        {title}
      </Title>
      <Text c="dimmed" maw="44ch">
        {advice}
      </Text>
      {children}
    </div>
  );
}

/** A failed action, inside its form; the input stays. */
export function FormError({ error }: { error: unknown }) {
  if (!error) return null;
  const { title, advice } = wordsOf(error);
  return (
    <Alert color="red" role="alert" title={title} icon={<Icon name="alert" size={18} />}>
      {advice}
    </Alert>
  );
}

/** Shown while a page's code is loading. */
export function PageLoading() {
  return (
    <Center mih="40dvh">
      <Stack align="center" role="status">
        <Loader role="img" aria-label={words.states.loading} />
      </Stack>
    </Center>
  );
}
