import { Button } from '@mantine/core';
import { lazy, Suspense, useId, useState, type ReactNode } from 'react';
import { loadAgain } from '../lib/loadAgain.js';

// What floats is much code, and most visits open no panel.
const load = () => import('./Panel.js');
const Panel = lazy(() => loadAgain(load));

interface Props {
  readonly label: string;
  readonly icon?: ReactNode;
  /** The content of the panel. */
  readonly children: ReactNode;
}

/**
 * A button, and the panel that it opens below it. The panel's code is requested when the button is pointed at or gets the
 * focus. If the button is pressed before the code is there, the panel opens then.
 */
export function PanelButton({ label, icon, children }: Props) {
  const id = useId();
  // Known from the first press on.
  const [button, setButton] = useState<HTMLElement>();
  const [opened, setOpened] = useState(false);

  return (
    <>
      <Button
        id={id}
        variant="default"
        leftSection={icon}
        aria-haspopup="dialog"
        aria-expanded={opened}
        aria-controls={opened ? `${id}-dropdown` : undefined}
        onPointerEnter={prepare}
        onFocus={prepare}
        onClick={({ currentTarget }) => {
          setButton(currentTarget);
          setOpened(!opened);
        }}
      >
        {label}
      </Button>
      {button ? (
        <Suspense fallback={null}>
          <Panel button={button} opened={opened} onClose={() => setOpened(false)}>
            {children}
          </Panel>
        </Suspense>
      ) : null}
    </>
  );
}

function prepare(): void {
  // A press tries again, and fails visibly.
  load().catch(() => undefined);
}
