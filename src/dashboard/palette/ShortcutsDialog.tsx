import { words } from '#words/palette.js';
import { words as shellWords } from '#words/shell.js';
import { Modal } from '@mantine/core';
import { isApple } from './keys.js';
import classes from './Palette.module.css';

const SHORTCUTS: readonly (readonly [text: string, ...keys: string[]])[] = [
  [words.shortcuts.open, isApple ? shellWords.shell.searchKeysOnApple : shellWords.shell.searchKeys],
  [words.shortcuts.find, '/'],
  [words.shortcuts.upload, 'U'],
  [words.shortcuts.rows, 'J', 'K'],
  [words.shortcuts.select, 'X'],
  [words.shortcuts.help, '?'],
  [words.shortcuts.close, words.escape],
];

export default function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title={words.shortcuts.title} size={420}>
      <dl className={classes['shortcuts']}>
        {SHORTCUTS.map(([text, ...keys]) => (
          <div key={text}>
            <dt>{text}</dt>
            <dd>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
