import { MICROS_PER_CREDIT } from './credits.js';

/**
 * - Referrer: whose code it was. Invitee: who signed up with it.
 * - The bonus is granted for the invitee's first top-up: the one of all credited ones that was captured first.
 * - The window runs 48 hours from that capture; a refund created inside it, in part or whole, claws both bonuses back.
 */
export const BONUS_MICROS = { invitee: 2n * MICROS_PER_CREDIT, referrer: 5n * MICROS_PER_CREDIT } as const;

export const WINDOW_HOURS = 48;
