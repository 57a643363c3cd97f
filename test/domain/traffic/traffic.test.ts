import { describe, expect, it } from 'vitest';

import { callerOf } from '../../../src/domain/traffic/callerAddress.js';
import { CostBudgets } from '../../../src/domain/traffic/costBudgets.js';

describe('a budget', () => {
  function start(maxCallers = 10) {
    const clock = { ms: 0 };
    const budgets = new CostBudgets({ capacity: 10, perSecond: 2, maxCallers, nowMs: () => clock.ms });
    return { clock, budgets };
  }

  it('is spent, and fills again at its rate', () => {
    const { clock, budgets } = start();
    expect(budgets.charge('a', 10)).toBe(0);
    expect(budgets.charge('a', 1)).toBe(1);
    clock.ms += 500;
    expect(budgets.charge('a', 1)).toBe(0);
    expect(budgets.charge('a', 1)).toBe(1);
  });

  it('may be overdrawn by one charge, which has to be waited for', () => {
    const { clock, budgets } = start();
    expect(budgets.charge('a', 30)).toBe(0);
    expect(budgets.charge('a', 1)).toBe(11);
    clock.ms += 10_000;
    expect(budgets.charge('a', 1)).toBe(1);
    clock.ms += 500;
    expect(budgets.charge('a', 1)).toBe(0);
  });

  it('never holds more than its capacity', () => {
    const { clock, budgets } = start();
    budgets.charge('a', 1);
    clock.ms += 1e9;
    expect(budgets.charge('a', 10)).toBe(0);
    expect(budgets.charge('a', 1)).toBe(1);
  });

  it('is each caller’s own', () => {
    const { budgets } = start();
    budgets.charge('a', 100);
    expect(budgets.charge('b', 1)).toBe(0);
  });

  it('remembers so many callers, and forgets the quietest', () => {
    const { budgets } = start(3);
    for (const caller of ['a', 'b', 'c']) budgets.charge(caller, 100);
    budgets.charge('a', 1);
    budgets.charge('d', 1);
    expect(budgets.size).toBe(3);
    expect(budgets.charge('a', 1)).toBeGreaterThan(0);
    expect(budgets.charge('b', 1)).toBe(0);
  });
});

describe('whom an address stands for', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff::', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('%s', (address, caller) => {
    expect(callerOf(address)).toBe(caller);
  });

  it('is nobody where there is none', () => {
    expect(callerOf(undefined)).toBe('');
  });
});
