import { describe, expect, it } from 'vitest';

import { type Sample, trendOf } from '../../cluster/harness/trend.js';

const SERIES = 400;
/** Half an hour, with a sample each five seconds. */
const SAMPLES = 360;
const HOURS_EACH = 5 / 3600;
/** A process that collects its garbage every 7 to 17 minutes, as one with little to do. */
const GARBAGE_MB = 25;
const FEWEST_PER_CYCLE = 80;
const MOST_PER_CYCLE = 200;

/** The same numbers in each run, between 0 and 1. Constants of Numerical Recipes' generator. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}

/** Memory that rises until a collection, and of which some stays for good. */
function sawtooth(seed: number, leakPerHour: number): Sample[] {
  const next = randomNumbers(seed * 7_919 + 1);
  const cycle = (): number => FEWEST_PER_CYCLE + Math.floor(next() * (MOST_PER_CYCLE - FEWEST_PER_CYCLE));
  const samples: Sample[] = [];
  let length = cycle();
  let at = Math.floor(next() * length);
  for (let nth = 0; nth < SAMPLES; nth += 1) {
    const hours = nth * HOURS_EACH;
    samples.push({ hours, value: 100 + (GARBAGE_MB * at) / length + leakPerHour * hours });
    at += 1;
    if (at === length) [at, length] = [0, cycle()];
  }
  return samples;
}

/** How many of the series seem to grow, by more than twice the error. */
function growing(leakPerHour: number): number {
  const trends = Array.from({ length: SERIES }, (_, seed) => trendOf(sawtooth(seed, leakPerHour)));
  return trends.filter(({ perHour, error }) => perHour > 2 * error).length / SERIES;
}

describe('the trend of a process’s memory', () => {
  it('is the slope of a line, without an error', () => {
    const line = Array.from({ length: 10 }, (_, nth) => ({ hours: nth / 2, value: 7 + 3 * (nth / 2) }));
    const { perHour, error } = trendOf(line);
    expect(perHour).toBeCloseTo(3, 9);
    expect(error).toBeCloseTo(0, 9);
  });

  it('has the textbook’s error where neighbours say nothing of each other', () => {
    // Residuals of +1 and -1 by turns, with a negative correlation, count as they are.
    const samples = Array.from({ length: 100 }, (_, nth) => ({ hours: nth, value: nth % 2 }));
    expect(trendOf(samples).error).toBeCloseTo(Math.sqrt(25 / 98 / ((100 * (100 ** 2 - 1)) / 12)), 4);
  });

  it('seldom takes garbage for growth', () => {
    expect(growing(0)).toBeLessThan(0.05);
  });

  it('finds a leak beside the garbage', () => {
    expect(growing(200)).toBeGreaterThan(0.95);
  });
});
