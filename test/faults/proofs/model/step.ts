import { AppError } from '../../../../src/errors.js';
import type { History } from './history.js';
import type { World } from './world.js';

/** Random numbers of one step: what they select depends on the available choices. */
export interface Draw {
  readonly pick: number;
  readonly other: number;
  /** Of an amount; above 1000 it is more than there is. */
  readonly permille: number;
  readonly flag: boolean;
}

export interface Scene {
  readonly history: History;
  readonly world: World;
  readonly ownerId: string;
  readonly draw: Draw;
}

export interface Step {
  can(scene: Scene): boolean;
  /**
   * Changes the history, and returns a function that makes the world follow it. It is called once now, and possibly
   * again later, when it must change nothing. A refused step changes neither, and returns `null`. A step that
   * would mean something else the next time makes the world follow by itself, and returns `null` too.
   */
  run(scene: Scene): Promise<(() => Promise<unknown>) | null>;
}

/** What only an owner does, while the account is open. */
export const isOpen: Step['can'] = ({ history }) => history.account === 'open';

export function nthOf<T>(items: readonly T[], pick: number): T {
  return items[pick % items.length]!;
}

export function partOf(micros: bigint, draw: Draw): bigint {
  return (micros * BigInt(draw.permille)) / 1000n;
}

/** @param code one of our own error codes, or PostgreSQL's */
export async function refusal(act: Promise<unknown>, code: string): Promise<null> {
  try {
    await act;
  } catch (error) {
    if (error instanceof AppError && error.code === code) return null;
    if (error instanceof Error && 'code' in error && error.code === code) return null;
    throw error;
  }
  throw new Error(`this had to be refused as ${code}`);
}
