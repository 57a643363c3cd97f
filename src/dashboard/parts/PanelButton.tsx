import { Button } from '@mantine/core';
import { Suspense, useState } from 'react';
import { lazyLater } from '../lib/lazyLater.js';
import type { PanelProps } from './Panel.js';

// What floats is much code, and nobody opens it before the page shows.
const Panel = lazyLater(() => import('./Panel.js'));

/**
 * A button that opens a panel below it. If it is pressed before the panel's code is there, the panel opens then; if it has
 * the focus, the button that replaces it takes the focus.
 */
export function PanelButton(props: Omit<PanelProps, 'defaultOpened' | 'focuses'>) {
  const [pressed, setPressed] = useState(false);
  const [focused, setFocused] = useState(false);
  return (
    <Suspense
      fallback={
        <Button
          variant="default"
          leftSection={props.icon}
          onClick={() => setPressed(true)}
          onFocus={() => setFocused(true)}
          onBlur={() => setFocused(false)}
        >
          {props.label}
        </Button>
      }
    >
      <Panel {...props} defaultOpened={pressed} focuses={focused} />
    </Suspense>
  );
}
