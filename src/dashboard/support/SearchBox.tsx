import { words } from '#words/support.js';
import { useApolloClient } from '@apollo/client/react';
import { Badge, Loader, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useCallback, useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { useNavigate } from 'react-router';
import { lineOf } from '../session/failures.js';
import { StaffSearchDocument, type StaffAccountHitFragment } from '../generated/graphql.js';
import { announce } from '../parts/Announcer.js';
import { Icon } from '../parts/Icon.js';
import classes from './parts/console.module.css';

const PAUSE_MS = 220;
const KEY_BEGINNING = /^dk_[a-z]{4}_/;

interface Found {
  readonly for: string;
  readonly hits: readonly StaffAccountHitFragment[];
  readonly error?: unknown;
}

/**
 * Finds an account by anything that an owner writes in an email. "/" focuses it, arrow keys choose, Enter opens. If
 * only one account is found, Enter opens it without waiting for the list.
 */
export function SearchBox() {
  const navigate = useNavigate();
  const input = useRef<HTMLInputElement>(null);
  const listId = useId();
  const [text, setText] = useState('');
  const [open, setOpen] = useState(false);
  const search = text.trim();
  const { found, chosen, choose, busy, find, forget } = useAccountSearch(search);

  function visit({ id }: StaffAccountHitFragment): void {
    setOpen(false);
    setText('');
    forget();
    input.current?.blur();
    const key = KEY_BEGINNING.test(search) ? `?key=${encodeURIComponent(search.slice(0, 12))}` : '';
    void navigate(`/support/accounts/${id}${key}`);
  }

  async function enter(): Promise<void> {
    if (!search) return;
    setOpen(true);
    const isThere = found?.for === search && !found.error;
    const hits = isThere ? found.hits : await find(search);
    const hit = isThere ? hits[chosen] : hits.length === 1 ? hits[0] : undefined;
    if (hit) visit(hit);
  }

  function onKey(event: KeyboardEvent): void {
    const last = (found?.hits.length ?? 0) - 1;
    if (event.key === 'ArrowDown') choose(Math.min(chosen + 1, Math.max(0, last)));
    else if (event.key === 'ArrowUp') choose(Math.max(chosen - 1, 0));
    else if (event.key === 'Enter') void enter();
    else if (event.key === 'Escape') {
      if (open) setOpen(false);
      else input.current?.blur();
      return;
    } else return;
    event.preventDefault();
    setOpen(true);
  }

  const isShown = open && search !== '' && found !== undefined;
  return (
    <div className={classes['search']} role="search">
      <TextInput
        ref={input}
        type="search"
        size="md"
        role="combobox"
        aria-label={words.searchBox.findAccount}
        aria-expanded={isShown}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={isShown && found.hits.length > 0 ? `${listId}-${chosen}` : undefined}
        placeholder={words.searchBox.emailApiKeyVideo}
        spellCheck={false}
        maxLength={320}
        value={text}
        leftSection={<Icon name="search" size={18} />}
        rightSection={busy && search ? <Loader size="xs" /> : <kbd className={classes['slash']}>/</kbd>}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setOpen(true);
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKey}
      />
      <div
        id={listId}
        role="listbox"
        aria-label={words.searchBox.results}
        className={classes['hits']}
        hidden={!isShown}
      >
        {found ? <Hits of={found} listId={listId} chosen={chosen} onPoint={choose} onOpen={visit} /> : null}
      </div>
    </div>
  );
}

/** What `search` finds once it has settled, and which of the hits is chosen. */
function useAccountSearch(search: string) {
  const client = useApolloClient();
  const [found, setFound] = useState<Found>();
  const [chosen, choose] = useState(0);
  const [busy, setBusy] = useState(false);
  const asked = useRef('');
  const [settled] = useDebouncedValue(search, PAUSE_MS);

  const find = useCallback(
    async (wanted: string): Promise<readonly StaffAccountHitFragment[]> => {
      asked.current = wanted;
      setBusy(true);
      try {
        const { data } = await client.query({
          query: StaffSearchDocument,
          variables: { search: wanted },
          fetchPolicy: 'network-only',
        });
        const hits = data?.accounts ?? [];
        // A later request may have been answered first.
        if (asked.current === wanted) {
          setFound({ for: wanted, hits });
          choose(0);
          announce(words.searchBox.accountsFound(hits.length));
        }
        return hits;
      } catch (error) {
        if (asked.current === wanted) setFound({ for: wanted, hits: [], error });
        return [];
      } finally {
        if (asked.current === wanted) setBusy(false);
      }
    },
    [client],
  );

  useEffect(() => {
    if (settled && settled !== asked.current) void find(settled);
  }, [settled, find]);

  function forget(): void {
    setFound(undefined);
    asked.current = '';
  }

  return { found, chosen, choose, busy, find, forget };
}

interface HitsProps {
  readonly of: Found;
  readonly listId: string;
  readonly chosen: number;
  readonly onPoint: (index: number) => void;
  readonly onOpen: (hit: StaffAccountHitFragment) => void;
}

function Hits({ of: found, listId, chosen, onPoint, onOpen }: HitsProps) {
  if (found.hits.length === 0) {
    return (
      <div role="option" aria-selected={false} aria-disabled="true" tabIndex={-1} className={classes['nothing']}>
        {found.error ? lineOf(found.error) : words.searchBox.noAccountsFoundPart(found.for)}
      </div>
    );
  }
  return found.hits.map((hit, index) => (
    <button
      key={hit.id}
      id={`${listId}-${index}`}
      type="button"
      role="option"
      tabIndex={-1}
      aria-selected={index === chosen}
      className={classes['hit']}
      // Keep the focus in the box; otherwise the list would close before the click.
      onPointerDown={(event) => event.preventDefault()}
      onMouseDown={(event) => event.preventDefault()}
      onPointerEnter={() => onPoint(index)}
      onClick={() => onOpen(hit)}
    >
      <Hit account={hit} />
    </button>
  ));
}

function Hit({ account }: { account: StaffAccountHitFragment }) {
  return (
    <>
      <span className={classes['what']}>
        <span className="clip">{account.email}</span>
        <small className="clip">{account.name}</small>
      </span>
      <span className={classes['end']}>
        {account.role === 'SUPPORT' ? <Badge tt="none">{words.searchBox.staff}</Badge> : null}
        {account.suspendedAt ? (
          <Badge color="red" tt="none">
            {words.searchBox.suspended}
          </Badge>
        ) : null}
      </span>
    </>
  );
}
