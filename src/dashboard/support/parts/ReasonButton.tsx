import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { showToast } from '../../parts/toasts.js';
import { ReasonDialog } from './ReasonDialog.js';

interface Props {
  /** On the button, and on the one that confirms. */
  readonly verb: string;
  /** The accessible name, if a list has several of these. */
  readonly label?: string;
  readonly title: string;
  readonly children: ReactNode;
  readonly isDestructive?: boolean;
  /** Shown after success. */
  readonly done: string;
  readonly onConfirm: (reason: string) => Promise<unknown>;
}

/** An action of staff on a row: a button, and the dialog that asks for a reason. */
export function ReasonButton({ verb, label, title, children, isDestructive = false, done, onConfirm }: Props) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button
        size="xs"
        variant="default"
        aria-label={label}
        {...(isDestructive ? { c: 'light-dark(#b42318, #ff9b90)' } : {})}
        onClick={() => setAsking(true)}
      >
        {verb}
      </Button>
      <ReasonDialog
        opened={asking}
        title={title}
        verb={verb}
        isDestructive={isDestructive}
        onClose={() => setAsking(false)}
        onConfirm={async (reason) => {
          await onConfirm(reason);
          showToast({ title: done, kind: 'good' });
        }}
      >
        {children}
      </ReasonDialog>
    </>
  );
}
