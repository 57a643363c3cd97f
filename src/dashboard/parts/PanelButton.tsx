import { Button, Popover } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  readonly label: string;
  readonly icon?: ReactNode;
  /** The content of the panel. */
  readonly children: ReactNode;
}

/** A button, and the panel that it opens below it. */
export function PanelButton({ label, icon, children }: Props) {
  return (
    <Popover position="bottom-end" trapFocus transitionProps={{ duration: 0 }}>
      <Popover.Target>
        <Button variant="default" leftSection={icon}>
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>{children}</Popover.Dropdown>
    </Popover>
  );
}
