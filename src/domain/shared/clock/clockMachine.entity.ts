import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** When one start of a machine was, by the clock of the service. */
export const ClockMachine = defineEntity({
  name: 'ClockMachine',
  tableName: 'clock_machine',
  properties: {
    runId: p.text().primary(),
    bootedAt: p.datetime(),
    anchoredAt: p.datetime(),
  },
});
export type ClockMachine = InferEntity<typeof ClockMachine>;
