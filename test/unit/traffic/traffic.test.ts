import { describe, expect, it } from 'vitest';

import { CostBudgets } from '../../../src/domain/shared/traffic/costBudgets.js';
import { networkOf } from '../../../src/networkAddress.js';
import { VisitorBudgets } from '../../../src/domain/shared/traffic/visitorBudgets.js';

describe('a rate budget', () => {
  function start(maxCallers = 10) {
    const clock = { ms: 0 };
    const budgets = new CostBudgets({ capacity: 10, perSecond: 2, maxCallers, nowMs: () => clock.ms });
    return { clock, budgets };
  }

  it('is spent, and refills at its rate', () => {
    const { clock, budgets } = start();
    expect(budgets.charge('a', 10)).toBe(0);
    expect(budgets.charge('a', 1)).toBe(1);
    clock.ms += 500;
    expect(budgets.charge('a', 1)).toBe(0);
    expect(budgets.charge('a', 1)).toBe(1);
  });

  it('may be overdrawn by one charge, which must then be waited for', () => {
    const { clock, budgets } = start();
    expect(budgets.charge('a', 30)).toBe(0);
    expect(budgets.charge('a', 1)).toBe(11);
    clock.ms += 10_000;
    expect(budgets.charge('a', 1)).toBe(1);
    clock.ms += 500;
    expect(budgets.charge('a', 1)).toBe(0);
  });

  it('never exceeds its capacity', () => {
    const { clock, budgets } = start();
    budgets.charge('a', 1);
    clock.ms += 1e9;
    expect(budgets.charge('a', 10)).toBe(0);
    expect(budgets.charge('a', 1)).toBe(1);
  });

  it('is separate for each caller', () => {
    const { budgets } = start();
    budgets.charge('a', 100);
    expect(budgets.charge('b', 1)).toBe(0);
  });

  it('is kept for a limited number of callers, and forgotten for the quietest', () => {
    const { budgets } = start(3);
    for (const caller of ['a', 'b', 'c']) budgets.charge(caller, 100);
    budgets.charge('a', 1);
    budgets.charge('d', 1);
    expect(budgets.size).toBe(3);
    expect(budgets.charge('a', 1)).toBeGreaterThan(0);
    expect(budgets.charge('b', 1)).toBe(0);
  });
});

describe('visitors', () => {
  it('at many addresses are served while a few addresses send as fast as they may', () => {
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

  it('at thousands of addresses of one IPv6 /48 leave the share of quiet addresses to others', () => {
    const clock = { ms: 0 };
    const nowMs = (): number => clock.ms;
    const visitors = new VisitorBudgets({
      perAddress: { capacity: 300, perSecond: 10, maxCallers: 50_000, nowMs },
      quietAddress: { capacity: 40, perSecond: 0.2, maxCallers: 50_000, nowMs },
      quietSite: { capacity: 400, perSecond: 2, maxCallers: 50_000, nowMs },
      quietVisitors: { capacity: 1_500, perSecond: 150, maxCallers: 1, nowMs },
      busyVisitors: { capacity: 500, perSecond: 50, maxCallers: 1, nowMs },
    });
    let refused = 0;
    for (let second = 0; second < 60; second += 1) {
      clock.ms += 1000;
      for (let nth = 0; nth < 300; nth += 1) {
        const group = (second * 300 + nth).toString(16).padStart(4, '0');
        if (visitors.charge(networkOf(`2001:db8:1:${group}::1`)) > 0) refused += 1;
      }
      expect(visitors.charge(networkOf(`203.0.113.${second}`))).toBe(0);
      expect(visitors.charge(networkOf(`2001:db8:2:${second}::1`))).toBe(0);
    }
    expect(refused).toBeGreaterThan(10_000);
  });
});
