import { describe, expect, it } from 'vitest';

import { sessionUrl } from '../../src/db/sessionUrl.js';

describe('the address of a session', () => {
  it('gets a name and settings, and keeps what it has', () => {
    const url = new URL(
      sessionUrl('postgres://me:p%40ss@db:5433/dhara?sslmode=require&options=-c%20search_path%3Dmine', 'dhara', {
        lock_timeout: '2000ms',
        jit: 'off',
      }),
    );
    expect(url.href).toMatch(/^postgres:\/\/me:p%40ss@db:5433\/dhara\?/);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      sslmode: 'require',
      options: '-c search_path=mine -c lock_timeout=2000ms -c jit=off',
      application_name: 'dhara',
    });
  });

  it('is not given options if there are none to give', () => {
    expect(sessionUrl('postgres://db/dhara', 'a b', {})).toBe('postgres://db/dhara?application_name=a+b');
  });
});
