import { words } from '#words/palette.js';
import { Modal } from '@mantine/core';
import { useId, useState, type KeyboardEvent, type MouseEvent } from 'react';
import { useHref, useNavigate } from 'react-router';
import { useViewer } from '../session/viewer.js';
import { Icon } from '../parts/Icon.js';
import type { Entry, Group } from './entry.js';
import classes from './Palette.module.css';
import { SHORTCUTS } from './places.js';
import { addRecent, readRecents } from './recents.js';
import { useFound } from './useFound.js';

interface Props {
  readonly onClose: () => void;
  readonly onShortcuts: () => void;
}

/** Finds pages, actions, videos, keys, ledger entries and documentation, and opens one of them. */
export default function Palette({ onClose, onShortcuts }: Props) {
  const { account } = useViewer();
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const text = typed.trim();
  const { groups: found, isSearching, hasFailed } = useFound(text);
  const [recents] = useState(() => readRecents(account.id));
  const groups = text === '' ? withRecents(found, recents) : found;
  const entries = groups.flatMap((group) => group.entries);
  const [chosen, setChosen] = useState(0);
  const active = Math.min(chosen, entries.length - 1);
  const id = useId();

  function open(entry: Entry): void {
    if (entry.to === SHORTCUTS) return onShortcuts();
    addRecent(account.id, entry);
    onClose();
    void navigate(entry.to);
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.nativeEvent.isComposing) return;
    const to = { ArrowDown: active + 1, ArrowUp: active - 1, Home: 0, End: -1 }[event.key];
    const isInText = text !== '' && (event.key === 'Home' || event.key === 'End');
    if (to !== undefined && !isInText) {
      event.preventDefault();
      const next = (to + entries.length) % entries.length;
      setChosen(next);
      document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter') {
      event.preventDefault();
      open(entries[active]!);
    }
  }

  return (
    <Modal.Root opened onClose={onClose} yOffset="10dvh" size={600} padding={0} transitionProps={{ duration: 0 }}>
      <Modal.Overlay />
      <Modal.Content aria-label={words.search}>
        <label className={classes['field']}>
          <Icon name="search" size={18} />
          <input
            role="combobox"
            aria-label={words.placeholder}
            aria-expanded={entries.length > 0}
            aria-controls={`${id}-list`}
            aria-autocomplete="list"
            aria-activedescendant={entries.length > 0 ? `${id}-${active}` : undefined}
            placeholder={words.placeholder}
            autoComplete="off"
            spellCheck={false}
            maxLength={200}
            data-autofocus
            value={typed}
            onChange={({ currentTarget }) => {
              setTyped(currentTarget.value);
              setChosen(0);
            }}
            onKeyDown={onKeyDown}
          />
        </label>
        <div
          className={classes['list']}
          role="listbox"
          id={`${id}-list`}
          aria-label={words.results}
          aria-busy={isSearching}
        >
          {groups.map((group, at) => {
            const first = groups.slice(0, at).reduce((sum, { entries: before }) => sum + before.length, 0);
            return (
              <div key={group.title} role="group" aria-labelledby={`${id}-group-${at}`}>
                <div className={classes['group']} id={`${id}-group-${at}`} role="presentation">
                  {group.title}
                </div>
                {group.entries.map((entry, n) => (
                  <Option
                    key={entry.to}
                    id={`${id}-${first + n}`}
                    entry={entry}
                    isActive={first + n === active}
                    onPoint={() => setChosen(first + n)}
                    onOpen={() => open(entry)}
                  />
                ))}
              </div>
            );
          })}
        </div>
        {text === '' ? null : <State count={entries.length} isSearching={isSearching} hasFailed={hasFailed} />}
        <Hints />
      </Modal.Content>
    </Modal.Root>
  );
}

/** What was opened lately comes first, and is not repeated below. */
function withRecents(groups: readonly Group[], recents: readonly Entry[]): readonly Group[] {
  if (recents.length === 0) return groups;
  const known = new Set(recents.map(({ to }) => to));
  const others = groups.map(({ title, entries }) => ({ title, entries: entries.filter(({ to }) => !known.has(to)) }));
  return [{ title: words.recent, entries: recents }, ...others.filter(({ entries }) => entries.length > 0)];
}

interface OptionProps {
  readonly id: string;
  readonly entry: Entry;
  readonly isActive: boolean;
  readonly onPoint: () => void;
  readonly onOpen: () => void;
}

function Option({ id, entry, isActive, onPoint, onOpen }: OptionProps) {
  const href = useHref(entry.to);

  function onClick(event: MouseEvent): void {
    // The browser opens it in another tab or window.
    if (entry.to !== SHORTCUTS && (event.ctrlKey || event.metaKey || event.shiftKey)) return;
    event.preventDefault();
    onOpen();
  }

  return (
    <a
      id={id}
      className={classes['option']}
      role="option"
      aria-selected={isActive}
      href={href}
      tabIndex={-1}
      onPointerMove={onPoint}
      onClick={onClick}
    >
      <Icon name={entry.icon} size={17} />
      <span className="clip">{entry.label}</span>
      {entry.detail ? <small className="clip">{entry.detail}</small> : null}
    </a>
  );
}

interface StateProps {
  readonly count: number;
  readonly isSearching: boolean;
  readonly hasFailed: boolean;
}

/** Tells screen readers how many results there are, and that a search failed. */
function State({ count, isSearching, hasFailed }: StateProps) {
  return (
    <>
      <p className="visually-hidden" role="status">
        {isSearching ? words.searching : words.count(count)}
      </p>
      {hasFailed ? (
        <p className={classes['state']} role="alert">
          {words.failed}
        </p>
      ) : null}
    </>
  );
}

function Hints() {
  return (
    <div className={classes['hints']} aria-hidden="true">
      <span>
        <kbd>↑</kbd> <kbd>↓</kbd> {words.hintMove}
      </span>
      <span>
        <kbd>↵</kbd> {words.hintOpen}
      </span>
      <span>
        <kbd>{words.escape}</kbd> {words.hintClose}
      </span>
    </div>
  );
}
