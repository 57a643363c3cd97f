import { words } from '#words/parts.js';
import { Button } from '@mantine/core';
import { useId, useState, type ReactNode } from 'react';
import { loadAgain } from '../lib/loadAgain.js';
import type PanelOfButton from './Panel.js';
import { showToast } from './toasts.js';

// What floats is much code, and most visits open no panel.
const load = () => import('./Panel.js');

interface Props {
  readonly label: string;
  readonly icon?: ReactNode;
  /** The content of the panel. */
  readonly children: ReactNode;
}

/**
 * A button, and the panel that it opens below it. The panel's code is requested when the button is pointed at or gets the
 * focus. If the button is pressed before the code is there, the panel opens then. If the code does not arrive, the page
 * stays as it is, and the next press tries again.
 */
export function PanelButton({ label, icon, children }: Props) {
  const id = useId();
  // Known from the first press on.
  const [button, setButton] = useState<HTMLElement>();
  const [opened, setOpened] = useState(false);
  const [Panel, setPanel] = useState<typeof PanelOfButton>();

  async function prepareToOpen(): Promise<void> {
    try {
      const module = await loadAgain(load);
      setPanel(() => module.default);
    } catch {
      setOpened(false);
      showToast({ kind: 'bad', title: words.panelButton.notLoaded(label), message: words.panelButton.advice });
    }
  }

  return (
    <>
      <Button
        id={id}
        variant="default"
        leftSection={icon}
        aria-haspopup="dialog"
        aria-expanded={opened}
        aria-controls={opened && Panel ? `${id}-dropdown` : undefined}
        onPointerEnter={prepare}
        onFocus={prepare}
        onClick={({ currentTarget }) => {
          setButton(currentTarget);
          setOpened(!opened);
          if (!opened && !Panel) void prepareToOpen();
        }}
      >
        {label}
      </Button>
      {button && Panel ? (
        <Panel button={button} opened={opened} onClose={() => setOpened(false)}>
          {children}
        </Panel>
      ) : null}
    </>
  );
}

function prepare(): void {
  // A press tries again, and says if it fails.
  load().catch(() => undefined);
}
