import { Button, Popover } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';

export interface PanelProps {
  readonly label: string;
  readonly icon?: ReactNode;
  readonly defaultOpened: boolean;
  /** Whether the button takes the focus as soon as it is there. */
  readonly focuses: boolean;
  /** What the panel has. */
  readonly children: ReactNode;
}

/** A button, and the panel that it opens below it. */
export default function Panel({ label, icon, defaultOpened, focuses, children }: PanelProps) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (focuses) button.current?.focus();
  }, [focuses]);
  return (
    <Popover position="bottom-end" trapFocus transitionProps={{ duration: 0 }} defaultOpened={defaultOpened}>
      <Popover.Target>
        <Button ref={button} variant="default" leftSection={icon}>
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>{children}</Popover.Dropdown>
    </Popover>
  );
}
