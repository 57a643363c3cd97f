import { describe, expect, it } from 'vitest';

import { callerOf } from '../../../src/domain/traffic/callerAddress.js';
import { CostBudgets } from '../../../src/domain/traffic/costBudgets.js';
import { VisitorBudgets } from '../../../src/domain/traffic/visitorBudgets.js';

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

describe('visitors', () => {
  it('at many addresses get their answers while a few addresses ask as fast as they may', () => {
    const clock = { ms: 0 };
    const of = (capacity: number, perSecond: number, maxCallers = 50_000) => ({
      capacity,
      perSecond,
      maxCallers,
      nowMs: () => clock.ms,
    });
    const visitors = new VisitorBudgets({
      perAddress: of(300, 10),
      quietAddress: of(40, 0.2),
      quietVisitors: of(1_500, 150, 1),
      busyVisitors: of(500, 50, 1),
    });
    let refused = 0;
    for (let second = 0; second < 120; second += 1) {
      clock.ms += 1000;
      for (let nth = 0; nth < 300; nth += 1) if (visitors.charge(`203.0.113.${nth % 30}`) > 0) refused += 1;
      for (let n = 0; n < 3; n += 1) expect(visitors.charge(`198.51.${second}.${n}`)).toBe(0);
    }
    expect(refused).toBeGreaterThan(20_000);
  });
});
