import { Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './SettingsPage.module.css';

/** The cards of one tab, in one column. */
export function SettingsCards({ children }: { children: ReactNode }) {
  return (
    <Stack gap="lg" maw={728}>
      {children}
    </Stack>
  );
}

export function SettingsCard({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={`panel ${classes['card']}`} aria-label={title}>
      <Title order={2}>{title}</Title>
      {children}
    </section>
  );
}
