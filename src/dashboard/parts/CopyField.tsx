import { ActionIcon, CopyButton, Tooltip } from '@mantine/core';
import classes from './CopyField.module.css';
import { Icon } from './Icon.js';

interface Props {
  readonly value: string;
  /** What is copied, for who cannot see it: "Video id". */
  readonly label: string;
  /** Several lines, shown as they are. */
  readonly block?: boolean;
}

/** Something to take elsewhere: an id, a key, a command. */
export function CopyField({ value, label, block = false }: Props) {
  return (
    <div className={classes['field']} data-block={block || undefined}>
      <code className={classes['value']}>{value}</code>
      <CopyButton value={value} timeout={2000}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? 'Copied' : 'Copy'} withArrow>
            <ActionIcon
              variant="subtle"
              color={copied ? 'teal' : 'gray'}
              onClick={copy}
              aria-label={copied ? `${label}: copied` : `Copy: ${label}`}
            >
              <Icon name={copied ? 'check' : 'copy'} size={17} />
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </div>
  );
}
