import { describe, expect, it } from 'vitest';

import { connectionTo } from '../../src/db/connection.js';
import { addressFault, parseAddress, roleOf, sessionUrl, withoutPassword } from '../../src/db/databaseAddress.js';

const SEVERAL = 'postgresql://me:p%40ss@a:5433,b,[::1]:5434/dhara?target_session_attrs=read-write';

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

  it('keeps its servers', () => {
    expect(sessionUrl(SEVERAL, 'dhara', {})).toBe(`${SEVERAL}&application_name=dhara`);
  });
});

describe('an address of several servers', () => {
  it('is taken apart into addresses of one, and says which is wanted', () => {
    const { servers, wanted } = parseAddress(SEVERAL);
    expect(wanted).toBe('read-write');
    expect(servers).toEqual([
      { host: 'a', port: 5433, url: 'postgresql://me:p%40ss@a:5433/dhara' },
      { host: 'b', port: 5432, url: 'postgresql://me:p%40ss@b/dhara' },
      { host: '::1', port: 5434, url: 'postgresql://me:p%40ss@[::1]:5434/dhara' },
    ]);
    expect(roleOf(SEVERAL)).toBe('me');
  });

  it('keeps its other parameters, sockets in folders, and an @ in the password', () => {
    const { servers } = parseAddress('postgres://me:p@ss@%2Frun%2Fpg,b/x?sslmode=require&target_session_attrs=any');
    expect(servers.map(({ host, url }) => [host, url])).toEqual([
      ['/run/pg', 'postgres://me:p%40ss@%2Frun%2Fpg/x?sslmode=require'],
      ['b', 'postgres://me:p%40ss@b/x?sslmode=require'],
    ]);
  });

  it('has the server that pg would take from its parameters', () => {
    const { servers } = parseAddress('postgres://a:1/x?host=%2Frun%2Fpg&port=5433&target_session_attrs=primary');
    expect(servers).toMatchObject([
      { host: '/run/pg', port: 5433, url: 'postgres://a:1/x?host=%2Frun%2Fpg&port=5433' },
    ]);
  });

  it.each([
    ['mysql://a,b/x', 'must be an address that begins with postgres:// or postgresql://'],
    ['a:1,b:2', 'must be an address that begins with postgres:// or postgresql://'],
    ['postgres://a:secret@a:99999,b/x', 'must be an address such as postgresql://user@a:5432,b:5432/name'],
    ['postgres://a:1:2,b/x', 'must be an address such as postgresql://user@a:5432,b:5432/name'],
    [
      'postgres://a,b/x?target_session_attrs=master',
      'target_session_attrs must be one of any, read-write, read-only, primary, standby, prefer-standby',
    ],
  ])('is refused without its password: %s', (address, fault) => {
    expect(addressFault(address)).toBe(fault);
  });
});

describe('the address for a program', () => {
  it.each([
    [SEVERAL, SEVERAL.replace(':p%40ss', ''), 'p@ss'],
    ['postgres://me:a@b:c@db:5433/x?sslmode=require', 'postgres://me@db:5433/x?sslmode=require', 'a@b:c'],
    ['postgres://me:@db/x', 'postgres://me@db/x', ''],
    ['postgres://me@a:1,[::1]:2/x', 'postgres://me@a:1,[::1]:2/x', ''],
    ['postgres://a:1,b:2/x?options=-c%20a%3Db@c', 'postgres://a:1,b:2/x?options=-c%20a%3Db@c', ''],
  ])('has its password apart: %s', (given, address, password) => {
    expect(withoutPassword(given)).toEqual({ address, password });
  });
});

describe('a connection', () => {
  it('to one server has the address as it was given, and chooses nothing', () => {
    const address = 'postgres://me@db/dhara?options=-c%20a%3Db';
    expect(connectionTo(address)).toEqual({ connectionString: address });
    expect(connectionTo('postgres://db/x', { search_path: 'auth' })).toEqual({
      connectionString: 'postgres://db/x?options=-c+search_path%3Dauth',
    });
  });

  it('to one server that must be the primary asks it', () => {
    const { connectionString, stream } = connectionTo('postgres://db/x?target_session_attrs=primary');
    expect(connectionString).toBe('postgres://db/x');
    expect(stream).toBeTypeOf('function');
  });
});
