import { MICROS_PER_CREDIT } from './credits.js';

/**
 * - The referrer owns the code; the invitee signed up with it.
 * - The bonus is granted for the invitee's first top-up: of all credited ones, the one captured first.
 * - The window is 48 hours from that capture. A full or partial refund created within it claws back both bonuses.
 */
export const BONUS_MICROS = { invitee: 2n * MICROS_PER_CREDIT, referrer: 5n * MICROS_PER_CREDIT } as const;

export const WINDOW_HOURS = 48;
