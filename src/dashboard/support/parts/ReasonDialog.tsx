import { words } from '#words/support.js';
import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import { FormError } from '../../parts/States.js';
import { useAction } from '../../parts/useAction.js';

const MAX_REASON_LENGTH = 1000;

interface Props {
  readonly opened: boolean;
  readonly title: string;
  /** What happens, and to whom. */
  readonly children: ReactNode;
  /** The verb on the button: "Suspend". */
  readonly verb: string;
  readonly isDestructive?: boolean;
  /** Fields above the reason. */
  readonly fields?: ReactNode;
  /** False while the fields above are incomplete. */
  readonly ready?: boolean;
  readonly onClose: () => void;
  /** Rejects on failure; the dialog then shows why, and keeps the input. */
  readonly onConfirm: (reason: string) => Promise<unknown>;
}

/** Asks for confirmation and a reason: every action of staff on an account is recorded with one. */
export function ReasonDialog(props: Props) {
  const { opened, title, children, verb, isDestructive = false, fields, ready = true, onClose, onConfirm } = props;
  const [reason, setReason] = useState('');
  const { run, busy, error, clear } = useAction(async () => {
    await onConfirm(reason.trim());
    setReason('');
    onClose();
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (ready && reason.trim()) void run();
  }

  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm" component="div">
            {children}
          </Text>
          {fields}
          <Textarea
            label={words.reasonDialog.reason}
            description={words.reasonDialog.recordedAuditTrailName}
            autosize
            minRows={2}
            maxRows={8}
            required
            withAsterisk={false}
            maxLength={MAX_REASON_LENGTH}
            data-autofocus={fields ? undefined : true}
            value={reason}
            onChange={(event) => {
              setReason(event.currentTarget.value);
              clear();
            }}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
            }}
          />
          <FormError error={error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {words.reasonDialog.cancel}
            </Button>
            <Button
              type="submit"
              loading={busy}
              disabled={!ready || !reason.trim()}
              {...(isDestructive ? { color: 'red.9' } : {})}
            >
              {verb}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
