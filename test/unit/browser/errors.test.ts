import { describe, expect, it } from 'vitest';

import { isBusyForVisitors, isCode, lineOf, wordsOf } from '../../../src/dashboard/session/failures.js';
import { AuthError } from '../../../src/dashboard/session/authClient.js';

/** As Apollo Client throws them: this module does not load it, and knows its errors by their names. */
function thrown(name: string, fields: object): Error {
  return Object.assign(new Error('thrown'), { name }, fields);
}
const refused = (code: string, details?: object, message = 'The service says so.') =>
  thrown('CombinedGraphQLErrors', { errors: [{ message, extensions: { code, details } }] });

describe('an error in the dashboard', () => {
  it.each([
    ['no response', new TypeError('fetch failed'), 'NETWORK', 'The connection was lost'],
    ['a code of the service', refused('VIDEO_NOT_FOUND'), 'VIDEO_NOT_FOUND', 'Video not found'],
    ['a code without words of ours', refused('INVALID_INPUT'), 'INVALID_INPUT', 'The service says so.'],
    ['a code without any words', refused('NEW_CODE', undefined, ''), 'NEW_CODE', 'Something went wrong'],
    [
      'an error without a code',
      thrown('CombinedGraphQLErrors', { errors: [] }),
      'INTERNAL_ERROR',
      'Something went wrong on our side',
    ],
    [
      'a proxy’s page',
      thrown('ServerParseError', { statusCode: 502 }),
      'SERVICE_UNAVAILABLE',
      'The service is temporarily unavailable',
    ],
    ['an ended session', thrown('ServerError', { statusCode: 401 }), 'UNAUTHENTICATED', 'You are signed out'],
    ['too many requests', thrown('ServerError', { statusCode: 429 }), 'RATE_LIMIT_EXCEEDED', 'Too many attempts'],
    ['a wrong password', new AuthError('INVALID_PASSWORD', ''), 'INVALID_PASSWORD', 'The password is wrong'],
    [
      'a refused poster',
      thrown('PosterError', { code: 'FILE_TOO_LARGE', message: '' }),
      'FILE_TOO_LARGE',
      'This file is too large',
    ],
    ['anything else', 'a string', 'INTERNAL_ERROR', 'Something went wrong on our side'],
    ['nothing', undefined, 'INTERNAL_ERROR', 'Something went wrong on our side'],
  ])('that is %s has a code, and says what happened and what to do', (_, error, code, title) => {
    const words = wordsOf(error);
    expect(words).toMatchObject({ code, title });
    expect(words.advice.length).toBeGreaterThan(5);
    expect(lineOf(error)).toBe(`${title.replace(/\.$/, '')}. ${words.advice}`);
    expect(lineOf(error)).not.toContain('..');
    expect(isCode(error, code)).toBe(true);
  });

  it('says how many credits are missing', () => {
    expect(wordsOf(refused('INSUFFICIENT_CREDITS', { missing: '1.5' })).title).toBe('You need 1.50 more credits');
    expect(wordsOf(refused('INSUFFICIENT_CREDITS')).title).toBe('Not enough credits');
  });

  it('tells visitors of a busy service from a user with too many requests', () => {
    const busy = (askedAs: string) =>
      thrown('ServerError', { statusCode: 429, bodyText: JSON.stringify({ details: { askedAs } }) });
    expect([busy('visitor'), busy('viewer'), refused('FORBIDDEN')].map(isBusyForVisitors)).toEqual([
      true,
      false,
      false,
    ]);
  });
});
