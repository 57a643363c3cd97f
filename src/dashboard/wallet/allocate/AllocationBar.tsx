import { words } from '#words/wallet.js';
import { useElementSize } from '@mantine/hooks';
import { useRef, type KeyboardEvent, type PointerEvent } from 'react';
import { showCredits, toCredits } from '../../lib/credits.js';
import { BUCKETS } from '../words.js';
import classes from './AllocationBar.module.css';
import { moveEdge, stepOf, totalOf, type Shares } from './allocation.js';

interface Props {
  readonly shares: Shares;
  readonly disabled: boolean;
  readonly onChange: (shares: Shares) => void;
}

/** Below it, a bucket would have no room for its handle: an empty one is still there to be filled. */
const LEAST_PX = 30;
/** A key press with Shift, and Page up and down, go this many steps. */
const LEAP = 10n;
const SCALE = 1_000_000;

/**
 * The buckets beside each other, as wide as they are full. The edges between them are dragged, or moved with the arrow
 * keys; Home and End empty one side.
 */
export function AllocationBar({ shares, disabled, onChange }: Props) {
  const { ref, width } = useElementSize();
  const drag = useRef<{ handle: number; fromX: number; shares: Shares }>(undefined);
  const total = totalOf(shares);
  const step = stepOf(total);
  const roomPx = Math.max(1, width - LEAST_PX * BUCKETS.length);

  function move(event: PointerEvent): void {
    if (!drag.current) return;
    const { handle, fromX, shares: start } = drag.current;
    const left = BUCKETS[handle]?.key;
    if (!left) return;
    const part = BigInt(Math.round(((event.clientX - fromX) / roomPx) * SCALE));
    const moved = (total * part) / BigInt(SCALE);
    // Round numbers while it is dragged; all the way to either side takes the last millionth along.
    const target = start[left] + moved;
    const rounded = ((target + step / 2n) / step) * step;
    onChange(moveEdge(start, handle, target <= 0n ? 0n : rounded));
  }

  function press(event: KeyboardEvent, handle: number): void {
    const left = BUCKETS[handle]?.key;
    if (!left) return;
    const reach = event.shiftKey ? step * LEAP : step;
    const change = {
      ArrowLeft: -reach,
      ArrowDown: -reach,
      ArrowRight: reach,
      ArrowUp: reach,
      PageDown: -step * LEAP,
      PageUp: step * LEAP,
      Home: -total,
      End: total,
    }[event.key];
    if (change === undefined) return;
    event.preventDefault();
    onChange(moveEdge(shares, handle, shares[left] + change));
  }

  return (
    <div ref={ref} className={classes['bar']} data-disabled={disabled || undefined}>
      {BUCKETS.map(({ key, label }, index) => (
        <div
          key={key}
          className={classes['share']}
          data-bucket={key}
          data-empty={shares[key] === 0n || undefined}
          style={{ width: `calc(${LEAST_PX}px + ${percentOf(shares[key], total)} * (100% - ${LEAST_PX * 4}px))` }}
        >
          <span className={classes['label']} aria-hidden="true">
            {label}
          </span>
          {index < BUCKETS.length - 1 ? (
            <div
              role="slider"
              tabIndex={disabled ? -1 : 0}
              className={classes['handle']}
              aria-label={words.allocationBar.between(label, BUCKETS[index + 1]?.label ?? '')}
              aria-disabled={disabled}
              aria-valuemin={0}
              aria-valuemax={creditsIn(shares[key] + (shares[BUCKETS[index + 1]?.key ?? key] ?? 0n))}
              aria-valuenow={creditsIn(shares[key])}
              aria-valuetext={BUCKETS.slice(index, index + 2)
                .map((bucket) => `${bucket.label} ${showCredits(toCredits(shares[bucket.key]))}`)
                .join(', ')}
              onKeyDown={(event) => press(event, index)}
              onPointerDown={(event) => {
                if (disabled) return;
                event.currentTarget.setPointerCapture(event.pointerId);
                event.currentTarget.focus();
                drag.current = { handle: index, fromX: event.clientX, shares };
              }}
              onPointerMove={move}
              onPointerUp={() => (drag.current = undefined)}
              onPointerCancel={() => (drag.current = undefined)}
            />
          ) : null}
        </div>
      ))}
    </div>
  );
}

/** A share of 1, precise enough for pixels. */
function percentOf(part: bigint, total: bigint): number {
  return total === 0n ? 0.25 : Number((part * BigInt(SCALE)) / total) / SCALE;
}

/** For a screen reader's scale only: the exact amounts are in the text beside it. */
function creditsIn(micros: bigint): number {
  return Number(micros / 10_000n) / 100;
}
