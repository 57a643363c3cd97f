import { AppError } from '../../../errors.js';
import { isUuid } from '../../shared/ids.js';

const TIME = /^[0-9: .+-]{19,40}$/;
/** Where a page of such a list begins. */
export interface AfterTime {
  readonly afterTime: string;
  readonly afterId: string;
}

const NEWEST: AfterTime = { afterTime: 'infinity', afterId: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

/** A row's position in a list by time and id. PostgreSQL's text keeps the microseconds that a Date would lose. */
export function timeCursor(time: string, id: string): string {
  return Buffer.from(`${time}_${id}`).toString('base64url');
}

/** Parses the time and id to continue after; before everything if there is no cursor. @throws INVALID_PARAMETER */
export function parseTimeCursor(cursor: string | null): AfterTime {
  if (cursor === null) return NEWEST;
  const parts = Buffer.from(cursor, 'base64url').toString().split('_');
  const [time = '', id = ''] = parts;
  if (parts.length !== 2 || !TIME.test(time) || Number.isNaN(Date.parse(time)) || !isUuid(id)) {
    throw new AppError('INVALID_PARAMETER', 'after: invalid cursor.');
  }
  return { afterTime: time, afterId: id };
}
