import { describe, expect, it } from 'vitest';

import { availableFor, fundingOf } from '../../../src/dashboard/processing/funding.js';

const wallet = { creative: '12.5', master: '3.2', automaticAllocation: ['CREATIVE'] as 'CREATIVE'[] };
const rationed = { ...wallet, automaticAllocation: [] };

describe('the funding of a price', () => {
  it.each([
    [12_500_000n, wallet, [12_500_000n, 0n, 0n]],
    [12_500_001n, wallet, [12_500_000n, 1n, 0n]],
    [15_700_000n, wallet, [12_500_000n, 3_200_000n, 0n]],
    [15_700_001n, wallet, [12_500_000n, 3_200_000n, 1n]],
    [12_500_001n, rationed, [12_500_000n, 0n, 1n]],
    [0n, wallet, [0n, 0n, 0n]],
  ])('takes %s micro-credits from Creative, then from Master if it may', (total, from, parts) => {
    const { fromCreative, fromMaster, missing } = fundingOf(total, from);
    expect([fromCreative, fromMaster, missing]).toEqual(parts);
  });

  it('counts Master as available unless its owner rations', () => {
    expect(availableFor(wallet)).toBe(15_700_000n);
    expect(availableFor(rationed)).toBe(12_500_000n);
  });
});
