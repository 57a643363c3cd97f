import { words } from '#words/parts.js';
import { ActionIcon, CopyButton, Tooltip } from '@mantine/core';
import { Fragment } from 'react';
import classes from './CopyField.module.css';
import { Icon } from './Icon.js';

interface Props {
  readonly value: string;
  /** What is copied, for screen readers: "Video id". */
  readonly label: string;
  /** Several lines, shown as they are. */
  readonly block?: boolean;
  /** A list, an entry per line, shown in columns. */
  readonly list?: boolean;
  /** One long line, wrapped at spaces instead of scrolled. */
  readonly wrap?: boolean;
}

/** A value to copy: an id, a key, a command. */
export function CopyField({ value, label, block = false, list = false, wrap = false }: Props) {
  return (
    <div
      className={classes['field']}
      data-block={block || list || wrap || undefined}
      data-list={list || undefined}
      data-wrap={wrap || undefined}
    >
      <code className={classes['value']}>
        {wrap ? <Unbroken words={value} /> : list ? <Entries lines={value} /> : value}
      </code>
      <CopyButton value={value} timeout={2000}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? words.copyField.copied : words.copyField.copy} withArrow>
            <ActionIcon
              variant="subtle"
              color={copied ? 'teal' : 'gray'}
              onClick={copy}
              aria-label={copied ? words.copyField.copiedOf(label) : words.copyField.copyOf(label)}
            >
              <Icon name={copied ? 'check' : 'copy'} size={17} />
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </div>
  );
}

/** Wraps only between words: a code that is broken at its hyphen would look like two. */
function Unbroken({ words }: { words: string }) {
  return words.split(' ').map((word) => (
    <Fragment key={word}>
      <span className={classes['word']}>{word}</span>{' '}
    </Fragment>
  ));
}

function Entries({ lines }: { lines: string }) {
  return lines.split('\n').map((line) => <span key={line}>{line}</span>);
}
