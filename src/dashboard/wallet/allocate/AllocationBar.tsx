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

/** The minimum width of a bucket, so that even an empty one is wide enough for its handle. */
const LEAST_PX = 30;
/** A narrower bucket has no name in the bar: the list below has all of them. */
const LEAST_NAMED_PX = 84;
/** Shift with an arrow key, and Page Up and Page Down, move this many steps. */
const LEAP = 10n;
const SCALE = 1_000_000;

/**
 * The buckets as a bar, each as wide as its balance. The edges between them are dragged, or moved with the arrow keys;
 * Home and End empty one side.
 */
export function AllocationBar({ shares, disabled, onChange }: Props) {
  const { ref, width } = useElementSize();
  const drag = useRef<{ handle: number; fromX: number; shares: Shares }>(undefined);
  const total = totalOf(shares);
  const step = stepOf(total);
  const freePx = Math.max(1, width - LEAST_PX * BUCKETS.length);

  function move(event: PointerEvent): void {
    if (!drag.current) return;
    const { handle, fromX, shares: start } = drag.current;
    const left = BUCKETS[handle]?.key;
    if (!left) return;
    const part = BigInt(Math.round(((event.clientX - fromX) / freePx) * SCALE));
    const moved = (total * part) / BigInt(SCALE);
    // Snap to round numbers while dragging; at either end, move the whole rest.
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
          data-narrow={LEAST_PX + percentOf(shares[key], total) * freePx < LEAST_NAMED_PX || undefined}
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

/** A share between 0 and 1, precise enough for pixels. */
function percentOf(part: bigint, total: bigint): number {
  return total === 0n ? 0.25 : Number((part * BigInt(SCALE)) / total) / SCALE;
}

/** Only for a screen reader's scale: the exact amounts are in the text beside it. */
function creditsIn(micros: bigint): number {
  return Number(micros / 10_000n) / 100;
}
