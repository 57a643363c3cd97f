import { Button } from '@mantine/core';
import { Suspense, useState } from 'react';
import { lazyLater } from '../lib/lazyLater.js';
import type { PanelProps } from './Panel.js';

// What floats is much code, and nobody opens it before the page shows.
const Panel = lazyLater(() => import('./Panel.js'));

/** A button that opens a panel below it. If it is pressed before the panel's code is there, the panel opens then. */
export function PanelButton(props: Omit<PanelProps, 'defaultOpened'>) {
  const [pressed, setPressed] = useState(false);
  return (
    <Suspense
      fallback={
        <Button variant="default" leftSection={props.icon} onClick={() => setPressed(true)}>
          {props.label}
        </Button>
      }
    >
      <Panel {...props} defaultOpened={pressed} />
    </Suspense>
  );
}
