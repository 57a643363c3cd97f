import { Popover } from '@mantine/core';
import { useDeferredValue, useImperativeHandle, type ReactNode, type Ref } from 'react';

interface Props {
  /** The button that opens it: the panel is beside it and named by it. */
  readonly button: HTMLElement;
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** The panel of a `PanelButton`. */
export default function Panel({ button, opened, onClose, children }: Props) {
  // Mounted as closed: only a popover that opens afterwards notes what has the focus, to return it when it is closed.
  const shown = useDeferredValue(opened, false);
  return (
    <Popover
      id={button.id}
      position="bottom-end"
      trapFocus
      transitionProps={{ duration: 0 }}
      opened={shown}
      onChange={onClose}
    >
      <Popover.Target>
        <Rendered element={button} />
      </Popover.Target>
      {/* A line of text would make it as wide as itself, and the page wider than a phone. */}
      <Popover.Dropdown maw="92vw">{children}</Popover.Dropdown>
    </Popover>
  );
}

/** Stands for an element that was rendered elsewhere. */
function Rendered({ element, ref }: { element: HTMLElement; ref?: Ref<HTMLElement> }) {
  useImperativeHandle(ref, () => element, [element]);
  return null;
}
