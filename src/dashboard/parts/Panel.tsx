import { Button, Popover } from '@mantine/core';
import type { ReactNode } from 'react';

export interface PanelProps {
  readonly label: string;
  readonly icon?: ReactNode;
  readonly defaultOpened: boolean;
  /** What the panel has. */
  readonly children: ReactNode;
}

/** A button, and the panel that it opens below it. */
export default function Panel({ label, icon, defaultOpened, children }: PanelProps) {
  return (
    <Popover position="bottom-end" trapFocus transitionProps={{ duration: 0 }} defaultOpened={defaultOpened}>
      <Popover.Target>
        <Button variant="default" leftSection={icon}>
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>{children}</Popover.Dropdown>
    </Popover>
  );
}
